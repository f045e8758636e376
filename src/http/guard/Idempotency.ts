/** Reads idempotency keys and answers repeats with the same bytes. */
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Option, type Scope } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { StoredAnswer } from "../../../schema/access/StoredAnswer.ts"
import type { IdempotentCalls } from "../../operations/access/IdempotentCalls.ts"
import type { Operation } from "../openapi/Operations.ts"
import { validationFailed } from "../request/FieldIssues.ts"

const header = "idempotency-key"

/** (Specification: Limits, idempotency.) */
const maxKeyLength = 100

const refusedKey = (message: string) => validationFailed([{ path: "Idempotency-Key", message }])

/** Caches the parsed body, because both the fingerprint and the handler read it. */
const readOnce = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<HttpServerRequest.HttpServerRequest> =>
  Effect.map(Effect.cached(request.json), (json) => Object.create(request, { json: { value: json } }))

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

/** Wraps the handler of a guarded POST; requests without the header pass through. */
export const idempotent =
  (calls: IdempotentCalls, operation: Operation, caller: Caller, scope: Scope.Scope) =>
  <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.gen(function*() {
      const given = yield* HttpServerRequest.HttpServerRequest
      const key = given.headers[header]
      if (key === undefined) return yield* handler
      if (key === "") return yield* refusedKey("Must not be empty")
      if (key.length > maxKeyLength) return yield* refusedKey(`At most ${maxKeyLength} characters`)
      const request = yield* readOnce(given)
      const { params } = yield* HttpRouter.RouteContext
      const query = yield* HttpServerRequest.ParsedSearchParams
      const fields = Option.isSome(operation.payload) ? yield* request.json : null
      const call = { caller, operation: operation.id, key, params, input: [query, fields] }
      const work = Effect.provideService(handler, HttpServerRequest.HttpServerRequest, request)
      const outcome = yield* calls.once(call, work, storable, scope)
      return outcome._tag === "Ran" ? outcome.result : replayed(outcome.answer)
    })
