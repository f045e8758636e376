/** Turns every failure and defect into the error envelope: `{error: {code, message, hint?, details?}}`. */
import { HttpServerError, HttpServerResponse } from "@effect/platform"
import { SqlError } from "@effect/sql"
import { Array, Cause, Effect, Option, Predicate } from "effect"
import {
  BadRequest,
  envelopeOf,
  type Failure,
  Internal,
  isFailure,
  MethodNotAllowed,
  statusOf,
  Unauthorized,
  Unavailable,
  ValidationFailed
} from "../../../schema/Errors.ts"
import { connectionsInUse } from "../../domain/tools/queues/ConnectionShares.ts"
import { readTraceparent } from "../../domain/tools/TraceParent.ts"
import { CurrentTrace } from "../../telemetry/Tracing.ts"
import { RequestId } from "./RequestId.ts"

const retryAfter = (details: unknown): Option.Option<string> =>
  Predicate.hasProperty(details, "retryAfterSec") ? Option.some(String(details.retryAfterSec)) : Option.none()

const allow = (details: unknown): Option.Option<string> =>
  Predicate.hasProperty(details, "allow") && Array.isArray(details.allow) ? Option.some(details.allow.join(", ")) : Option.none()

const headersOf = (failure: Failure): Record<string, string> => {
  if (failure instanceof Unauthorized) return { "www-authenticate": "Bearer realm=\"belltower\"" }
  if (failure instanceof MethodNotAllowed) {
    return Option.match(allow(failure.details), { onNone: () => ({}), onSome: (methods) => ({ allow: methods }) })
  }
  return Option.match(retryAfter(failure.details), { onNone: () => ({}), onSome: (seconds) => ({ "retry-after": seconds }) })
}

export const respond = (failure: Failure, traceId: string | null = null): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson(envelopeOf(failure, traceId), { status: statusOf(failure), headers: headersOf(failure) })

const respondTraced = (failure: Failure): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(CurrentTrace, (trace) => respond(failure, trace === null ? null : readTraceparent(trace)?.traceId ?? null))

/** Error codes of an unreachable database: 08 connection, 25006 read-only, 57P0x shutdown, 53300 too many connections, and of sockets. */
const away =
  /^(?:08|25006|57P0|53300|EMFILE|ENFILE|ECONN|ENOENT|ENOTFOUND|EPIPE|EAGAIN|EAI_AGAIN|EADDRNOTAVAIL|ETIMEDOUT|EHOST|ENET)/
const awayMessage =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|not queryable/i

const causesOf = (value: unknown): ReadonlyArray<unknown> => [
  value,
  ...(value instanceof AggregateError ? value.errors.flatMap(causesOf) : []),
  ...(Predicate.hasProperty(value, "cause") && value.cause !== undefined ? causesOf(value.cause) : [])
]

/** The server's disk (53100), memory (53200) or a configured limit (53400) is exhausted. */
const full = /^53[124]00$/

const hasCode = (cause: unknown, codes: RegExp): boolean => Predicate.hasProperty(cause, "code") && codes.test(String(cause.code))

const isOfDatabase = (value: unknown, fits: (cause: unknown) => boolean): boolean =>
  causesOf(value).some((cause) => cause instanceof SqlError.SqlError) && causesOf(value).some(fits)

const isDatabaseAway = (value: unknown): boolean =>
  isOfDatabase(value, (cause) => hasCode(cause, away) || (cause instanceof Error && awayMessage.test(cause.message)))

const isDatabaseFull = (value: unknown): boolean => isOfDatabase(value, (cause) => hasCode(cause, full))

/** All connections are in use, and the request has waited for one as long as requests do (`src/domain/tools/queues/ConnectionShares.ts`). */
const isDatabaseBusy = (value: unknown): boolean =>
  isOfDatabase(value, (cause) => cause instanceof Error && cause.message.includes(connectionsInUse))

const databaseBusy = new Unavailable({
  message: "Too many requests wait for the database",
  hint: "Try again in a few seconds, with fewer concurrent requests"
})

const databaseAway = new Unavailable({
  message: "The service cannot reach its database",
  hint: "Try again in a few seconds"
})

const databaseFull = new Unavailable({
  message: "The service cannot store data because its database is full",
  hint: "Nothing was changed; try again later"
})

/** PostgreSQL cannot store NUL or unpaired surrogates; jsonb reports them with the general code 22P02, so the detail decides. */
const isUnstorable = (value: unknown): boolean =>
  causesOf(value).some((cause) =>
    Predicate.hasProperty(cause, "code") && (cause.code === "22021" || cause.code === "22P05" ||
      (cause.code === "22P02" && Predicate.hasProperty(cause, "detail") && /surrogate/i.test(String(cause.detail))))
  )

const unstorable = new ValidationFailed({
  message: "A string contains a character that cannot be stored: NUL or an unpaired surrogate"
})

const unexpected = Effect.fn("Envelope.unexpected")(function*(cause: Cause.Cause<unknown>) {
  const requestId = yield* RequestId
  yield* Effect.logError("A request failed unexpectedly", cause)
  return new Internal({
    message: "Internal server error",
    hint: `Try again with the same Idempotency-Key. If the error persists, report request ${requestId}`
  })
})

/** The failure to report for a cause: the expected one, or a generic one for unexpected errors, which are logged. */
export const failureOf = (cause: Cause.Cause<unknown>): Effect.Effect<Failure> => {
  const all = [...Cause.failures(cause), ...Cause.defects(cause)]
  const expected = all.find(isFailure)
  if (expected !== undefined) return Effect.succeed(expected)
  // The pool logs the beginning and the end of an overload; no line for each request.
  if (all.some(isDatabaseBusy)) return Effect.succeed(databaseBusy)
  if (all.some(isDatabaseAway)) {
    return Effect.as(Effect.logWarning("Request failed: the database is unreachable"), databaseAway)
  }
  if (all.some(isDatabaseFull)) {
    return Effect.as(Effect.logError("Request failed: the disk or memory of the database is full"), databaseFull)
  }
  if (all.some(isUnstorable)) return Effect.succeed(unstorable)
  if (all.some((one) => one instanceof HttpServerError.RequestError)) {
    return Effect.succeed(new BadRequest({ message: "The request could not be read" }))
  }
  return unexpected(cause)
}

/** Turns every failure of an app into its response; interruption passes through. */
export const enveloped = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catchAllCause(
    app,
    (cause) => Cause.isInterruptedOnly(cause) ? Effect.interrupt : Effect.flatMap(failureOf(cause), respondTraced)
  )
