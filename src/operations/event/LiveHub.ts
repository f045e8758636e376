/** Receives the notifications of new events and finished checks once per process and wakes the interested listeners. */
import { Effect, Schedule, Schema, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { LiveCheck, liveChecksSignal } from "../../../schema/check/LiveCheck.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { LiveWatchers } from "../../store/check/LiveWatchers.ts"
import { EventCursors } from "../../store/event/EventCursors.ts"
import { eventsSignal } from "../../store/event/EventLog.ts"
import { Wakeups } from "../../store/postgres/Wakeups.ts"
import { end, type Listener, makeListener, offerCheck, wake } from "./Listener.ts"

/** How often the hub polls for events whose notification was lost, and renews the record of watched workspaces. */
const pollSchedule = Schedule.spaced("5 seconds")

const decodeCheck = Schema.decode(Schema.parseJson(LiveCheck))

/** A database failure must not end a loop; the next iteration tries again. */
const quietly = (what: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchAllCause(effect, (cause) => Effect.logWarning(`Live streams: ${what}`, cause))

/** The listeners of a process, by workspace. */
const makeListeners = () => {
  const byWorkspace = new Map<string, Set<Listener>>()
  const all = () => [...byWorkspace.values()].flatMap((of) => [...of])
  return {
    all,
    of: (workspaceId: string) => [...byWorkspace.get(workspaceId) ?? []],
    /** The workspaces with a listener for finished checks. */
    watched: () => [...new Set(all().filter((one) => one.wantsChecks).map((one) => one.workspaceId))],
    add: (listener: Listener) => {
      const of = byWorkspace.get(listener.workspaceId) ?? new Set()
      byWorkspace.set(listener.workspaceId, of.add(listener))
    },
    remove: (listener: Listener) => {
      const of = byWorkspace.get(listener.workspaceId)
      of?.delete(listener)
      if (of?.size === 0) byWorkspace.delete(listener.workspaceId)
    }
  }
}
type Listeners = ReturnType<typeof makeListeners>

/** The loops that wake listeners; each must run for the lifetime of the process. */
const makeWaking = (listeners: Listeners) =>
  Effect.gen(function*() {
    const wakeups = yield* Wakeups
    const cursors = yield* EventCursors

    // An empty payload means that notifications may have been lost.
    const follow = wakeups.listen(eventsSignal).pipe(
      Stream.runForEach((workspaceId) =>
        Effect.sync(() => (workspaceId === "" ? listeners.all() : listeners.of(workspaceId)).forEach(wake))
      )
    )

    const relay = wakeups.listen(liveChecksSignal).pipe(
      Stream.filter((payload) => payload !== ""),
      Stream.runForEach((payload) =>
        decodeCheck(payload).pipe(
          Effect.map((check) =>
            listeners.of(check.workspaceId).filter((one) => one.wantsChecks).forEach((one) => offerCheck(one, check))
          ),
          quietly("decoding a finished check failed")
        )
      )
    )

    const poll = Effect.gen(function*() {
      const heads = yield* cursors.heads([...new Set(listeners.all().map((one) => one.workspaceId))])
      for (const { id, last } of heads) listeners.of(id).filter((one) => last > one.cursor).forEach(wake)
    })

    return [follow, relay, poll.pipe(quietly("polling for events failed"), Effect.repeat(pollSchedule))]
  })

export class LiveHub extends Effect.Service<LiveHub>()("belltower/LiveHub", {
  scoped: Effect.gen(function*() {
    const watchers = yield* LiveWatchers
    const watcher = randomUUID()
    const listeners = makeListeners()
    let closed = false

    const recordWatched = Effect.suspend(() => {
      const ids = listeners.watched()
      return ids.length === 0 ? Effect.void : watchers.watch(watcher, ids)
    })
    const keepWatching = Effect.zipRight(recordWatched, watchers.sweep()).pipe(
      quietly("recording the watched workspaces failed"),
      Effect.repeat(pollSchedule)
    )
    const loops = [...yield* makeWaking(listeners), keepWatching]
    yield* Effect.forEach(loops, (loop) => Effect.forkScoped(restartForever("Live streams", loop)), { discard: true })

    const join = (listener: Listener) =>
      Effect.gen(function*() {
        listeners.add(listener)
        if (closed) end(listener)
        if (listener.wantsChecks) yield* quietly("recording the watched workspaces failed")(recordWatched)
        return listener
      })

    const leave = (listener: Listener) =>
      Effect.suspend(() => {
        listeners.remove(listener)
        return listener.wantsChecks && !listeners.watched().includes(listener.workspaceId)
          ? quietly("removing a watched workspace failed")(watchers.unwatch(watcher, listener.workspaceId))
          : Effect.void
      })

    return {
      /** Creates a listener that starts after `cursor` and is woken until its scope closes. */
      listen: Effect.fn("LiveHub.listen")(function*(workspaceId: WorkspaceId, cursor: string, wantsChecks: boolean) {
        return yield* Effect.acquireRelease(join(makeListener(workspaceId, cursor, wantsChecks)), leave)
      }),
      /** Ends every listener, including those that join later. */
      close: Effect.sync(() => {
        closed = true
        listeners.all().forEach(end)
      })
    }
  }),
  dependencies: [LiveWatchers.Default, EventCursors.Default]
}) {}
