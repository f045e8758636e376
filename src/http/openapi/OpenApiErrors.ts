/** The error responses of the OpenAPI document: one envelope, one response per status. */
import { Array, Order } from "effect"
import * as Errors from "../../../schema/Errors.ts"
import { isIdempotent, type Operation } from "./Operations.ts"

/** The error responses by name, each with its meaning and an example. */
const responses = {
  BadRequest: {
    meaning: "Malformed request, such as a JSON body that is not an object",
    example: new Errors.BadRequest({
      message: "The body is not valid JSON",
      hint: "Send a JSON object with Content-Type: application/json"
    })
  },
  Unauthorized: {
    meaning: "Missing, malformed, revoked or expired API key",
    example: new Errors.Unauthorized({
      message: "API key required",
      hint: "Send the header: Authorization: Bearer bell_live_..."
    })
  },
  PlanLimit: {
    meaning: "The workspace's plan does not allow this; details.upgrade names a plan that does",
    example: new Errors.PlanLimit({
      message: "The plan free allows 50 monitors",
      hint: "Upgrade the workspace, or delete a monitor",
      details: { upgrade: { plan: "starter", name: "Starter" } }
    })
  },
  Forbidden: {
    meaning: "Authenticated but not permitted, such as a write with a read-only key",
    example: new Errors.Forbidden({ message: "This API key may read only", hint: "Use a key with the write scope" })
  },
  NotFound: {
    meaning: "No such resource in this workspace",
    example: new Errors.NotFound({ message: "No such resource in this workspace" })
  },
  Conflict: {
    meaning: "Already taken, or based on a stale version",
    example: new Errors.Conflict({ message: "The slug acme is taken", hint: "Choose another slug" })
  },
  PayloadTooLarge: {
    meaning: "The body is larger than 1 MiB",
    example: new Errors.PayloadTooLarge({ message: "The body is larger than 1 MiB" })
  },
  ValidationFailed: {
    meaning: "Input failed validation; details is an array of {path, message}",
    example: new Errors.ValidationFailed({
      message: "The field limit is invalid",
      details: [{ path: "limit", message: "Expected a whole number from 1 to 500, got \"0\"" }]
    })
  },
  RateLimited: {
    meaning: "Too many requests; retry after the seconds in Retry-After",
    example: new Errors.RateLimited({
      message: "At most 5 calls in 1h",
      hint: "Try again in 1260 s",
      details: { retryAfterSec: 1260 }
    })
  },
  Internal: {
    meaning: "Server error; retry with the same Idempotency-Key",
    example: new Errors.Internal({
      message: "Internal server error",
      hint: "Try again with the same Idempotency-Key. If the error persists, report request 3f0c5ad2-6d0b-4a52-9b5e-0f0f5c1a8e11"
    })
  },
  Unavailable: {
    meaning: "A dependency is unavailable; retry later",
    example: new Errors.Unavailable({
      message: "The service cannot reach its database",
      hint: "Try again in a few seconds"
    })
  }
} satisfies Readonly<Record<string, { readonly meaning: string; readonly example: Errors.Failure }>>

export const failureRows = Object.entries(responses).map(([name, { example, meaning }]) => ({
  name,
  status: Errors.statusOf(example),
  meaning: `${meaning} (${example._tag})`,
  error: Errors.envelopeOf<string, unknown>(example).error
}))

export const errorSchema = {
  type: "object",
  description: "The envelope of every error response",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: {
        code: {
          type: "string",
          description: "Stable error code; use it for decisions in code",
          enum: Array.dedupe(failureRows.map(({ error }) => error.code))
        },
        message: { type: "string", description: "Message for people; the wording may change" },
        hint: { type: "string", description: "What to do next" },
        details: {
          description: "Structured context; for validation_failed an array of {path, message}"
        },
        traceId: { type: "string", description: "The trace of the request, where the operator records traces" }
      }
    }
  }
}

const retryAfter = {
  "Retry-After": { description: "Seconds until the next window starts", schema: { type: "integer" }, example: 1260 }
}

export const errorResponses = Object.fromEntries(failureRows.map(({ error, meaning, name, status }) => [name, {
  description: meaning,
  ...(status === 429 ? { headers: retryAfter } : {}),
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" }, example: { error } } }
}]))

const statusesOf = (operation: Operation): ReadonlyArray<number> => {
  const { errors, payload, query, scope } = operation
  const hasBody = payload._tag === "Some"
  const found = [
    ...errors,
    ...(hasBody ? [413] : []),
    // An idempotency key can be refused, too.
    ...(hasBody || query._tag === "Some" || isIdempotent(operation) ? [422] : []),
    ...(scope === "public" ? [] : [401, 403]),
    400,
    500,
    503
  ]
  return Array.sort(Array.dedupe(found), Order.number)
}

export const failuresOf = (operation: Operation): typeof failureRows => {
  const found = statusesOf(operation)
  return failureRows.filter(({ status }) => found.includes(status))
}
