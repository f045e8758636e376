/** One delivery by HTTP POST through the egress guard, for webhooks and chat services. */
import { DateTime, type Duration, Effect, Option } from "effect"
import { mask } from "../../../schema/Mask.ts"
import { Answer } from "../../domain/alert/DeliveryVerdict.ts"
import { parseRetryAfter } from "../../domain/alert/RetrySchedule.ts"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { type Exchange, exchange, type ExchangeRequest, startExchange } from "../../egress/HttpExchange.ts"
import type { Problem } from "./ChannelKind.ts"

export const deliveryHeaders = { "user-agent": "Belltower-Webhook/1.0", "content-type": "application/json" } as const

/** Bytes. The response body does not affect the verdict, so reading stops here. */
const readLimit = 65_536

/** Rejects a URL whose host is private as it is written. Other names are checked at each attempt, after DNS resolution. */
export const blockedProblems = Effect.fn("PostDelivery.blockedProblems")(function*(url: URL | string | undefined) {
  const { refusalOf } = yield* EgressGuard
  const message = url === undefined ? null : refusalOf(new URL(url).hostname)
  const problems: ReadonlyArray<Problem> = message === null ? [] : [{ path: "url", message }]
  return problems
})

/** Rejects a setting of another form. */
export const formProblems = (path: string, value: string | undefined, form: RegExp, message: string): ReadonlyArray<Problem> =>
  value === undefined || form.test(value) ? [] : [{ path, message }]

/** The form in which a channel's record shows a URL that is a secret as a whole: its origin. */
export const shownUrl = (url: string): string => `${new URL(url).origin}/${mask}`

/** Adds fields of a channel, such as a secret, to the text of a JSON object with at least one field. */
export const withFields = (body: string, fields: Readonly<Record<string, string>>): string =>
  `${JSON.stringify(fields).slice(0, -1)},${body.slice(1)}`

export interface Post {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  readonly timeoutMs: number
}

/** The rules of a service beyond plain HTTP. */
export interface ServiceRules {
  /** The meaning of its statuses and the remedy; never text of a response. */
  readonly meanings?: Readonly<Record<number, string>>
  /** The wait that its response asks for in the body. */
  readonly retryAfterOf?: (body: string) => Option.Option<Duration.Duration>
}

const keptForRules = 4096

const requestOf = (post: Post, { retryAfterOf }: ServiceRules): ExchangeRequest => ({
  ...post,
  method: "POST",
  spentMs: 0,
  readLimit,
  keepLimit: retryAfterOf === undefined ? 0 : keptForRules,
  // The status is the verdict; a body is awaited only where something reads it.
  isEnough: (_, answer) => answer(retryAfterOf === undefined)
})

const answerOf = (
  { chunks, failure, response }: Exchange,
  { meanings, retryAfterOf }: ServiceRules,
  now: DateTime.Utc
): Answer => {
  if (failure?._tag === "BlockedTarget") return Answer.Impossible({ reason: failure.message })
  // The status is the verdict, however the body ends: no service says anything else in it (Specification: Events, Retries).
  if (response === null) return Answer.Unanswered({ reason: failure?.message ?? "No answer" })
  const statusCode = response.statusCode
  const meaning = meanings?.[statusCode]
  const inHeader = parseRetryAfter(response.headers["retry-after"], now)
  const inBody = statusCode === 429 && retryAfterOf !== undefined
    ? retryAfterOf(Buffer.concat(chunks).toString("utf8"))
    : Option.none()
  return Answer.Answered({
    statusCode,
    retryAfter: Option.orElse(inHeader, () => inBody),
    ...(meaning === undefined ? {} : { meaning })
  })
}

export const postDelivery = Effect.fnUntraced(function*(post: Post, rules: ServiceRules = {}) {
  const guard = yield* EgressGuard
  const seen = yield* exchange(guard, requestOf(post, rules))
  return answerOf(seen, rules, yield* DateTime.now)
})

/** The same without a fiber; calls back once. Returns a function that abandons the request. */
export const startPost = (
  guard: EgressGuard,
  post: Post,
  rules: ServiceRules,
  now: () => DateTime.Utc,
  done: (answer: Answer) => void
): () => void => startExchange(guard, requestOf(post, rules), (seen) => done(answerOf(seen, rules, now())))
