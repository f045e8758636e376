/** Receives the notifications of new events and finished checks once per process and passes them to the feeds of the workspaces. */
import { Cause, Effect, Queue, Schema, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { LiveCheck, liveChecksSignal } from "../../../schema/check/Check.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { repeatForever, restartForever } from "../../loops/RestartForever.ts"
import { LiveWatchers } from "../../store/check/LiveWatchers.ts"
import { EventCursors } from "../../store/event/EventCursors.ts"
import { EventLog, eventsSignal } from "../../store/event/EventLog.ts"
import { Wakeups } from "../../store/postgres/Wakeups.ts"
import {
  end,
  entryOf,
  extend,
  type Listener,
  makeFeed,
  makeListener,
  offerCheck,
  wake,
  type WorkspaceFeed
} from "./WorkspaceFeed.ts"

/** How often the hub polls for events whose notification was lost, and renews the record of watched workspaces. */
const pollEvery = "5 seconds"

const pageSize = 200

/** Reads at the same time, so that many workspaces leave connections to everyone else. */
const readers = 4

/** Reads the new events of watched workspaces: one read for each wake-up of a workspace, however many streams wait for it. */
const makeFeedReader = Effect.gen(function*() {
  const log = yield* EventLog
  // Bounded by the number of feeds: each is in it at most once.
  const due = yield* Queue.unbounded<WorkspaceFeed>()

  const read = (feed: WorkspaceFeed) =>
    Effect.gen(function*() {
      feed.again = false
      const page = yield* log.after(feed.workspaceId, feed.head, null, pageSize)
      extend(feed, page.map(entryOf))
      feed.again ||= page.length === pageSize
      if (page.length > 0) feed.listeners.forEach(wake)
    }).pipe(
      Effect.catchAllDefect((defect) =>
        Effect.logWarning("Live streams: reading events failed; retrying after the next poll", Cause.die(defect))
      ),
      Effect.ensuring(Effect.sync(() => {
        feed.reading = false
        if (feed.again && feed.listeners.size > 0) schedule(feed)
      }))
    )

  /** Reads the events after the feed's head. During a read, another one is due after it. */
  const schedule = (feed: WorkspaceFeed): void => {
    if (feed.reading) {
      feed.again = true
      return
    }
    feed.reading = true
    Queue.unsafeOffer(due, feed)
  }

  const loop = Effect.forever(Effect.flatMap(Queue.take(due), read))
  for (let reader = 0; reader < readers; reader++) {
    yield* Effect.forkScoped(restartForever("The reader of live streams", loop))
  }
  return schedule
})

const decodeCheck = Schema.decode(Schema.parseJson(LiveCheck))
const encodeCheck = Schema.encodeSync(LiveCheck)

const checkJson = (live: LiveCheck): string => {
  const { check, monitorId } = encodeCheck(live)
  return JSON.stringify({ type: "check.completed", at: check.at, data: { monitorId, check } })
}

/** A database failure must not end a loop; the next iteration tries again. */
const orWarn = (what: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchAllCause(effect, (cause) => Effect.logWarning(`Live streams: ${what}`, cause))

/** The feeds of a process by workspace; a feed exists while a stream listens to it. */
type Feeds = Map<string, WorkspaceFeed>

const watchersOf = ({ listeners }: WorkspaceFeed): ReadonlyArray<Listener> => [...listeners].filter((one) => one.wantsChecks)

/** The loops that fill the feeds; each must run for the lifetime of the process. */
const makeFilling = Effect.fnUntraced(function*(feeds: Feeds) {
  const wakeups = yield* Wakeups
  const cursors = yield* EventCursors
  const schedule = yield* makeFeedReader

  // One query for all, because few have news.
  const poll = Effect.gen(function*() {
    const heads = yield* cursors.heads([...feeds.values()].map(({ workspaceId }) => workspaceId))
    for (const { id, last } of heads) {
      const feed = feeds.get(id)
      if (feed !== undefined && last > feed.head) schedule(feed)
    }
  })

  // An empty payload means that notifications may have been lost.
  const follow = wakeups.listen(eventsSignal).pipe(
    Stream.runForEach((workspaceId) => {
      const feed = feeds.get(workspaceId)
      return workspaceId === ""
        ? orWarn("polling for events failed")(poll)
        : Effect.sync(() => feed === undefined ? undefined : schedule(feed))
    })
  )

  const relay = wakeups.listen(liveChecksSignal).pipe(
    Stream.filter((payload) => payload !== ""),
    Stream.runForEach((payload) =>
      decodeCheck(payload).pipe(
        Effect.map((check) => {
          const feed = feeds.get(check.workspaceId)
          const watching = feed === undefined ? [] : watchersOf(feed)
          if (watching.length === 0) return
          const json = checkJson(check)
          for (const listener of watching) offerCheck(listener, json)
        }),
        orWarn("decoding a finished check failed")
      )
    )
  )
  const loops = [
    restartForever("Following events for live streams", follow),
    restartForever("Following finished checks for live streams", relay),
    repeatForever("Polling for events of live streams", pollEvery, poll)
  ]
  return { schedule, loops }
})

export class LiveHub extends Effect.Service<LiveHub>()("belltower/LiveHub", {
  scoped: Effect.gen(function*() {
    const watchers = yield* LiveWatchers
    const watcher = randomUUID()
    const feeds: Feeds = new Map()
    let closed = false

    const recordWatched = Effect.suspend(() => {
      const ids = [...feeds.values()].filter((feed) => watchersOf(feed).length > 0).map(({ workspaceId }) => workspaceId)
      return ids.length === 0 ? Effect.void : watchers.watch(watcher, ids)
    })
    const keepWatching = repeatForever(
      "Recording the workspaces that live streams watch",
      pollEvery,
      Effect.zipRight(recordWatched, watchers.sweep())
    )
    const { loops, schedule } = yield* makeFilling(feeds)
    yield* Effect.forEach([...loops, keepWatching], (loop) => Effect.forkScoped(loop), { discard: true })

    const join = Effect.fnUntraced(function*(workspaceId: WorkspaceId, head: string, listener: Listener) {
      const known = feeds.get(workspaceId)
      const feed = known ?? makeFeed(workspaceId, head)
      feeds.set(workspaceId, feed)
      feed.listeners.add(listener)
      // Events may have been committed between the read of the head and now.
      if (known === undefined) schedule(feed)
      if (closed) end(listener)
      if (listener.wantsChecks) yield* orWarn("recording the watched workspaces failed")(recordWatched)
      return { feed, listener }
    })

    const leave = ({ feed, listener }: { readonly feed: WorkspaceFeed; readonly listener: Listener }) =>
      Effect.suspend(() => {
        feed.listeners.delete(listener)
        if (feed.listeners.size === 0) feeds.delete(feed.workspaceId)
        return listener.wantsChecks && watchersOf(feed).length === 0
          ? orWarn("removing a watched workspace failed")(watchers.unwatch(watcher, feed.workspaceId))
          : Effect.void
      })

    return {
      /** Creates a listener after `cursor`, until its scope closes. `head` is the newest event of the workspace, read before. */
      listen: (workspaceId: WorkspaceId, head: string, cursor: string, wantsChecks: boolean) =>
        Effect.acquireRelease(join(workspaceId, head, makeListener(cursor, wantsChecks)), leave),
      /** Ends every listener, including those that join later. */
      close: Effect.sync(() => {
        closed = true
        for (const { listeners } of feeds.values()) listeners.forEach(end)
      })
    }
  }),
  dependencies: [LiveWatchers.Default, EventCursors.Default]
}) {}
