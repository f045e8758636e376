/** GET /api/v1/stream: the workspace's events as they happen. (Specification: Events, Live stream.) */
import { HttpApiBuilder, type HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Context, Effect, type Layer, Stream } from "effect"
import { type AccessNeeds, authenticate } from "../http/guard/Authorization.ts"
import { WatchAccess } from "../operations/access/WatchAccess.ts"
import { FollowEvents } from "../operations/event/FollowEvents.ts"
import { liveStream } from "./LiveStream.ts"
import { streamQuery } from "./StreamQuery.ts"

/** Proxies must neither store nor buffer the stream. */
const headers = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }

/** Refusals are answered before the stream starts; from then on only its end can report a fault. */
const openStream = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  const following = yield* FollowEvents
  const access = yield* WatchAccess
  const caller = yield* authenticate(request)
  yield* following.permit(caller)
  const query = yield* streamQuery(request, yield* HttpServerRequest.ParsedSearchParams)
  // The follower lives as long as the request's scope: until the stream has ended or the client has left.
  const follower = yield* following.follow(caller.workspaceId, query)
  const context = yield* Effect.context<AccessNeeds>()
  const frames = Stream.interruptWhen(
    yield* liveStream(follower),
    Effect.provide(access.untilRefused(caller, authenticate(request)), context)
  )
  return HttpServerResponse.stream(frames, { contentType: "text/event-stream", headers })
})

type Needs = AccessNeeds | FollowEvents | WatchAccess

export const layer: Layer.Layer<never, never, Needs> = HttpApiBuilder.Router.use((router) =>
  Effect.flatMap(Effect.context<Needs>(), (context) =>
    router.get(
      "/api/v1/stream",
      // The request's own services take precedence: this layer has a scope too, and a listener in it would never leave.
      Effect.mapInputContext(
        openStream,
        (input: Context.Context<HttpRouter.HttpRouter.Provided>) => Context.merge(context, input)
      )
    ))
)
