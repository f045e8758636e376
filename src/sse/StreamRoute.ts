/** GET /api/v1/stream: streams the workspace's events as they happen. (Specification: Events, Live stream.) */
import { HttpApiBuilder, type HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Context, Effect, type Layer, Stream } from "effect"
import { type AccessNeeds, authenticate } from "../http/guard/Authorization.ts"
import { clientAddress } from "../http/request/ClientAddress.ts"
import { WatchAccess } from "../operations/access/WatchAccess.ts"
import { FollowEvents } from "../operations/event/FollowEvents.ts"
import { StreamTokens } from "../operations/event/StreamTokens.ts"
import { liveStream } from "./LiveStream.ts"
import { streamQuery } from "./StreamQuery.ts"

/** Proxies must neither store nor buffer the stream. */
const headers = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }

/** The caller that opens the stream, now and checked again later: by header or cookie, or by the token of the query. */
const opener = (
  request: HttpServerRequest.HttpServerRequest,
  tokens: StreamTokens,
  token: string | ReadonlyArray<string> | undefined
) =>
  typeof token === "string" && token !== "" && !("authorization" in request.headers)
    ? { caller: tokens.caller(token), again: tokens.callerAgain(token) }
    : { caller: authenticate(request), again: authenticate(request) }

/** All failures are answered before the stream starts; after that, the only error signal is closing it. */
const openStream = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  const following = yield* FollowEvents
  const access = yield* WatchAccess
  const search = yield* HttpServerRequest.ParsedSearchParams
  const { again, caller: opening } = opener(request, yield* StreamTokens, search["token"])
  const caller = yield* opening
  yield* following.permit(caller)
  const query = yield* streamQuery(request, search)
  // The follower lives until the request's scope closes: when the stream ends or the client disconnects.
  const follower = yield* following.follow(caller, clientAddress(request), query)
  const context = yield* Effect.context<AccessNeeds>()
  const frames = Stream.interruptWhen(
    yield* liveStream(follower),
    Effect.provide(access.untilRefused(caller, again), context)
  )
  return HttpServerResponse.stream(frames, { contentType: "text/event-stream", headers })
})

type Needs = AccessNeeds | FollowEvents | StreamTokens | WatchAccess

export const layer: Layer.Layer<never, never, Needs> = HttpApiBuilder.Router.use((router) =>
  Effect.flatMap(Effect.context<Needs>(), (context) =>
    router.get(
      "/api/v1/stream",
      // The request's services take precedence: a listener in this layer's scope would never be removed.
      Effect.mapInputContext(
        openStream,
        (input: Context.Context<HttpRouter.HttpRouter.Provided>) => Context.merge(context, input)
      )
    ))
)
