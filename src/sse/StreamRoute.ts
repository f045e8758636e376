/** GET /api/v1/stream: the workspace's events as they happen. (Specification: Events, Live stream.) */
import { HttpApiBuilder, type HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Context, DateTime, Effect, type Layer, Option, Stream } from "effect"
import type { Access } from "../../schema/api/Access.ts"
import { Forbidden } from "../../schema/Errors.ts"
import { type AccessNeeds, authenticate } from "../http/guard/Authorization.ts"
import { AccessEnded } from "../store/access/AccessEnded.ts"
import { Keys } from "../store/access/Keys.ts"
import { EventCursors } from "../store/event/EventCursors.ts"
import type { EventLog } from "../store/event/EventLog.ts"
import { LiveHub } from "./LiveHub.ts"
import { liveStream } from "./LiveStream.ts"
import { streamQuery } from "./StreamQuery.ts"

/** Proxies must neither keep nor gather what is sent. */
const headers = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }

/** What lets a key follow the live stream: it tells what this operation tells. */
const asOperation = "list_events"

const notListed = new Forbidden({
  message: "This key may not follow the live stream",
  hint: `It needs ${asOperation} among its operations`
})

/** When a key ends by itself; a session outlasts every stream. */
const expiryOf = Effect.fn("StreamRoute.expiryOf")(function*({ principal, workspaceId }: Access["Type"]) {
  if (principal._tag === "User") return null
  const key = yield* Effect.flatMap(Keys, (keys) => keys.get(workspaceId, principal.keyId))
  return Option.isSome(key) ? key.value.expiresAt : null
})

/** Waits until the caller is let in no more: revoked, signed out, no member any longer, or expired. */
const untilRefused = Effect.fn("StreamRoute.untilRefused")(function*(
  request: HttpServerRequest.HttpServerRequest,
  caller: Access["Type"]
) {
  const { principal, workspaceId } = caller
  const ended = yield* AccessEnded
  const expiresAt = yield* expiryOf(caller)
  const now = yield* DateTime.now
  const expiry = expiresAt === null
    ? Stream.never
    : Stream.fromEffect(Effect.sleep(Math.max(0, DateTime.distance(now, expiresAt))))
  const ids = principal._tag === "Key" ? [principal.keyId] : [principal.sessionId, principal.userId]
  const refused = authenticate(request).pipe(
    Effect.map((again) => again.workspaceId !== workspaceId),
    Effect.catchAll(() => Effect.succeed(true)),
    // A database that is away ends no stream: when it is back, whoever listens is told to look.
    Effect.catchAllDefect(() => Effect.succeed(false))
  )
  yield* Stream.merge(ended.heardOf(ids), expiry).pipe(
    Stream.mapEffect(() => refused),
    Stream.takeUntil((over) => over),
    Stream.runDrain
  )
})

/** Refusals are answered before the stream begins; from then on only its end can tell of a fault. */
const openStream = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  const caller = yield* authenticate(request)
  if (caller.operations !== null && !caller.operations.has(asOperation)) return yield* notListed
  const { workspaceId } = caller
  const { after, checks, types } = yield* streamQuery(request, yield* HttpServerRequest.ParsedSearchParams)
  const cursors = yield* EventCursors
  const cursor = yield* Option.match(after, {
    onNone: () => cursors.head(workspaceId),
    onSome: ({ field, id }) => cursors.at(workspaceId, id, field)
  })
  // Listens for as long as the request's scope lives: until the stream has ended or the client has left.
  const listener = yield* Effect.flatMap(LiveHub, (hub) => hub.listen(workspaceId, cursor, checks))
  const context = yield* Effect.context<AccessEnded | AccessNeeds | Keys>()
  const frames = Stream.interruptWhen(
    yield* liveStream(listener, types),
    Effect.provide(untilRefused(request, caller), context)
  )
  return HttpServerResponse.stream(frames, { contentType: "text/event-stream", headers })
})

type Needs = AccessEnded | AccessNeeds | EventCursors | EventLog | Keys | LiveHub

export const layer: Layer.Layer<never, never, Needs> = HttpApiBuilder.Router.use((router) =>
  Effect.flatMap(Effect.context<Needs>(), (context) =>
    router.get(
      "/api/v1/stream",
      // The request's own services win: this layer has a scope too, and a listener in it would never leave.
      Effect.mapInputContext(
        openStream,
        (input: Context.Context<HttpRouter.HttpRouter.Provided>) => Context.merge(context, input)
      )
    ))
)
