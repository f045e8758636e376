/**
 * Keeps flapping from flooding the subscribers of a page. The first changes of an hour go out immediately. Further ones wait: an outage
 * that ends meanwhile is never sent, and newer changes replace waiting ones. Updates of people go out immediately and replace them.
 */
import { Duration } from "effect"

/** The subject of a broadcast about something that can flap. */
export interface Thread {
  /** The incident, or the component whose status changed. */
  readonly thread: string
  /** The flapping thing: each outage of a monitor is another incident, but the same monitor. */
  readonly subject: string
  readonly opens: boolean
  readonly ends: boolean
  /** True if a person made this change. */
  readonly byPerson: boolean
}

/** A broadcast of the last hour that no person wrote. Times are ms. */
export interface Recent extends Omit<Thread, "ends" | "byPerson"> {
  readonly eventId: string
  readonly pageId: string
  readonly dueAt: number
}

export interface News {
  readonly eventId: string
  readonly pageId: string
  /** False for a change that is not sent to subscribers. */
  readonly notifies: boolean
  /** Null if a person opened it: that is never held back. */
  readonly about: Thread | null
}

/** A broadcast to send, its time (ms), and whether it stands for an opening that was never sent. */
interface Sending {
  readonly news: News
  readonly dueAt: number
  readonly opens: boolean
  /** Counts in later decisions; null for news that a person wrote. */
  readonly counts: Thread | null
}

/** How long broadcasts count. */
export const dampingWindow = Duration.hours(1)
const wait = Duration.toMillis("10 minutes")
/** Outages of one subject, and other changes of one thread, that go out immediately within the window. */
const freely = { opens: 3, changes: 6 }

const keyOf = (pageId: string, about: string): string => `${pageId} ${about}`

/** The known broadcasts, indexed for decisions: the cost of each does not depend on their number. */
const makeKnown = (now: number) => {
  /** Openings of a subject on a page, and other changes of a thread on a page, whether they wait or not. */
  const openings = new Map<string, number>()
  const changes = new Map<string, number>()
  const waiting = new Map<string, ReadonlyArray<Recent>>()
  const count = ({ opens, pageId, subject, thread }: Recent, by: number) => {
    const [counts, key] = opens ? [openings, keyOf(pageId, subject)] as const : [changes, keyOf(pageId, thread)] as const
    counts.set(key, (counts.get(key) ?? 0) + by)
  }
  return {
    add: (one: Recent): void => {
      count(one, 1)
      if (one.dueAt <= now) return
      const key = keyOf(one.pageId, one.thread)
      waiting.set(key, [...waiting.get(key) ?? [], one])
    },
    takeWaiting: (pageId: string, thread: string): ReadonlyArray<Recent> => {
      const key = keyOf(pageId, thread)
      const found = waiting.get(key) ?? []
      waiting.delete(key)
      for (const one of found) count(one, -1)
      return found
    },
    openings: (pageId: string, subject: string): number => openings.get(keyOf(pageId, subject)) ?? 0,
    changes: (pageId: string, thread: string): number => changes.get(keyOf(pageId, thread)) ?? 0
  }
}

interface Step {
  readonly sending: Sending | null
  readonly cancelled: ReadonlyArray<Recent>
}

const dampenOne = (known: ReturnType<typeof makeKnown>, news: News, now: number): Step => {
  const { about, eventId, notifies, pageId } = news
  if (about === null || about.byPerson) {
    // It shows the incident with all waiting changes, or ends it unsent.
    const replaces = about !== null && (notifies || about.ends)
    return {
      sending: notifies ? { news, dueAt: now, opens: false, counts: null } : null,
      cancelled: replaces ? known.takeWaiting(pageId, about.thread) : []
    }
  }
  if (!notifies) return { sending: null, cancelled: [] }
  const { subject, thread } = about
  const waiting = known.takeWaiting(pageId, thread)
  const unsent = waiting.some(({ opens }) => opens)
  if (about.ends && unsent) return { sending: null, cancelled: waiting }
  const opens = about.opens || unsent
  const isFree = about.ends ||
    (opens ? known.openings(pageId, subject) < freely.opens : known.changes(pageId, thread) < freely.changes)
  // News that replaces waiting news goes out no later than that would have.
  const dueAt = about.ends || (isFree && waiting.length === 0) ? now : Math.min(now + wait, ...waiting.map((one) => one.dueAt))
  known.add({ thread, subject, opens, eventId, pageId, dueAt })
  return { sending: { news, dueAt, opens, counts: about }, cancelled: waiting }
}

/** Decides about news in order, beside the broadcasts of the last hour; `cancel` are those that waited and are not sent. */
export const dampen = (recent: ReadonlyArray<Recent>, all: ReadonlyArray<News>, now: number) => {
  const known = makeKnown(now)
  recent.forEach(known.add)
  const steps = all.map((news) => dampenOne(known, news, now))
  const cancel = steps.flatMap(({ cancelled }) => cancelled)
  const gone = new Set(cancel.map(({ eventId, pageId }) => keyOf(pageId, eventId)))
  const send = steps.flatMap(({ sending }) => sending ?? []).filter(({ news }) => !gone.has(keyOf(news.pageId, news.eventId)))
  return { send, cancel }
}
