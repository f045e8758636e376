/** GET /api/v1/stream: streams the workspace's events as they happen. (Specification: Events, Live stream.) */
import { HttpApiBuilder, type HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Clock, Context, Duration, Effect, Either, type Layer, Option, Random, Schema, Stream } from "effect"
import type { EventType } from "../../schema/event/Event.ts"
import { eventTypes } from "../../schema/event/EventData.ts"
import { FlagText, optional } from "../../schema/Fields.ts"
import { fieldIssues, validationFailed } from "../domain/input/FieldIssues.ts"
import { retryHint } from "../domain/tools/RetryHint.ts"
import { commaList } from "../domain/tools/text/CommaList.ts"
import { nearest } from "../domain/tools/text/Nearest.ts"
import { type AccessNeeds, authenticate } from "../http/guard/Authorization.ts"
import { clientAddress } from "../http/request/ClientAddress.ts"
import { WatchAccess } from "../operations/access/WatchAccess.ts"
import { type Follower, Next } from "../operations/event/Follower.ts"
import { FollowEvents, type FollowOptions } from "../operations/event/FollowEvents.ts"
import { StreamTokens } from "../operations/event/StreamTokens.ts"
import type { FeedEntry } from "../operations/event/WorkspaceFeed.ts"

const pingEvery = Duration.toMillis("15 seconds")
const lifetime = Duration.toMillis("10 minutes")

const eventFrame = ({ id, json }: FeedEntry) => `id: ${id}\ndata: ${json}\n\n`

/** Has no id: checks cannot be replayed, so the client's position in the event log must not change. */
const checkFrame = (json: string) => `data: ${json}\n\n`

const ping = ": ping\n\n"

/** A browser's `EventSource` shows its page no comments; without pings, a line that was cut looks like a quiet one. */
const shownPing = `${ping}event: ping\ndata: {}\n\n`

/** Sent first: the reconnect delay, ms, and the id after which the stream begins, where a client that drops resumes. */
const greeting = (start: string) => `retry: 2000\nid: ${start}\n\n`

/** The last comment to a client that is cut off; its position is the last id that it received. */
const tooSlow = ": closed: this client reads more slowly than events arrive. Reconnect with Last-Event-ID to continue.\n\n"

interface Clocks {
  readonly pingAt: number
  /** 0 after the last frame. */
  readonly closeAt: number
}

/** Produces frames on demand: unread events are in the shared feed or in the database, not in a buffer of the client. */
export const liveStream = Effect.fn("LiveStream.make")(function*(follower: Follower, pings: boolean) {
  const start = yield* Clock.currentTimeMillis

  const next = (clocks: Clocks): Effect.Effect<Option.Option<readonly [string, Clocks]>> =>
    Effect.gen(function*() {
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        if (now >= clocks.closeAt) return Option.none()
        if (now >= clocks.pingAt) return Option.some([pings ? shownPing : ping, { ...clocks, pingAt: now + pingEvery }] as const)
        const news = yield* follower.next(Math.min(clocks.pingAt, clocks.closeAt) - now)
        if (Next.$is("Closing")(news)) {
          return Option.some([retryHint(yield* Random.next), { ...clocks, closeAt: 0 }] as const)
        }
        if (Next.$is("TooSlow")(news)) return Option.some([tooSlow, { ...clocks, closeAt: 0 }] as const)
        const frames = news.events.map(eventFrame).join("") + news.checks.map(checkFrame).join("")
        if (frames !== "") return Option.some([frames, clocks] as const)
      }
    })

  return Stream.unfoldEffect({ pingAt: start + pingEvery, closeAt: start + lifetime }, next).pipe(
    (frames) => Stream.concat(Stream.succeed(greeting(follower.start)), frames),
    Stream.encodeText,
    Stream.rechunk(1)
  )
})

/** The types that one entry matches: an exact type, a prefix such as `monitor.*`, or `*`. */
const matching = (entry: string): ReadonlyArray<EventType> =>
  entry === "*"
    ? eventTypes
    : entry.endsWith(".*")
    ? eventTypes.filter((type) => type.startsWith(entry.slice(0, -1)))
    : eventTypes.filter((type) => type === entry)

/** Expands comma-separated entries to exact types, null for all types; left is an entry that matches nothing. */
export const parseTypes = (text: string): Either.Either<ReadonlyArray<EventType> | null, string> => {
  const entries = commaList(text)
  const unknown = entries.find((entry) => matching(entry).length === 0)
  if (unknown !== undefined) return Either.left(unknown)
  return Either.right(entries.length === 0 || entries.includes("*") ? null : [...new Set(entries.flatMap(matching))])
}

const Query = Schema.Struct({
  types: optional(Schema.String),
  after: optional(Schema.String),
  checks: optional(FlagText),
  pings: optional(FlagText),
  /** Read before the caller is known. */
  token: optional(Schema.String)
})

const decode = Schema.decodeUnknown(Query, { errors: "all", onExcessProperty: "error" })

/** `Last-Event-ID` precedes `after`, which a browser that reconnects repeats. (Specification: Events, Live stream.) */
const streamQuery = Effect.fn("StreamQuery.read")(function*(
  request: HttpServerRequest.HttpServerRequest,
  search: Readonly<Record<string, string | ReadonlyArray<string>>>
) {
  const { after, checks = false, pings = false, types = "" } = yield* Effect.mapError(
    decode(search),
    (error) => validationFailed(fieldIssues(error, "texts"))
  )
  const parsed = parseTypes(types)
  if (Either.isLeft(parsed)) {
    const meant = nearest(parsed.left, eventTypes)
    const instead = parsed.left === "check.completed"
      ? "checks=1 adds finished checks to the stream"
      : meant === null
      ? `use prefixes such as monitor.*, *, or ${eventTypes.join(", ")}`
      : `did you mean ${meant}?`
    return yield* validationFailed([{ path: "types", message: `Unknown event type ${parsed.left.slice(0, 64)}; ${instead}` }])
  }
  const lastEventId = request.headers["last-event-id"]
  const from = lastEventId !== undefined && lastEventId !== ""
    ? Option.some({ id: lastEventId, field: "Last-Event-ID" })
    : after !== undefined && after !== ""
    ? Option.some({ id: after, field: "after" })
    : Option.none()
  return { follow: { types: parsed.right, after: from, checks } satisfies FollowOptions, pings }
})

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
  const { follow, pings } = yield* streamQuery(request, search)
  // The follower lives until the request's scope closes: when the stream ends or the client disconnects.
  const follower = yield* following.follow(caller, clientAddress(request), follow)
  const context = yield* Effect.context<AccessNeeds>()
  const frames = Stream.interruptWhen(
    yield* liveStream(follower, pings),
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
