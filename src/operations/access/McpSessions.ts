/** The MCP sessions of a deployment. An id carries its own signature and end, so only early ends are stored. */
import { Clock, Context, Deferred, Effect, Option, Schedule, Stream } from "effect"
import { randomBytes } from "node:crypto"
import { NotFound, Unavailable } from "../../../schema/Errors.ts"
import { instant } from "../../../schema/Fields.ts"
import { makeSessionId, sessionEnd } from "../../domain/access/McpSession.ts"
import { EndedMcpSessions } from "../../store/access/EndedMcpSessions.ts"

/** Signs the ids of sessions. */
export class McpSessionKey extends Context.Tag("belltower/McpSessionKey")<McpSessionKey, Uint8Array>() {}

const unknown = new NotFound({
  message: "This MCP session is not known, or is over",
  hint: "Initialize again, or send requests without mcp-session-id"
})

/** Open streams of one process; clients without a key hold streams too. */
const maxStreams = 10_000

const crowded = new Unavailable({
  message: "Too many MCP streams are open",
  hint: "Go on without a stream: nothing is sent on it"
})

/** How often a stream sends a sign of life, and checks whether another process ended its session. */
const pulse = "15 seconds"

/** The streams that are open in this process, by session, each by what ends it. */
const makeOpenStreams = Effect.gen(function*() {
  const streams = new Map<string, Set<Deferred.Deferred<void>>>()
  let open = 0

  const close = (ends: Iterable<Deferred.Deferred<void>>) =>
    Effect.forEach([...ends], (end) => Deferred.succeed(end, undefined), { discard: true })

  const closeAll = Effect.suspend(() => close([...streams.values()].flatMap((ends) => [...ends])))
  yield* Effect.addFinalizer(() => closeAll)

  return {
    isFull: () => open >= maxStreams,
    /** What ends a new stream, for as long as the scope is open. */
    add: (id: string) =>
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
      ),
    closeOf: (id: string) =>
      Effect.suspend(() => Option.match(Option.fromNullable(streams.get(id)), { onNone: () => Effect.void, onSome: close })),
    closeAll
  }
})

export class McpSessions extends Effect.Service<McpSessions>()("belltower/McpSessions", {
  scoped: Effect.gen(function*() {
    const key = yield* McpSessionKey
    const store = yield* EndedMcpSessions
    const streams = yield* makeOpenStreams

    /** When a live session ends at the latest, ms since 1970; fails with `not_found` for any other. */
    const check = Effect.fn("McpSessions.check")(function*(id: string) {
      const end = sessionEnd(key, id)
      const now = yield* Clock.currentTimeMillis
      if (end === null || end <= now || (yield* store.hasEnded(id))) return yield* unknown
      return end
    })

    const pings = (id: string) =>
      Stream.fromSchedule(Schedule.spaced(pulse)).pipe(
        Stream.mapEffect(() => Effect.orElseSucceed(Effect.as(check(id), true), () => false)),
        Stream.takeWhile((alive) => alive),
        Stream.as(": ping\n\n")
      )

    return {
      /** The id of a new session. */
      begin: Effect.map(Clock.currentTimeMillis, (now) => makeSessionId(key, randomBytes(16), now)),
      check,
      /** A stream that ends with its session. The server sends nothing on it but signs of life. */
      stream: Effect.fn("McpSessions.stream")(function*(id: string) {
        yield* check(id)
        if (streams.isFull()) return yield* crowded
        return Stream.unwrapScoped(
          Effect.map(
            streams.add(id),
            (end) => Stream.concat(Stream.succeed(": connected\n\n"), pings(id)).pipe(Stream.interruptWhen(Deferred.await(end)))
          )
        )
      }),
      /** Ends a session: in this process immediately, in others with the next message or pulse. */
      end: Effect.fn("McpSessions.end")(function*(id: string) {
        const until = yield* check(id)
        yield* store.end(id, instant(until))
        yield* streams.closeOf(id)
      }),
      closeAll: streams.closeAll
    }
  })
}) {}
