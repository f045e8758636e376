/** The MCP sessions of a deployment. A session holds nothing but its being there, since every call stands for itself. */
import { Clock, Deferred, Effect, Option, Schedule, Stream } from "effect"
import { randomBytes } from "node:crypto"
import { NotFound, Unavailable } from "../../schema/Errors.ts"
import { instant } from "../../schema/Fields.ts"
import { makeSessionId, sessionEnd } from "../domain/access/McpSession.ts"
import { McpSessions } from "../store/access/McpSessions.ts"
import { McpSettings } from "./McpSettings.ts"

const unknown = new NotFound({
  message: "This MCP session is not known, or is over",
  hint: "Initialize again, or send requests without mcp-session-id"
})

/** Open streams of one process, which clients without a key may hold too. */
const maxStreams = 10_000

const crowded = new Unavailable({
  message: "Too many MCP streams are open",
  hint: "Go on without a stream: nothing is sent on it"
})

/** How often a stream shows that it lives, and looks whether another process ended its session. */
const pulse = "15 seconds"

export const makeSessions = Effect.gen(function*() {
  const { sessionKey } = yield* McpSettings
  const store = yield* McpSessions
  /** The ends of the streams that are open here, by session. */
  const streams = new Map<string, Set<Deferred.Deferred<void>>>()
  let open = 0

  /** When a session that goes on is over at the latest; fails for any other. */
  const check = Effect.fn("Sessions.check")(function*(id: string) {
    const end = sessionEnd(sessionKey, id)
    const now = yield* Clock.currentTimeMillis
    if (end === null || end <= now || (yield* store.hasEnded(id))) return yield* unknown
    return end
  })

  const close = (ends: Iterable<Deferred.Deferred<void>>) =>
    Effect.forEach([...ends], (end) => Deferred.succeed(end, undefined), { discard: true })

  const openEnd = (id: string) =>
    Effect.acquireRelease(
      Effect.tap(Deferred.make<void>(), (end) =>
        Effect.sync(() => {
          open++
          streams.set(id, (streams.get(id) ?? new Set()).add(end))
        })),
      (end) =>
        Effect.sync(() => {
          open--
          const ends = streams.get(id)
          ends?.delete(end)
          if (ends?.size === 0) streams.delete(id)
        })
    )

  const goesOn = (id: string) => Effect.orElseSucceed(Effect.as(check(id), true), () => false)

  const pings = (id: string) =>
    Stream.fromSchedule(Schedule.spaced(pulse)).pipe(
      Stream.mapEffect(() => goesOn(id)),
      Stream.takeWhile((on) => on),
      Stream.as(": ping\n\n")
    )

  const closeAll = Effect.suspend(() => close([...streams.values()].flatMap((ends) => [...ends])))
  yield* Effect.addFinalizer(() => closeAll)

  return {
    /** The id of a new session. */
    begin: Effect.map(Clock.currentTimeMillis, (now) => makeSessionId(sessionKey, randomBytes(16), now)),
    check,
    /** A stream on which the server has nothing to say yet; it lasts as long as its session. */
    stream: (id: string) =>
      Effect.gen(function*() {
        yield* check(id)
        if (open >= maxStreams) return yield* crowded
        return Stream.unwrapScoped(Effect.map(openEnd(id), (end) =>
          Stream.concat(Stream.succeed(": connected\n\n"), pings(id)).pipe(Stream.interruptWhen(Deferred.await(end)))))
      }),
    /** Ends a session everywhere: here at once, elsewhere with the next message or pulse. */
    end: (id: string) =>
      Effect.gen(function*() {
        const until = yield* check(id)
        yield* store.end(id, instant(until))
        yield* Option.match(Option.fromNullable(streams.get(id)), { onNone: () => Effect.void, onSome: close })
      }),
    closeAll
  }
})

export type Sessions = Effect.Effect.Success<typeof makeSessions>
