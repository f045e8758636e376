/** Every error the API returns: a stable code, an HTTP status and the shared envelope. */
import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { optional, textLike } from "./Fields.ts"

const fieldsWith = <D, I>(details: Schema.Schema<D, I>) => ({
  message: Schema.String,
  hint: optional(Schema.String, "What to do next"),
  details: optional(details)
})

const fields = fieldsWith(Schema.Unknown)

/** A problem of one field of an input. */
export const InvalidField = Schema.Struct({
  path: textLike("assertions.0.op", "Dotted path of the field; empty for the whole input"),
  message: Schema.String
}).annotations({ identifier: "InvalidField" })
export type InvalidField = typeof InvalidField.Type

const invalidInput = Schema.Array(InvalidField)

type Fields<D> = { readonly message: string; readonly hint?: string; readonly details?: D }

const isAlone = Schema.is(Schema.Tuple(InvalidField))

/** The words of a message, without what surrounds and ends them. */
const words = (message: string): ReadonlyArray<string> => message.split(/[\s"'`,;:()?]+/).map((word) => word.replace(/\.$/, ""))

/** Whether a message names the field at a path, or one below it. */
export const namesField = (message: string, path: string): boolean =>
  words(message).some((word) => word === path || word.startsWith(`${path}.`))

/**
 * The body of a failure. A message that is the reason of a single refused field names this field, for readers of the message alone.
 * `traceId` names the trace of the request, if it has one.
 */
export const envelopeOf = <Code extends string, D>(
  { _tag, details, hint, message }: Fields<D> & { readonly _tag: Code },
  traceId: string | null = null
) => {
  const alone = isAlone(details) && details[0].message === message ? details[0].path : null
  return {
    error: {
      code: _tag,
      message: alone === null || alone === "" || namesField(message, alone) ? message : `${alone}: ${message}`,
      ...(hint === undefined ? {} : { hint }),
      ...(details === undefined || alone === "" ? {} : { details }),
      ...(traceId === null ? {} : { traceId })
    }
  }
}

export class BadRequest extends Schema.TaggedError<BadRequest>()("bad_request", fields) {}
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>("MethodNotAllowed")("bad_request", fields) {}
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>("PayloadTooLarge")("bad_request", fields) {}
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("unauthorized", fields) {}
export class PlanLimit extends Schema.TaggedError<PlanLimit>()("plan_limit", fields) {}
export class Forbidden extends Schema.TaggedError<Forbidden>()("forbidden", fields) {}
export class NotFound extends Schema.TaggedError<NotFound>()("not_found", fields) {}
export class Conflict extends Schema.TaggedError<Conflict>()("conflict", fields) {}
export class ValidationFailed extends Schema.TaggedError<ValidationFailed>()("validation_failed", fieldsWith(invalidInput)) {}
export class RateLimited extends Schema.TaggedError<RateLimited>()("rate_limited", fields) {}
export class Internal extends Schema.TaggedError<Internal>()("internal", fields) {}
export class Unavailable extends Schema.TaggedError<Unavailable>()("unavailable", fields) {}

const classes = [
  BadRequest,
  MethodNotAllowed,
  PayloadTooLarge,
  Unauthorized,
  PlanLimit,
  Forbidden,
  NotFound,
  Conflict,
  ValidationFailed,
  RateLimited,
  Internal,
  Unavailable
] as const

/** Any error a client can receive. */
export type Failure = InstanceType<(typeof classes)[number]>

export const isFailure = (value: unknown): value is Failure => classes.some((Class) => value instanceof Class)

/** The same failure with another hint. */
export const withHint = (failure: Failure, hint: string): Failure =>
  failure.hint === hint ? failure : Object.create(failure, { hint: { value: hint, enumerable: true } })

const statuses = {
  bad_request: 400,
  unauthorized: 401,
  plan_limit: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  validation_failed: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503
} as const satisfies Record<Failure["_tag"], number>

export const statusOf = (failure: Failure): number =>
  failure instanceof MethodNotAllowed ? 405 : failure instanceof PayloadTooLarge ? 413 : statuses[failure._tag]

/** The wire form of an error class: `{error: {code, message, hint?, details?}}` with its status. */
const envelopeWith = <D>(details: Schema.Schema<D>) =>
<E extends Fields<D> & { readonly _tag: Failure["_tag"] }>(
  Self: { new(props: Fields<D>): E; readonly _tag: E["_tag"] } & Schema.Schema<E, Fields<D> & { readonly _tag: E["_tag"] }>,
  meaning: string,
  status: number = statuses[Self._tag]
) =>
  Schema.transform(
    Schema.Struct({ error: Schema.Struct({ code: Schema.Literal(Self._tag), ...fieldsWith(details) }) }),
    Schema.typeSchema(Self),
    {
      strict: true,
      decode: ({ error: { code: _, ...rest } }) => new Self(rest),
      encode: (failure) => envelopeOf(failure)
    }
  ).annotations(HttpApiSchema.annotations({ status, description: meaning }))

const envelope = envelopeWith(Schema.Unknown)

/** The errors in the form that endpoints declare. */
export const wire = {
  badRequest: envelope(BadRequest, "Malformed request, such as a JSON body that is not an object"),
  methodNotAllowed: envelope(MethodNotAllowed, "The path does not support this method", 405),
  payloadTooLarge: envelope(PayloadTooLarge, "The body is larger than 1 MiB", 413),
  unauthorized: envelope(Unauthorized, "Missing, malformed, revoked or expired key"),
  planLimit: envelope(PlanLimit, "The workspace's plan does not allow this"),
  forbidden: envelope(Forbidden, "The caller lacks permission"),
  notFound: envelope(NotFound, "No such resource in this workspace"),
  conflict: envelope(Conflict, "The value is already taken, or the request is based on a stale version"),
  validationFailed: envelopeWith(invalidInput)(
    ValidationFailed,
    "Input failed validation; details is an array of {path, message}"
  ),
  rateLimited: envelope(RateLimited, "Too many requests; retry after the current window ends"),
  internal: envelope(Internal, "Server error; retry with the same Idempotency-Key"),
  unavailable: envelope(Unavailable, "A dependency is unavailable")
} as const
