/** Reads the forms that dashboard pages post: same origin only, decoded by a schema. */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { isSameOrigin } from "../http/guard/SessionCookie.ts"
import { fieldIssues, validationFailed } from "../http/request/FieldIssues.ts"
import { readText } from "../http/request/RequestBody.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { foreignWrite } from "../operations/access/Authenticate.ts"

/** Fails if another site sent the request (CSRF protection). */
export const requireSameOrigin = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!isSameOrigin(request, yield* BaseUrl)) return yield* foreignWrite
})

/** The fields of a form. The last value of a repeated field counts; empty fields count as missing. */
export const form = <A, I>(schema: Schema.Schema<A, I>) =>
  Effect.gen(function*() {
    yield* requireSameOrigin
    const text = yield* readText(yield* HttpServerRequest.HttpServerRequest)
    const given = [...new URLSearchParams(text)].filter(([, value]) => value.trim() !== "")
    return yield* Effect.mapError(
      Schema.decodeUnknown(schema, { errors: "all" })(Object.fromEntries(given)),
      (error) => validationFailed(fieldIssues(error, "texts"))
    )
  })
