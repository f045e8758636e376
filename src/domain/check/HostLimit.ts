/**
 * Spreads checks at one host: at most so many begin within any second, and the others wait for as little as needed. A start
 * holds one of the second's slots for that second, and free slots go to the waiting owner that holds the fewest.
 */
import { makeFairQueue } from "../FairQueue.ts"
import type { FairQueue } from "../FairQueue.ts"
import { makeFifo } from "../Fifo.ts"
import type { Fifo } from "../Fifo.ts"

const windowMs = 1000

export interface HostLimit<A> {
  /** So many more monitors (fewer when negative) are at the host. Hosts with no more monitors than starts are not limited. */
  readonly count: (host: string, monitors: number) => void
  /** Whether the item may begin now; otherwise it waits, and `advance` hands it out. `now` never runs backwards. */
  readonly enter: (host: string, item: A, now: number) => boolean
  /** The waiting items that may begin now. */
  readonly advance: (now: number) => ReadonlyArray<A>
  readonly waiting: () => number
}

interface Host<A> {
  /** The starts of the last second, oldest first: when, and by whom. */
  readonly starts: Fifo<number>
  readonly starters: Fifo<string>
  /** What waits; only while something does. */
  queue: FairQueue<A> | null
}

const nothing: ReadonlyArray<never> = []

/** `perSecond` 0 limits nothing. */
export const makeHostLimit = <A>(perSecond: number, ownerOf: (item: A) => string): HostLimit<A> => {
  const monitors = new Map<string, number>()
  // Only of hosts that could be crowded: what is kept for each of thousands of others would cost more than the check of the limit.
  const hosts = new Map<string, Host<A>>()
  const crowded = new Set<Host<A>>()
  let waiting = 0

  const count = (name: string, change: number): void => {
    const now = (monitors.get(name) ?? 0) + change
    if (now > 0) monitors.set(name, now)
    else monitors.delete(name)
    if (now <= perSecond && hosts.get(name)?.queue === null) hosts.delete(name)
  }

  const expire = (host: Host<A>, now: number): void => {
    for (let start = host.starts.peek(); start !== undefined && start <= now - windowMs; start = host.starts.peek()) {
      host.starts.shift()
      const starter = host.starters.shift()
      if (starter !== undefined) host.queue?.release(starter)
    }
  }

  const hostOf = (name: string): Host<A> => {
    const known = hosts.get(name)
    if (known !== undefined) return known
    const host: Host<A> = { starts: makeFifo(), starters: makeFifo(), queue: null }
    hosts.set(name, host)
    return host
  }

  /** A queue whose slots are held by those that began in the last second. */
  const queueFor = (host: Host<A>): FairQueue<A> => {
    const queue = makeFairQueue<A>({ slots: perSecond, mostPerOwner: perSecond })
    for (let left = host.starters.size(); left > 0; left--) {
      const starter = host.starters.shift() ?? ""
      host.starters.push(starter)
      queue.hold(starter)
    }
    crowded.add(host)
    return queue
  }

  const began = (host: Host<A>, owner: string, now: number): void => {
    host.starts.push(now)
    host.starters.push(owner)
  }

  const enter = (name: string, item: A, now: number): boolean => {
    if (perSecond === 0) return true
    if ((monitors.get(name) ?? 0) <= perSecond && (hosts.get(name)?.queue ?? null) === null) {
      hosts.delete(name)
      return true
    }
    const owner = ownerOf(item)
    const host = hostOf(name)
    expire(host, now)
    if (host.queue === null && host.starts.size() < perSecond) {
      began(host, owner, now)
      return true
    }
    host.queue ??= queueFor(host)
    host.queue.offer(owner, item)
    waiting++
    return false
  }

  const advance = (now: number): ReadonlyArray<A> => {
    if (waiting === 0) return nothing
    const released: Array<A> = []
    for (const host of crowded) {
      expire(host, now)
      for (let next = host.queue?.take(); next !== undefined; next = host.queue?.take()) {
        began(host, ownerOf(next), now)
        released.push(next)
      }
      if (host.queue?.waiting() !== 0) continue
      host.queue = null
      crowded.delete(host)
    }
    waiting -= released.length
    return released
  }

  return { count, enter, advance, waiting: () => waiting }
}
