/**
 * Limits the rate of check starts per host, over a sliding window of one second; checks above the limit wait no longer than
 * needed. Each start holds a slot for one second, and a free slot goes to the waiting owner that holds the fewest. The rate is
 * that of all workers of a region together; each uses its share of it, so the limit needs no messages between them.
 */
import { makeFairQueue } from "../../tools/FairQueue.ts"
import type { FairQueue } from "../../tools/FairQueue.ts"
import { makeFifo } from "../../tools/Fifo.ts"
import type { Fifo } from "../../tools/Fifo.ts"

const secondMs = 1000

export interface HostLimit<A> {
  /** Adds to the number of monitors at the host (or subtracts). Hosts with no more monitors than the rate are not limited. */
  readonly count: (host: string, monitors: number) => void
  /** Returns true if the item can start now; else queues it until `advance` returns it. `now` must not decrease. */
  readonly enter: (host: string, item: A, now: number) => boolean
  /** Takes the waiting items that can start now. */
  readonly advance: (now: number) => ReadonlyArray<A>
  readonly waiting: () => number
}

interface Host<A> {
  /** Times and owners of the starts in the last second, oldest first. */
  readonly starts: Fifo<number>
  readonly starters: Fifo<string>
  /** The waiting items; null if none wait. */
  queue: FairQueue<A> | null
}

const noItems: ReadonlyArray<never> = []

/**
 * `perSecond`: maximum starts per second and host at all workers; 0 for no limit. `share`: this worker's part of it, above 0 and up
 * to 1.
 */
export const makeHostLimit = <A>(
  perSecond: number,
  ownerOf: (item: A) => string,
  share: () => number = () => 1
): HostLimit<A> => {
  const monitors = new Map<string, number>()
  // Only hosts that can exceed the limit: state for thousands of others would cost more than checking the limit.
  const hosts = new Map<string, Host<A>>()
  const crowded = new Set<Host<A>>()
  let waiting = 0

  const rate = (): number => perSecond * share()
  /** Whole starts in a window, so that those of all workers stay within the limit. Less than one a second has a longer window. */
  const mostStarts = (): number => Math.max(1, Math.floor(rate()))
  const windowMs = (): number => secondMs / Math.min(1, rate())
  const mayStart = (host: Host<A>): boolean => host.starts.size() < mostStarts()

  const count = (name: string, change: number): void => {
    const now = (monitors.get(name) ?? 0) + change
    if (now > 0) monitors.set(name, now)
    else monitors.delete(name)
    if (now <= rate() && hosts.get(name)?.queue === null) hosts.delete(name)
  }

  const expire = (host: Host<A>, now: number): void => {
    const windowEnd = now - windowMs()
    for (let start = host.starts.peek(); start !== undefined && start <= windowEnd; start = host.starts.peek()) {
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

  /** Makes a queue in which the owners of the last second's starts hold slots. */
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
    if ((monitors.get(name) ?? 0) <= rate() && (hosts.get(name)?.queue ?? null) === null) {
      hosts.delete(name)
      return true
    }
    const owner = ownerOf(item)
    const host = hostOf(name)
    expire(host, now)
    if (host.queue === null && mayStart(host)) {
      began(host, owner, now)
      return true
    }
    host.queue ??= queueFor(host)
    host.queue.offer(owner, item)
    waiting++
    return false
  }

  const advance = (now: number): ReadonlyArray<A> => {
    if (waiting === 0) return noItems
    const released: Array<A> = []
    for (const host of crowded) {
      expire(host, now)
      while (mayStart(host)) {
        const next = host.queue?.take()
        if (next === undefined) break
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
