/** The one place of a process that hears of new events and finished checks, and wakes the streams that wait for them. */
import { Effect, Schedule, Schema, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { LiveCheck, liveChecksSignal } from "../../schema/check/LiveCheck.ts"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { restartForever } from "../loops/RestartForever.ts"
import { LiveWatchers } from "../store/check/LiveWatchers.ts"
import { EventCursors } from "../store/event/EventCursors.ts"
import { eventsSignal } from "../store/event/EventLog.ts"
import { Wakeups } from "../store/postgres/Wakeups.ts"
import { end, type Listener, makeListener, offerCheck, wake } from "./Listener.ts"

/** What notifications miss is found by looking this often; also how often watching is said again. */
const beat = Schedule.spaced("5 seconds")

const decodeCheck = Schema.decode(Schema.parseJson(LiveCheck))

export class LiveHub extends Effect.Service<LiveHub>()("belltower/LiveHub", {
  scoped: Effect.gen(function*() {
    const wakeups = yield* Wakeups
    const watchers = yield* LiveWatchers
    const cursors = yield* EventCursors
    const watcher = randomUUID()
    const listeners = new Map<string, Set<Listener>>()
    let closed = false

    const all = () => [...listeners.values()].flatMap((of) => [...of])
    const listenersOf = (workspaceId: string) => [...listeners.get(workspaceId) ?? []]
    const watched = () => [...new Set(all().filter((one) => one.wantsChecks).map((one) => one.workspaceId))]

    /** No answer of the database must end a loop; the next beat asks again. */
    const quietly = (what: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.catchAllCause(effect, (cause) => Effect.logWarning(`Live streams: ${what}`, cause))

    const follow = wakeups.listen(eventsSignal).pipe(
      Stream.runForEach((workspaceId) => Effect.sync(() => (workspaceId === "" ? all() : listenersOf(workspaceId)).forEach(wake)))
    )

    const relay = wakeups.listen(liveChecksSignal).pipe(
      Stream.filter((payload) => payload !== ""),
      Stream.runForEach((payload) =>
        decodeCheck(payload).pipe(
          Effect.map((check) =>
            listenersOf(check.workspaceId).filter((one) => one.wantsChecks).forEach((one) => offerCheck(one, check))
          ),
          quietly("a finished check could not be read")
        )
      )
    )

    const poll = Effect.gen(function*() {
      const heads = yield* cursors.heads([...new Set(all().map((one) => one.workspaceId))])
      for (const { id, last } of heads) listenersOf(id).filter((one) => last > one.cursor).forEach(wake)
    })

    const sayWatching = Effect.suspend(() => {
      const ids = watched()
      return ids.length === 0 ? Effect.void : watchers.watch(watcher, ids)
    })

    const keepWatching = Effect.zipRight(sayWatching, watchers.sweep())

    const loops = [
      follow,
      relay,
      poll.pipe(quietly("looking for events failed"), Effect.repeat(beat)),
      keepWatching.pipe(quietly("saying what is watched failed"), Effect.repeat(beat))
    ]
    yield* Effect.forEach(loops, (loop) => Effect.forkScoped(restartForever("Live streams", loop)), { discard: true })

    const join = (listener: Listener) =>
      Effect.gen(function*() {
        const of = listeners.get(listener.workspaceId) ?? new Set()
        listeners.set(listener.workspaceId, of.add(listener))
        if (closed) end(listener)
        if (listener.wantsChecks) yield* quietly("saying what is watched failed")(sayWatching)
        return listener
      })

    const leave = (listener: Listener) =>
      Effect.suspend(() => {
        const of = listeners.get(listener.workspaceId)
        of?.delete(listener)
        if (of?.size === 0) listeners.delete(listener.workspaceId)
        return listener.wantsChecks && !watched().includes(listener.workspaceId)
          ? quietly("saying what is no longer watched failed")(watchers.unwatch(watcher, listener.workspaceId))
          : Effect.void
      })

    return {
      /** A listener behind `cursor`, woken from now on until its scope closes. */
      listen: Effect.fn("LiveHub.listen")(function*(workspaceId: WorkspaceId, cursor: string, wantsChecks: boolean) {
        return yield* Effect.acquireRelease(join(makeListener(workspaceId, cursor, wantsChecks)), leave)
      }),
      /** Ends every stream, also those that open from now on. */
      close: Effect.sync(() => {
        closed = true
        all().forEach(end)
      })
    }
  })
}) {}
