/** GET /api/v1/stream: the workspace's events as they happen. (Specification: Events, Live stream.) */
import { HttpApiBuilder, type HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Context, Effect, type Layer, Option } from "effect"
import { authenticate } from "../http/Authorization.ts"
import { EventCursors } from "../store/EventCursors.ts"
import type { EventLog } from "../store/EventLog.ts"
import type { Keys } from "../store/Keys.ts"
import { LiveHub } from "./LiveHub.ts"
import { liveStream } from "./LiveStream.ts"
import { streamQuery } from "./StreamQuery.ts"

/** Proxies must neither keep nor gather what is sent. */
const headers = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }

/** Refusals are answered before the stream begins; from then on only its end can tell of a fault. */
const openStream = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { workspaceId } = yield* authenticate(request)
  const { after, checks, types } = yield* streamQuery(request, yield* HttpServerRequest.ParsedSearchParams)
  const cursors = yield* EventCursors
  const cursor = yield* Option.match(after, {
    onNone: () => cursors.head(workspaceId),
    onSome: ({ field, id }) => cursors.at(workspaceId, id, field)
  })
  // Listens for as long as the request's scope lives: until the stream has ended or the client has left.
  const listener = yield* Effect.flatMap(LiveHub, (hub) => hub.listen(workspaceId, cursor, checks))
  return HttpServerResponse.stream(yield* liveStream(listener, types), { contentType: "text/event-stream", headers })
})

type Needs = Keys | EventCursors | EventLog | LiveHub

export const layer: Layer.Layer<never, never, Needs> = HttpApiBuilder.Router.use((router) =>
  Effect.flatMap(Effect.context<Needs>(), (context) =>
    router.get(
      "/api/v1/stream",
      // The request's own services win: this layer has a scope too, and a listener in it would never leave.
      Effect.mapInputContext(openStream, (input: Context.Context<HttpRouter.HttpRouter.Provided>) =>
        Context.merge(context, input))
    ))
)
