/** Finds who should have been heard of by now and was not, though somebody was there to be heard: plain state between looks. */
import type { RegionId } from "../../../schema/check/Region.ts"
import { observedUntil, type Pacing } from "./MonitorMachine.ts"

/** Beyond its own time: a round may wait for a region that has just gone, its verdict for the next write. */
const slack = 60_000

/** Looks further apart than this are those of a watcher that was away, as everybody else may have been, ms. */
const gap = 120_000

/** A monitor, or a region with all of its monitors, that is to be heard of again and again. Times are ms since 1970. */
export interface Watched<Id> {
  readonly id: Id
  /** Where it could be looked at from. */
  readonly regions: ReadonlyArray<RegionId>
  readonly pacing: Pacing
  /** When it was looked at last, by the clock of whoever looked; null if it never was. */
  readonly heardAt: number | null
  /** When it was made or last edited. */
  readonly changedAt: number
}

export interface Judgement<W> {
  /** Not heard of for longer than their own time, while one of their regions was sound all the while. */
  readonly overdue: ReadonlyArray<W>
  /** Not heard of either, and none of their regions is sound. */
  readonly unseen: ReadonlyArray<W>
}

export interface OverdueWatch<Id> {
  /** `quiet` are those that may be overdue, with all that are: whoever is missing was heard of. `sound` are all such regions. */
  readonly judge: <W extends Watched<Id>>(quiet: ReadonlyArray<W>, sound: ReadonlySet<RegionId>, now: number) => Judgement<W>
}

const isOver = (since: number, pacing: Pacing, now: number): boolean => observedUntil(since, pacing, now - slack) < now - slack

/**
 * Silence counts only from when this watcher began to look, or came back from a standstill: before, there may have been
 * nobody to listen, and after a long outage everything is late. It counts only while a region is sound, too.
 */
export const makeOverdueWatch = <Id>(start: number): OverdueWatch<Id> => {
  let watchingSince = start
  let latest = start
  let soundSince = new Map<RegionId, number>()
  /** What each was heard of last, and when that was, by the clock of this watcher. */
  let known = new Map<Id, { readonly heardAt: number | null; readonly at: number }>()

  /** One that is heard of anew, by a clock that is wrong, is heard of. */
  const heard = ({ heardAt, id }: Watched<Id>, now: number): number => {
    const before = known.get(id)
    if (before === undefined) return heardAt === null ? 0 : Math.min(heardAt, now)
    return before.heardAt === heardAt ? before.at : now
  }

  const judge = <W extends Watched<Id>>(quiet: ReadonlyArray<W>, sound: ReadonlySet<RegionId>, now: number): Judgement<W> => {
    if (now < latest || now - latest > gap) {
      watchingSince = now
      soundSince = new Map()
      known = new Map()
    }
    latest = now
    soundSince = new Map([...sound].map((region) => [region, soundSince.get(region) ?? now]))
    known = new Map(quiet.map((one) => [one.id, { heardAt: one.heardAt, at: heard(one, now) }]))

    const overdue: Array<W> = []
    const unseen: Array<W> = []
    for (const one of quiet) {
      const since = Math.max(known.get(one.id)?.at ?? now, one.changedAt, watchingSince)
      if (!isOver(since, one.pacing, now)) continue
      const watchers = one.regions.flatMap((region) => soundSince.get(region) ?? [])
      if (watchers.length === 0) unseen.push(one)
      else if (isOver(Math.max(since, Math.min(...watchers)), one.pacing, now)) overdue.push(one)
    }
    return { overdue, unseen }
  }
  return { judge }
}

/** Chooses for whom something is done: at most once in `everyMs` for each, for `most` at a time, the longest waiting first. */
export const makeRation = <Id>(everyMs: number, most: number) => {
  let last = new Map<Id, number>()
  return (ids: ReadonlyArray<Id>, now: number): ReadonlySet<Id> => {
    const isRecent = (id: Id) => Math.abs(now - (last.get(id) ?? Number.NEGATIVE_INFINITY)) < everyMs
    const waiting = ids.filter((id) => !isRecent(id)).sort((one, other) => (last.get(one) ?? 0) - (last.get(other) ?? 0))
    const chosen = new Set(waiting.slice(0, most))
    const present = new Set(ids)
    last = new Map([...last].filter(([id]) => present.has(id) || isRecent(id)))
    for (const id of chosen) last.set(id, now)
    return chosen
  }
}
