/** One live stream's reader: from the feed that all streams of its workspace share, or from the database while it catches up. */
import { Cause, Data, Effect } from "effect"
import type { EventType } from "../../../schema/event/Event.ts"
import { beforeAll } from "../../domain/event/EventCursor.ts"
import type { FairSlots } from "../../loops/FairSlots.ts"
import type { EventLog } from "../../store/event/EventLog.ts"
import { entriesAfter, entryOf, type FeedEntry, type Listener, type WorkspaceFeed } from "./WorkspaceFeed.ts"

/** Events per read while a stream catches up. The next page is read only after the client took the last one. */
const pageSize = 100

/** Characters that one stream is given at a time, so that a slow reader holds no more; a larger event comes alone. */
const maxLength = 64 * 1024

/** After a failed read, ms. */
const retryAfter = 5_000

export type Next = Data.TaggedEnum<{
  /** News since the last call; both lists are empty if nothing happened. Checks are JSON. */
  News: { readonly events: ReadonlyArray<FeedEntry>; readonly checks: ReadonlyArray<string> }
  /** The client reads too slowly: the next events are no longer in memory. */
  TooSlow: {}
  Closing: {}
}>
export const Next = Data.taggedEnum<Next>()

export interface Follower {
  readonly start: string
  /** The next news, waiting up to `wait` ms; may return early and empty. */
  readonly next: (wait: number) => Effect.Effect<Next>
}

/** The first entries that fit, at least one, and whether these are all. */
const fitting = (entries: ReadonlyArray<FeedEntry>) => {
  let length = 0
  const cut = entries.findIndex(({ json }, index) => (length += json.length) > maxLength && index > 0)
  return { events: cut === -1 ? entries : entries.slice(0, cut), whole: cut === -1 }
}

const later = (one: string, other: string) => one > other ? one : other

/** `slots` are those of the streams that catch up. */
export const makeFollower = (
  log: EventLog,
  slots: FairSlots<never>,
  feed: WorkspaceFeed,
  listener: Listener,
  types: ReadonlyArray<EventType> | null
): Follower => {
  const isWanted = ({ type }: FeedEntry) => types === null || types.includes(type)

  /** Moves the cursor behind what the client gets; behind `upTo` when it gets everything before that. */
  const take = (entries: ReadonlyArray<FeedEntry>, upTo: string): ReadonlyArray<FeedEntry> => {
    const { events, whole } = fitting(entries)
    listener.cursor = later(listener.cursor, later(events.at(-1)?.id ?? "", whole ? upTo : ""))
    return events
  }

  /** Null after a failure: a database outage must not end the stream. */
  const catchUp = Effect.gen(function*() {
    // Every event up to the head was committed before the read.
    const upTo = feed.head
    const page = yield* slots(feed.workspaceId, log.after(feed.workspaceId, listener.cursor, types, pageSize))
    return take(page.map(entryOf), page.length < pageSize ? upTo : "")
  }).pipe(
    Effect.catchAllDefect((defect) =>
      Effect.as(Effect.logWarning("Live stream: reading events failed; retrying in 5 s", Cause.die(defect)), null)
    )
  )

  const wait = (ms: number) => Effect.timeoutOption(listener.latch.await, ms)

  const next = (patience: number): Effect.Effect<Next> =>
    Effect.gen(function*() {
      if (listener.ended) return Next.Closing()
      // Closed before the reads, so that nothing that happens meanwhile is missed.
      yield* listener.latch.close
      const known = entriesAfter(feed, listener.cursor)
      if (known === null) {
        if (listener.live) return Next.TooSlow()
        const events = yield* catchUp
        if (events === null) yield* wait(Math.min(patience, retryAfter))
        return Next.News({ events: events ?? [], checks: [] })
      }
      listener.live = true
      const news = Next.News({ events: take(known.filter(isWanted), feed.head), checks: listener.checks.splice(0) })
      if (news.events.length === 0 && news.checks.length === 0) yield* wait(patience)
      return news
    })

  return { start: listener.cursor === "" ? beforeAll : listener.cursor, next }
}
