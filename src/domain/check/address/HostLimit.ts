/** Limits the check starts per host. Each start holds a slot for one second; a free slot goes to the owner that holds the fewest. */
import { type FairQueue, makeFairQueue } from "../../tools/queues/FairQueue.ts"
import { makeSlidingRate, noStarts, type Starts } from "../../tools/queues/SlidingRate.ts"

interface Host<A> {
  readonly starts: Starts
  /** The waiting items; null if none wait. */
  queue: FairQueue<A> | null
}

const noItems: ReadonlyArray<never> = []

/** `perSecond`: maximum starts per host at all workers; 0 for no limit. `share`: this worker's part of it, above 0 and up to 1. */
export const makeHostLimit = <A>(perSecond: number, ownerOf: (item: A) => string, share: () => number = () => 1) => {
  const limit = makeSlidingRate(perSecond, share)
  const monitors = new Map<string, number>()
  // Only hosts that can exceed the limit: state for thousands of others would cost more than checking the limit.
  const hosts = new Map<string, Host<A>>()
  const crowded = new Set<Host<A>>()
  let waiting = 0

  const count = (name: string, change: number): void => {
    const now = (monitors.get(name) ?? 0) + change
    if (now > 0) monitors.set(name, now)
    else monitors.delete(name)
    if (now <= limit.rate() && hosts.get(name)?.queue === null) hosts.delete(name)
  }

  const expire = (host: Host<A>, now: number): void => {
    for (const owner of limit.expire(host.starts, now)) host.queue?.release(owner)
  }

  const hostOf = (name: string): Host<A> => {
    const known = hosts.get(name)
    if (known !== undefined) return known
    const host: Host<A> = { starts: noStarts(), queue: null }
    hosts.set(name, host)
    return host
  }

  /** Makes a queue in which the owners of the last second's starts hold slots. */
  const queueFor = (host: Host<A>): FairQueue<A> => {
    const queue = makeFairQueue<A>({ slots: perSecond, mostPerOwner: perSecond })
    for (const owner of host.starts.owners) queue.hold(owner)
    crowded.add(host)
    return queue
  }

  const enter = (name: string, item: A, now: number): boolean => {
    if (perSecond === 0) return true
    if ((monitors.get(name) ?? 0) <= limit.rate() && (hosts.get(name)?.queue ?? null) === null) {
      hosts.delete(name)
      return true
    }
    const owner = ownerOf(item)
    const host = hostOf(name)
    expire(host, now)
    if (host.queue === null && limit.mayStart(host.starts)) {
      limit.started(host.starts, owner, now)
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
      while (limit.mayStart(host.starts)) {
        const next = host.queue?.take()
        if (next === undefined) break
        limit.started(host.starts, ownerOf(next), now)
        released.push(next)
      }
      if (host.queue?.waiting() !== 0) continue
      host.queue = null
      crowded.delete(host)
    }
    waiting -= released.length
    return released
  }

  return {
    /** Adds to the number of monitors at the host (or subtracts). Hosts with no more monitors than the rate are not limited. */
    count,
    /** Returns true if the item can start now; else queues it until `advance` returns it. `now` must not decrease. */
    enter,
    /** Takes the waiting items that can start now. */
    advance,
    waiting: (): number => waiting
  }
}
