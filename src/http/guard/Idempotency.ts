/** Reads idempotency keys and answers repeats with the same bytes. */
import { HttpServerResponse } from "@effect/platform"
import { Effect, Option, Predicate, type Scope } from "effect"
import type { StoredAnswer } from "../../../schema/access/StoredAnswer.ts"
import { validationFailed } from "../../domain/input/FieldIssues.ts"
import type { IdempotentCalls } from "../../operations/access/IdempotentCalls.ts"
import type { Operation } from "../openapi/Operations.ts"
import type { CallHandler, OperationCall } from "../request/OperationCall.ts"
import type { GuardedCall } from "./AuditedAction.ts"

const header = "idempotency-key"

/** (Specification: Limits, Idempotency.) */
const maxKeyLength = 100

const refusedKey = (message: string) => validationFailed([{ path: "Idempotency-Key", message }])

const replayed = ({ body, contentType, status }: StoredAnswer) =>
  HttpServerResponse.uint8Array(body, {
    status,
    headers: { "idempotent-replayed": "true" },
    ...(contentType === null ? {} : { contentType })
  })

/** The stored form of a response; none for failures and streams. */
const storable = ({ body, headers, status }: HttpServerResponse.HttpServerResponse): Option.Option<StoredAnswer> =>
  status >= 400
    ? Option.none()
    : body._tag === "Uint8Array"
    ? Option.some({ status, contentType: headers["content-type"] ?? body.contentType, body: body.body })
    : body._tag === "Empty"
    ? Option.some({ status, contentType: null, body: new Uint8Array() })
    : Option.none()

/** Whether a call with this body calls another service. The body is not decoded yet, so only a clear false counts as false. */
const reachesOut = ({ reachesOut: always, reachesOutWith: flag }: Operation, fields: unknown): boolean =>
  always || (flag !== null && Predicate.isRecord(fields) &&
    !["", "false", "0", "undefined", "null"].includes(String(fields[flag])))

type Response = HttpServerResponse.HttpServerResponse

/** Wraps a handler outside its transaction, such as for its audit entry. */
export type Surrounding = <E, R>(
  handler: Effect.Effect<Response, E, R>
) => Effect.Effect<Response, E, R>

interface Run {
  readonly call: OperationCall
  readonly handler: CallHandler
  readonly recorded: Surrounding
}

/** Runs the handler of a guarded POST once per key. An operation that calls another service stores its answer afterwards. */
export const idempotent = Effect.fnUntraced(function*(
  calls: IdempotentCalls,
  { caller, operation, params }: GuardedCall,
  scope: Scope.Scope,
  { call, handler, recorded }: Run
) {
  const key = call.request.headers[header]
  if (key === undefined) return yield* recorded(handler(call))
  if (key === "") return yield* refusedKey("Must not be empty")
  if (key.length > maxKeyLength) return yield* refusedKey(`At most ${maxKeyLength} characters`)
  // Both the fingerprint and the handler read it.
  const body = yield* Effect.cached(call.body)
  const { fields } = yield* body
  const { id, privateAnswer: isPrivate } = operation
  const claim = { caller, operation: id, key, params, isPrivate, input: [call.query, fields] }
  const run = { work: handler({ ...call, body }), atomic: !reachesOut(operation, fields), around: recorded, answerOf: storable }
  const outcome = yield* calls.once(claim, run, scope)
  return outcome._tag === "Ran" ? outcome.result : replayed(outcome.answer)
})
