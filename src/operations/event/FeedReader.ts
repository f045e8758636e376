/** Reads the new events of watched workspaces: one read for each wake-up of a workspace, however many streams wait for it. */
import { Effect, Queue } from "effect"
import { restartForever } from "../../loops/RestartForever.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { wake } from "./Listener.ts"
import { entryOf, extend, type WorkspaceFeed } from "./WorkspaceFeed.ts"

/** Events per read. */
const pageSize = 200

/** Reads at the same time, so that many workspaces leave connections to everyone else. */
const readers = 4

export const makeFeedReader = Effect.gen(function*() {
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
        Effect.logWarning("Live streams: reading events failed; retrying after the next poll", defect)
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
