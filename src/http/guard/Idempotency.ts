/** Runs a request that carries an idempotency key once, and answers its repeats with the same bytes. */
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Fiber, Option, type Scope, Stream } from "effect"
import { createHash } from "node:crypto"
import type { Access } from "../../../schema/api/Access.ts"
import { Conflict } from "../../../schema/Errors.ts"
import {
  type IdempotentRequests,
  type RepeatableRequest,
  type Standing,
  type StoredAnswer
} from "../../store/access/IdempotentRequests.ts"
import type { Operation } from "../openapi/Operations.ts"
import { validationFailed } from "../request/FieldIssues.ts"

const header = "idempotency-key"

/** (Specification: Limits, idempotency.) */
const maxKeyLength = 100

/** So long a repeat waits for the first to end. */
const firstRunTimeout = "60 seconds"

const refusedKey = (message: string) => validationFailed([{ path: "Idempotency-Key", message }])

const otherRequest = refusedKey("This key was used for another request to this endpoint within 24 hours; use a new one")

const stillRunning = new Conflict({
  message: "The first request with this Idempotency-Key is still running",
  hint: "Try again in a moment with the same key"
})

const hash = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()

/** The same text for the same fields, whatever their order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner) ?? ""

/** The request with its body read at most once: to tell it from others, and by its handler. */
const readOnce = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<HttpServerRequest.HttpServerRequest> =>
  Effect.map(Effect.cached(request.json), (json) => Object.create(request, { json: { value: json } }))

const toRepeat = (
  operation: Operation,
  { operations, workspaceId }: Access["Type"],
  key: string,
  request: HttpServerRequest.HttpServerRequest
) =>
  Effect.gen(function*() {
    const { params } = yield* HttpRouter.RouteContext
    const query = yield* HttpServerRequest.ParsedSearchParams
    const fields = Option.isSome(operation.payload) ? yield* request.json : null
    // An answer may hold what only its first caller could be given: a key with a list repeats those of its like.
    const asked = operations === null ? [query, fields] : [query, fields, [...operations].sort()]
    const repeatable: RepeatableRequest = {
      workspaceId,
      operation: operation.id,
      place: hash(canonical([operation.id, params, key])),
      fingerprint: hash(canonical(asked))
    }
    return repeatable
  })

const replayed = ({ body, contentType, status }: StoredAnswer) =>
  HttpServerResponse.uint8Array(body, {
    status,
    headers: { "idempotent-replayed": "true" },
    ...(contentType === null ? {} : { contentType })
  })

/** An answer that can be kept: a success that is there as a whole. */
const storable = ({ body, headers, status }: HttpServerResponse.HttpServerResponse): Option.Option<StoredAnswer> =>
  status >= 400
    ? Option.none()
    : body._tag === "Uint8Array"
    ? Option.some({ status, contentType: headers["content-type"] ?? body.contentType, body: body.body })
    : body._tag === "Empty"
    ? Option.some({ status, contentType: null, body: new Uint8Array() })
    : Option.none()

type Settled = Exclude<Standing, { readonly _tag: "UnderWay" }>

const isSettled = (standing: Standing): standing is Settled => standing._tag !== "UnderWay"

/** How the request stands once it is not under way elsewhere any more. */
const settled = (requests: IdempotentRequests, repeatable: RepeatableRequest) =>
  Effect.gen(function*() {
    const first = yield* requests.standing(repeatable)
    if (isSettled(first)) return first
    const later = yield* requests.news(repeatable).pipe(
      Stream.mapEffect(() => requests.standing(repeatable)),
      Stream.filter(isSettled),
      Stream.runHead,
      Effect.timeoutFail({ duration: firstRunTimeout, onTimeout: () => stillRunning })
    )
    return yield* Effect.orDie(later)
  })

/**
 * Runs `handler` under a claim. It goes on when its client leaves, so that the repeat of a request which was given up finds
 * its answer; only the end of the process ends it.
 */
const runOnce = <E, R>(
  requests: IdempotentRequests,
  repeatable: RepeatableRequest,
  owner: string,
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  scope: Scope.Scope
) => {
  const settle = (response: HttpServerResponse.HttpServerResponse) =>
    Option.match(storable(response), {
      onNone: () => requests.release(repeatable, owner),
      onSome: (answer) => requests.finish(repeatable, owner, answer)
    })
  // What cannot be written now runs out by itself; the answer is given all the same.
  const quietly = (effect: Effect.Effect<void>) =>
    Effect.catchAllCause(effect, (cause) => Effect.logError("An idempotent request could not be settled", cause))
  const run = Effect.uninterruptibleMask((restore) =>
    restore(Effect.raceFirst(handler, requests.renew(repeatable, owner))).pipe(
      Effect.onError(() => quietly(requests.release(repeatable, owner))),
      Effect.tap((response) => quietly(settle(response)))
    )
  )
  return Effect.flatMap(Effect.forkIn(run, scope), Fiber.join)
}

/** Surrounds the handler of a guarded POST; without the header nothing changes. */
export const idempotent = (
  requests: IdempotentRequests,
  operation: Operation,
  caller: Access["Type"],
  scope: Scope.Scope
) =>
<E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function*() {
    const given = yield* HttpServerRequest.HttpServerRequest
    const key = given.headers[header]
    if (key === undefined) return yield* handler
    if (key === "") return yield* refusedKey("Must not be empty")
    if (key.length > maxKeyLength) return yield* refusedKey(`At most ${maxKeyLength} characters`)
    const request = yield* readOnce(given)
    const repeatable = yield* toRepeat(operation, caller, key, request)
    const standing = yield* settled(requests, repeatable)
    if (standing._tag === "Answered") return replayed(standing.answer)
    if (standing._tag === "Different") return yield* otherRequest
    const once = Effect.provideService(handler, HttpServerRequest.HttpServerRequest, request)
    return yield* runOnce(requests, repeatable, standing.owner, once, scope)
  })
