/** The time since which reports are received without interruption, from the records of processes; ms by the database's clock. */

/** The record of a process that receives reports. */
export interface ListeningProcess {
  readonly id: string
  /** Since when it listens without interruption. */
  readonly began: number
  /** Since when it, or processes whose time joins its own, have listened without interruption. */
  readonly since: number
  readonly beat: number
}

export type Listeners = ReadonlyArray<ListeningProcess>

/** Since when no report can have been missed. */
export interface Listened {
  readonly since: number
  /** Until then it is open whether that holds: a process has begun, and those before it have had no time for a beat since. */
  readonly openUntil: number | null
}

/** Within this time every process that listens has sent a beat, ms. */
const othersBeatWithin = 4_000

/** After this time without a beat a process did not listen: it ended, hung, or its clock jumped, ms. */
export const silence = 10_000

/** The others have joined what a process recorded to their own records by then, ms. */
export const rememberedFor = 60_000

/** The processes of the last minute. Times in the future come from before the clock was set back. */
const known = (processes: Listeners, now: number): Listeners =>
  processes.filter(({ beat }) => beat > now - rememberedFor && beat <= now + silence).map((one) => ({
    ...one,
    began: Math.min(one.began, now),
    since: Math.min(one.since, now)
  }))

/** A time in which at least one process listened. */
interface Stretch {
  readonly begin: number
  readonly end: number
  readonly since: number
}

/** The times in which processes listened, oldest first: those that overlap are one. */
const stretchesOf = (processes: Listeners): ReadonlyArray<Stretch> => {
  const stretches: Array<Stretch> = []
  for (const { beat, began, since } of [...processes].sort((a, b) => a.began - b.began)) {
    const last = stretches.at(-1)
    if (last !== undefined && last.end > began) {
      stretches[stretches.length - 1] = { begin: last.begin, end: Math.max(last.end, beat), since: Math.min(last.since, since) }
    } else stretches.push({ begin: began, end: beat, since })
  }
  return stretches
}

/** While nobody listens, reports may be missed at this moment. */
export const listened = (listeners: Listeners, now: number): Listened => {
  const [newest, ...before] = [...stretchesOf(known(listeners, now))].reverse()
  if (newest === undefined || newest.end < now - silence) return { since: now, openUntil: null }
  let at = newest
  let openUntil: number | null = null
  for (const earlier of before) {
    if (now >= at.begin + othersBeatWithin || earlier.end < now - silence) break
    openUntil = at.begin + othersBeatWithin
    at = earlier
  }
  return { since: at.since, openUntil }
}

/** A process begins to listen. Until another shows that it listened meanwhile, reports may have been missed before. */
export const begin = (listeners: Listeners, id: string, now: number): Listeners => [
  ...known(listeners, now).filter((one) => one.id !== id),
  { id, began: now, since: now, beat: now }
]

/** A process still listens. If it was silent for too long, it begins again. */
export const beat = (listeners: Listeners, id: string, now: number): Listeners => {
  const processes = known(listeners, now)
  const own = processes.find((one) => one.id === id)
  const renewed = own === undefined || own.beat < now - silence
    ? { id, began: now, since: now, beat: now }
    : { ...own, beat: now }
  const all = [...processes.filter((one) => one.id !== id), renewed]
  const since = stretchesOf(all).at(-1)?.since ?? now
  return all.map((one) => one === renewed ? { ...one, since: Math.min(one.since, since) } : one)
}

/** Reports were lost until now, in spite of those who listen. */
export const interrupt = (listeners: Listeners, id: string, now: number): Listeners =>
  beat(listeners, id, now).map((one) => ({ ...one, since: Math.max(one.since, now) }))
