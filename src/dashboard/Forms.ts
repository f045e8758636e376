/** Reads the forms that dashboard pages post (same origin only, decoded by a schema), and answers them with a redirect. */
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Predicate, Schema } from "effect"
import { fieldIssues, validationFailed } from "../domain/input/FieldIssues.ts"
import { readText, requireFewPairs } from "../http/request/RequestBody.ts"
import { isSameOrigin } from "../http/request/RequestSite.ts"
import { foreignWrite } from "../operations/access/Authenticate.ts"

/** Fails if another site sent the request (CSRF protection). */
export const requireSameOrigin = Effect.gen(function*() {
  if (!isSameOrigin(yield* HttpServerRequest.HttpServerRequest)) return yield* foreignWrite
})

/** The texts of posted forms by the connection's message, readable only once. A failure shows the typed values again. */
const postedTexts = new WeakMap<object, string>()

/** The posted form as text, up to `limit` bytes. It may be asked for repeatedly. */
export const postedText = Effect.fn("Forms.postedText")(function*(limit: number | null = null) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { source } = request
  const known = Predicate.isObject(source) ? postedTexts.get(source) : undefined
  if (known !== undefined) return known
  const text = yield* readText(request, limit)
  yield* requireFewPairs(text)
  if (Predicate.isObject(source)) postedTexts.set(source, text)
  return text
})

/** The fields of a form, without spaces around them. The last value of a repeated field counts; empty fields count as missing. */
export const form = <A, I>(schema: Schema.Schema<A, I>) =>
  Effect.gen(function*() {
    yield* requireSameOrigin
    const given = [...new URLSearchParams(yield* postedText())].map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== "")
    return yield* Effect.mapError(
      Schema.decodeUnknown(schema, { errors: "all" })(Object.fromEntries(given)),
      (error) => validationFailed(fieldIssues(error, "texts"))
    )
  })

/** Redirects after a POST with 303, so that reloading or going back does not submit the form again. */
export const goTo = (path: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 303,
    headers: { location: path, "cache-control": "no-store", "referrer-policy": "same-origin" }
  })
