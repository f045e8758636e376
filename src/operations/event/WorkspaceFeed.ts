/** The newest events of one workspace in memory, read once per process, and the live streams that listen to them. */
import { Effect, Schema } from "effect"
import { Event, type EventType } from "../../../schema/event/Event.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"

/** Finished checks that wait for one client; a slow client misses the oldest. */
const maxWaitingChecks = 200

/**
 * One live stream: its position, and how to wake it. Plain mutable fields are safe: only the hub and the follower's fiber use
 * them, and neither suspends in between.
 */
export interface Listener {
  readonly wantsChecks: boolean
  /** Open while there may be something to do. */
  readonly latch: Effect.Latch
  /** The last event that the follower received or skipped. */
  cursor: string
  /** Whether it has been up to date once; before that, it catches up from the database. */
  live: boolean
  /** The process is shutting down. */
  ended: boolean
  /** Finished checks as JSON, shared with the other listeners. */
  readonly checks: Array<string>
}

export const makeListener = (cursor: string, wantsChecks: boolean): Listener => ({
  wantsChecks,
  latch: Effect.unsafeMakeLatch(),
  cursor,
  live: false,
  ended: false,
  checks: []
})

export const wake = (listener: Listener): void => void listener.latch.unsafeOpen()

export const end = (listener: Listener): void => {
  listener.ended = true
  wake(listener)
}

export const offerCheck = (listener: Listener, json: string): void => {
  listener.checks.push(json)
  if (listener.checks.length > maxWaitingChecks) listener.checks.shift()
  wake(listener)
}

/** An event in the form that clients receive, encoded once for all of them. */
export interface FeedEntry {
  readonly id: string
  readonly type: EventType
  readonly json: string
}

const encode = Schema.encodeSync(Schema.parseJson(Event))

export const entryOf = (event: Event): FeedEntry => ({ id: event.id, type: event.type, json: encode(event) })

/** Above either, the older half is dropped. A stream that is further behind reads too slowly, or is still catching up. */
const maxEntries = 1_000
const maxLength = 1024 * 1024

/** Plain mutable fields are safe: nothing suspends between a read and the write that depends on it. */
export interface WorkspaceFeed {
  readonly workspaceId: WorkspaceId
  readonly listeners: Set<Listener>
  /** `entries` are all events after `from`, up to `head`. */
  from: string
  head: string
  entries: Array<FeedEntry>
  length: number
  reading: boolean
  /** Something happened during the read, so that another one is due. */
  again: boolean
}

export const makeFeed = (workspaceId: WorkspaceId, head: string): WorkspaceFeed => ({
  workspaceId,
  listeners: new Set(),
  from: head,
  head,
  entries: [],
  length: 0,
  reading: false,
  again: false
})

const dropOlder = (feed: WorkspaceFeed): void => {
  const dropped = feed.entries.splice(0, Math.ceil(feed.entries.length / 2))
  for (const { json } of dropped) feed.length -= json.length
  feed.from = dropped.at(-1)?.id ?? feed.from
}

export const extend = (feed: WorkspaceFeed, entries: ReadonlyArray<FeedEntry>): void => {
  for (const entry of entries) {
    feed.entries.push(entry)
    feed.length += entry.json.length
    feed.head = entry.id
  }
  while (feed.entries.length > maxEntries || (feed.length > maxLength && feed.entries.length > 1)) dropOlder(feed)
}

/** The events after a cursor, oldest first; null when some of them are no longer in memory. */
export const entriesAfter = ({ entries, from }: WorkspaceFeed, cursor: string): ReadonlyArray<FeedEntry> | null =>
  // Searched from the end: most streams are at the newest event.
  cursor < from ? null : entries.slice(entries.findLastIndex(({ id }) => id <= cursor) + 1)
