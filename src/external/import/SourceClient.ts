/** Reads JSON from the service of an import, through the egress guard, at the pace that the service asks for. */
import { Data, DateTime, Duration, Effect, Either, Option, Schedule } from "effect"
import { parseRetryAfter } from "../../domain/alert/RetrySchedule.ts"
import type { JsonRefusal } from "../../domain/tools/json/BoundedJson.ts"
import { boundedJsonInSteps } from "../../domain/tools/json/JsonInSteps.ts"
import { decodedBody } from "../../egress/BodyDecoder.ts"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import { followRedirects, requestBounded } from "../BoundedRequest.ts"

/** A source could not be read. `temporary` problems may be gone later; the others need another key, id or URL. */
export class SourceProblem extends Data.TaggedError("SourceProblem")<{
  readonly message: string
  readonly temporary: boolean
  /** The HTTP status of the answer; null without one. */
  readonly status: number | null
}> {}

interface SourceRequest {
  readonly url: URL
  readonly method?: "GET" | "POST"
  /** Instead of those of the client. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface ClientOptions {
  /** The headers that name the caller. */
  readonly headers?: Readonly<Record<string, string>>
  /** Between two requests. */
  readonly pause: Duration.DurationInput
  /** How long a `Retry-After` may be in all before the source counts as unavailable. */
  readonly patience: Duration.DurationInput
}

/** Bytes of one answer. */
const largestAnswer = 8 * 1024 * 1024

/** The limits of one answer. A list of 250 monitors, or of 100 incidents with their updates, has a tenth of it. */
const limits = { entries: 100_000, depth: 64 }

/** Bytes of all answers of one import: they are in memory until the import knows what it makes of them. */
const largestImport = 64 * 1024 * 1024

/** Requests of one import: more than any account that can be imported needs. */
const mostRequests = 5000

const timeoutMs = 30_000

/** The answers that ask to come again: 420 is Statuspage's form of 429. */
const asksToWait = (status: number): boolean => status === 420 || status === 429 || status === 503

const refused = (service: string, status: number): SourceProblem =>
  new SourceProblem({
    status,
    temporary: status >= 500 || asksToWait(status),
    message: status === 401 || status === 403
      ? `${service} refuses the key (${status}). Check that it is complete, not revoked and allowed to read`
      : status === 404
      ? `${service} has nothing at that address (404)`
      : asksToWait(status) && status !== 503
      ? `${service} limits how often it can be asked (${status}). Try again later`
      : `${service} answered with status ${status}`
  })

const unreachable = (service: string, reason: string, temporary: boolean): SourceProblem =>
  new SourceProblem({ status: null, temporary, message: `${service} cannot be read: ${reason}` })

const refusals = {
  invalid: "did not answer with JSON",
  "too many entries": `sent an answer of more than ${limits.entries} values`,
  "too deep": `sent an answer that is nested more than ${limits.depth} levels deep`
} satisfies Record<JsonRefusal, string>

const parsed = (service: string, text: string): Effect.Effect<unknown, SourceProblem> =>
  Effect.flatMap(
    overTurns(boundedJsonInSteps(text, limits)),
    Either.mapLeft((why) => new SourceProblem({ status: null, temporary: false, message: `${service} ${refusals[why]}` }))
  )

const ownHeaders = { "user-agent": "Belltower-Import/1.0", accept: "application/json", "accept-encoding": "gzip" }

/** Asks one service, one request at a time. Errors never repeat keys, nor what the service answered. */
export const makeSourceClient = Effect.fn("SourceClient.make")(function*(service: string, options: ClientOptions) {
  const guard = yield* EgressGuard
  const permit = yield* Effect.makeSemaphore(1)
  let requests = 0
  let characters = 0
  let waited = Duration.zero

  const once = Effect.fnUntraced(function*({ headers, ...request }: SourceRequest) {
    const seen = yield* requestBounded(guard, {
      ...request,
      headers: { ...ownHeaders, ...headers },
      timeoutMs,
      limit: largestAnswer
    })
    const { failure, response } = seen
    if (failure !== null) return yield* unreachable(service, failure.message, failure._tag !== "BlockedTarget")
    if (response === null || !seen.bodyComplete) return yield* unreachable(service, "its answer is longer than 8 MiB", false)
    const { text } = yield* decodedBody(seen, largestAnswer)
    return { status: response.statusCode, headers: response.headers, text }
  })

  /** A redirect to another origin is followed without anything that may name the caller: its headers, and the body. */
  const following = Effect.fnUntraced(function*(request: SourceRequest) {
    const ask = (url: URL, isHome: boolean) =>
      once(isHome ? { ...request, url, headers: request.headers ?? options.headers ?? {} } : { url })
    return (yield* followRedirects(request.url, ask)) ?? (yield* unreachable(service, "it redirects without end", false))
  })

  const patiently = Effect.fnUntraced(function*(request: SourceRequest) {
    while (true) {
      const answer = yield* following(request)
      if (answer.status >= 200 && answer.status < 300) return answer.text
      if (!asksToWait(answer.status)) return yield* refused(service, answer.status)
      const asked = parseRetryAfter(answer.headers["retry-after"], yield* DateTime.now)
      // A source that says 0 would be asked without end.
      const wait = Duration.max(Option.getOrElse(asked, () => Duration.seconds(5)), Duration.seconds(1))
      waited = Duration.sum(waited, wait)
      if (Duration.greaterThan(waited, options.patience)) return yield* refused(service, answer.status)
      yield* Effect.sleep(wait)
    }
  })

  /** Lost connections and errors of the service are tried twice more. */
  const again = Schedule.exponential("500 millis").pipe(Schedule.intersect(Schedule.recurs(2)))

  return (request: SourceRequest): Effect.Effect<unknown, SourceProblem> =>
    Effect.gen(function*() {
      requests += 1
      if (requests > mostRequests) return yield* unreachable(service, `it has more than ${mostRequests} pages`, false)
      if (requests > 1) yield* Effect.sleep(options.pause)
      const text = yield* Effect.retry(patiently(request), {
        schedule: again,
        while: ({ status, temporary }) => temporary && (status === null || !asksToWait(status))
      })
      characters += text.length
      if (characters > largestImport) return yield* unreachable(service, "it holds more than 64 MiB", false)
      return yield* parsed(service, text)
    }).pipe(permit.withPermits(1))
})

export type SourceClient = Effect.Effect.Success<ReturnType<typeof makeSourceClient>>

/** A list that the account may not have, or the key not show: then it is empty. A warning says what the key does not show. */
export const orEmpty = <A>(
  what: string,
  list: Effect.Effect<Array<A>, SourceProblem>,
  warnings: Array<string>
): Effect.Effect<Array<A>, SourceProblem> =>
  Effect.catchIf(list, ({ status }) => status === 403 || status === 404, ({ status }) =>
    Effect.sync(() => {
      if (status === 403) warnings.push(`The ${what} are not carried: the key may not read them`)
      return []
    }))
