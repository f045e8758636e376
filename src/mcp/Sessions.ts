/** The MCP sessions of a process. A session holds nothing but its being there, since every call stands for itself. */
import { Clock, Deferred, Duration, Effect, Option } from "effect"
import { randomUUID } from "node:crypto"

/** Without a message or an open stream for so long, a session is over. */
const idleAfter = Duration.toMillis("30 minutes")

/** Beyond so many, the one that was quiet longest is ended. */
const maxSessions = 10_000

interface Session {
  readonly ended: Deferred.Deferred<void>
  streams: number
  usedAt: number
}

export const makeSessions = Effect.gen(function*() {
  /** The longest quiet come first: whatever is used goes to the end. */
  const sessions = new Map<string, Session>()

  const endOf = (id: string) =>
    Effect.suspend(() => {
      const session = sessions.get(id)
      sessions.delete(id)
      return session === undefined ? Effect.succeed(false) : Effect.as(Deferred.succeed(session.ended, undefined), true)
    })

  const use = (id: string) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const session = sessions.get(id)
      if (session === undefined) return Option.none()
      session.usedAt = now
      sessions.delete(id)
      sessions.set(id, session)
      return Option.some(session)
    })

  const sweep = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const idle = [...sessions].filter(([, { streams, usedAt }]) => streams === 0 && now - usedAt >= idleAfter)
    yield* Effect.forEach(idle, ([id]) => endOf(id), { discard: true })
  })
  yield* sweep.pipe(Effect.delay("1 minute"), Effect.forever, Effect.forkScoped)

  const closeAll = Effect.suspend(() => Effect.forEach([...sessions.keys()], endOf, { discard: true }))
  yield* Effect.addFinalizer(() => closeAll)

  return {
    /** The id of a new session. */
    begin: Effect.gen(function*() {
      const id = randomUUID()
      const ended = yield* Deferred.make<void>()
      sessions.set(id, { ended, streams: 0, usedAt: yield* Clock.currentTimeMillis })
      const [oldest] = sessions.keys()
      if (sessions.size > maxSessions && oldest !== undefined) yield* endOf(oldest)
      return id
    }),
    /** Whether there is such a session; it counts as used. */
    touch: (id: string) => Effect.map(use(id), Option.isSome),
    /** Keeps a session while its stream is open; waits for its end. */
    open: (id: string) =>
      Effect.flatMap(use(id), Option.match({
        onNone: () => Effect.void,
        onSome: (session) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              session.streams++
            }),
            () => Deferred.await(session.ended),
            () =>
              Effect.zipRight(
                Effect.sync(() => {
                  session.streams--
                }),
                use(id)
              )
          )
      })),
    /** Ends a session; false when there is none. */
    end: endOf,
    closeAll
  }
})

export type Sessions = Effect.Effect.Success<typeof makeSessions>
