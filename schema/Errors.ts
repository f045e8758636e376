/** Every error the interface answers with: a stable code, an HTTP status and the one envelope. */
import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { optional } from "./Fields.ts"

const fields = {
  message: Schema.String,
  hint: optional(Schema.String.annotations({ description: "What to do next" })),
  details: optional(Schema.Unknown)
}

type Fields = { readonly message: string; readonly hint?: string; readonly details?: unknown }

/** The wire form of an error class: `{error: {code, message, hint?, details?}}` with its status. */
const envelope = <E extends Fields & { readonly _tag: string }>(
  Self: { new(props: Fields): E } & Schema.Schema<E, Fields & { readonly _tag: E["_tag"] }>,
  code: E["_tag"],
  status: number,
  meaning: string
) =>
  Schema.transform(
    Schema.Struct({ error: Schema.Struct({ code: Schema.Literal(code), ...fields }) }),
    Schema.typeSchema(Self),
    {
      strict: true,
      decode: ({ error: { code: _, ...rest } }) => new Self(rest),
      encode: ({ _tag, details, hint, message }) => ({
        error: { code: _tag, message, ...(hint === undefined ? {} : { hint }), ...(details === undefined ? {} : { details }) }
      })
    }
  ).annotations(HttpApiSchema.annotations({ status, description: meaning }))

export class BadRequest extends Schema.TaggedError<BadRequest>()("bad_request", fields) {}
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>("MethodNotAllowed")("bad_request", fields) {}
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("unauthorized", fields) {}
export class PlanLimit extends Schema.TaggedError<PlanLimit>()("plan_limit", fields) {}
export class Forbidden extends Schema.TaggedError<Forbidden>()("forbidden", fields) {}
export class NotFound extends Schema.TaggedError<NotFound>()("not_found", fields) {}
export class Conflict extends Schema.TaggedError<Conflict>()("conflict", fields) {}
export class ValidationFailed extends Schema.TaggedError<ValidationFailed>()("validation_failed", fields) {}
export class RateLimited extends Schema.TaggedError<RateLimited>()("rate_limited", fields) {}
export class Internal extends Schema.TaggedError<Internal>()("internal", fields) {}
export class Unavailable extends Schema.TaggedError<Unavailable>()("unavailable", fields) {}

/** The errors as endpoints declare them. */
export const wire = {
  badRequest: envelope(BadRequest, "bad_request", 400, "Malformed request, such as a JSON body that is not an object"),
  methodNotAllowed: envelope(MethodNotAllowed, "bad_request", 405, "The path exists, but not with this method"),
  unauthorized: envelope(Unauthorized, "unauthorized", 401, "Missing, malformed, revoked or expired key"),
  planLimit: envelope(PlanLimit, "plan_limit", 402, "The workspace plan does not allow it"),
  forbidden: envelope(Forbidden, "forbidden", 403, "Authenticated, but not allowed"),
  notFound: envelope(NotFound, "not_found", 404, "No such resource in this workspace"),
  conflict: envelope(Conflict, "conflict", 409, "Already taken, or based on a stale version"),
  validationFailed: envelope(
    ValidationFailed, "validation_failed", 422, "Input failed validation; details is an array of {path, message}"
  ),
  rateLimited: envelope(RateLimited, "rate_limited", 429, "Too many requests; wait for the next window"),
  internal: envelope(Internal, "internal", 500, "A fault of the server; retry with the same Idempotency-Key"),
  unavailable: envelope(Unavailable, "unavailable", 503, "A dependency is unavailable")
} as const

/** Any error a client may meet. */
export type Failure =
  | BadRequest | MethodNotAllowed | Unauthorized | PlanLimit | Forbidden | NotFound | Conflict | ValidationFailed
  | RateLimited | Internal | Unavailable
