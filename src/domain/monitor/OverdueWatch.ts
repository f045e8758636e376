/** Finds monitors and regions that are overdue although a healthy region could have reported. Keeps state between calls. */
import type { RegionId } from "../../../schema/check/Region.ts"
import { slack } from "./ExpectedRound.ts"
import { observedUntil, type Pacing } from "./MonitorMachine.ts"

/** A longer pause between two calls, ms, means that this watcher was suspended; other processes may have been, too. */
const gap = 120_000

/** A monitor, or a region with all of its monitors, that must report regularly. Times are ms since 1970. */
export interface Watched<Id> {
  readonly id: Id
  readonly regions: ReadonlyArray<RegionId>
  readonly pacing: Pacing
  /** The time of its last check, by the checker's clock; null if it was never checked. */
  readonly heardAt: number | null
  /** When it was created or last edited. */
  readonly changedAt: number
}

export interface Judgement<W> {
  /** Silent for longer than their pacing allows, while at least one of their regions was healthy the whole time. */
  readonly overdue: ReadonlyArray<W>
  /** Silent for as long, but none of their regions is healthy. */
  readonly unseen: ReadonlyArray<W>
}

const isOver = (since: number, pacing: Pacing, now: number): boolean => observedUntil(since, pacing, now - slack) < now - slack

/** Silence counts only while a region is healthy, and from the start of this watcher or its return after a suspension. */
export const makeOverdueWatch = <Id>(start: number) => {
  let watchingSince = start
  let latest = start
  let soundSince = new Map<RegionId, number>()
  /** The last report of each item, and when this watcher saw it, by its own clock: those of this sweep, and of the one before. */
  type Known = Map<Id, { readonly heardAt: number | null; readonly at: number }>
  let known: Known = new Map()
  let knownBefore: Known = new Map()

  /** A changed `heardAt` counts as a report now, even if the checker's clock is wrong. */
  const heard = ({ heardAt, id }: Watched<Id>, now: number): number => {
    const before = known.get(id) ?? knownBefore.get(id)
    if (before === undefined) return heardAt === null ? 0 : Math.min(heardAt, now)
    return before.heardAt === heardAt ? before.at : now
  }

  /** A sweep takes one or more calls; an item that is absent from a whole sweep has reported. `sound` are the healthy regions. */
  const judge = <W extends Watched<Id>>(
    silent: ReadonlyArray<W>,
    sound: ReadonlySet<RegionId>,
    now: number,
    endsSweep = true
  ): Judgement<W> => {
    if (now < latest || now - latest > gap) {
      watchingSince = now
      soundSince = new Map()
      known = new Map()
      knownBefore = new Map()
    }
    latest = now
    soundSince = new Map([...sound].map((region) => [region, soundSince.get(region) ?? now]))
    for (const one of silent) known.set(one.id, { heardAt: one.heardAt, at: heard(one, now) })

    const overdue: Array<W> = []
    const unseen: Array<W> = []
    for (const one of silent) {
      const since = Math.max(known.get(one.id)?.at ?? now, one.changedAt, watchingSince)
      if (!isOver(since, one.pacing, now)) continue
      const watchers = one.regions.flatMap((region) => soundSince.get(region) ?? [])
      if (watchers.length === 0) unseen.push(one)
      else if (isOver(Math.max(since, Math.min(...watchers)), one.pacing, now)) overdue.push(one)
    }
    if (endsSweep) {
      knownBefore = known
      known = new Map()
    }
    return { overdue, unseen }
  }
  return { judge, watchingSince: () => watchingSince }
}

/** The results of the latest sweep. During a sweep, those of the one before, unless it has found more already. */
export const makeSweep = <W>() => {
  let before: Judgement<W> = { overdue: [], unseen: [] }
  let current = before
  const longer = (one: ReadonlyArray<W>, other: ReadonlyArray<W>) => one.length > other.length ? one : other
  return (found: Judgement<W>, endsSweep: boolean): Judgement<W> => {
    current = { overdue: [...current.overdue, ...found.overdue], unseen: [...current.unseen, ...found.unseen] }
    if (!endsSweep) return { overdue: longer(current.overdue, before.overdue), unseen: longer(current.unseen, before.unseen) }
    before = current
    current = { overdue: [], unseen: [] }
    return before
  }
}

/** Rate-limits work per id: selects at most `limit` ids per call, each at most once in `everyMs`, longest waiting first. */
export const makeRation = <Id>(everyMs: number, limit: number) => {
  let last = new Map<Id, number>()
  return (ids: ReadonlyArray<Id>, now: number): ReadonlySet<Id> => {
    const isRecent = (id: Id) => Math.abs(now - (last.get(id) ?? Number.NEGATIVE_INFINITY)) < everyMs
    const waiting = ids.filter((id) => !isRecent(id)).sort((one, other) => (last.get(one) ?? 0) - (last.get(other) ?? 0))
    const chosen = new Set(waiting.slice(0, limit))
    const present = new Set(ids)
    last = new Map([...last].filter(([id]) => present.has(id) || isRecent(id)))
    for (const id of chosen) last.set(id, now)
    return chosen
  }
}
