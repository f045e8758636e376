/**
 * Keeps something that flaps from flooding the subscribers of a page. The first changes of an hour go out immediately. Further ones
 * wait: what ends meanwhile is never told, a newer change replaces the one that waits, and what lasts is told after the wait.
 */
import { Duration } from "effect"

/** What a broadcast that nobody wrote is about. */
export interface Thread {
  /** The incident, or the component whose status changed. */
  readonly thread: string
  /** What flaps: each outage of a monitor is another incident, but the same monitor. */
  readonly subject: string
  readonly opens: boolean
  readonly ends: boolean
}

/** A broadcast of the last hour. Times are ms. */
export interface Recent extends Omit<Thread, "ends"> {
  readonly eventId: string
  readonly pageId: string
  readonly dueAt: number
}

export interface News {
  readonly eventId: string
  readonly pageId: string
  /** Null for what a person wrote, which is never held back. */
  readonly about: Thread | null
}

/** What becomes of news: when it goes out, if it does, and whether it stands for an opening that nobody was told of. */
interface Sending {
  readonly news: News
  readonly dueAt: number
  readonly opens: boolean
}

interface DampingPlan {
  readonly send: ReadonlyArray<Sending>
  /** Broadcasts that waited and are not sent. */
  readonly cancel: ReadonlyArray<Pick<Recent, "eventId" | "pageId">>
}

/** How far back broadcasts count. */
export const dampingWindow = Duration.hours(1)
const wait = Duration.toMillis("10 minutes")
/** Outages of one subject, and other changes of one thread, that go out immediately within the window. */
const freely = { opens: 3, changes: 6 }

interface Step {
  readonly known: ReadonlyArray<Recent>
  readonly sending: Sending | null
  readonly cancelled: ReadonlyArray<Recent>
}

const dampenOne = (known: ReadonlyArray<Recent>, news: News, now: number): Step => {
  const { about, eventId, pageId } = news
  if (about === null) return { known, sending: { news, dueAt: now, opens: false }, cancelled: [] }
  const waiting = known.filter((one) => one.pageId === pageId && one.thread === about.thread && one.dueAt > now)
  const left = known.filter((one) => !waiting.includes(one))
  const untold = waiting.some(({ opens }) => opens)
  if (about.ends && untold) return { known: left, sending: null, cancelled: waiting }
  const opens = about.opens || untold
  const told = left.filter((one) =>
    one.pageId === pageId && one.opens === opens && (opens ? one.subject === about.subject : one.thread === about.thread)
  )
  const isFree = about.ends || told.length < (opens ? freely.opens : freely.changes)
  // What replaces waiting news does not wait longer than that would have.
  const dueAt = about.ends || (isFree && waiting.length === 0) ? now : Math.min(now + wait, ...waiting.map((one) => one.dueAt))
  return {
    known: [...left, { thread: about.thread, subject: about.subject, opens, eventId, pageId, dueAt }],
    sending: { news, dueAt, opens },
    cancelled: waiting
  }
}

/** Decides about news in order, beside the broadcasts of the last hour. Both lists name different events. */
export const dampen = (recent: ReadonlyArray<Recent>, all: ReadonlyArray<News>, now: number): DampingPlan => {
  let known = recent
  const send: Array<Sending> = []
  const cancel: Array<Recent> = []
  for (const news of all) {
    const step = dampenOne(known, news, now)
    known = step.known
    cancel.push(...step.cancelled)
    if (step.sending !== null) send.push(step.sending)
  }
  const isCancelled = (one: Pick<Recent, "eventId" | "pageId">) =>
    cancel.some(({ eventId, pageId }) => eventId === one.eventId && pageId === one.pageId)
  return { send: send.filter(({ news }) => !isCancelled(news)), cancel }
}
