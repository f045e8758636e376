/**
 * Limits the deliveries to each receiver's host: those in flight and those begun within a second. More wait, and a free place goes
 * to the waiting workspace that holds the fewest. `now` is in ms and must not decrease.
 */
import { type FairQueue, makeFairQueue } from "../FairQueue.ts"
import { type Fifo, makeFifo } from "../Fifo.ts"

const windowMs = 1000

export interface HostTurnsLimits {
  /** Maximum begun within a second at one host; 0 for no limit. */
  readonly perSecond: number
  /** Maximum in flight at one host. */
  readonly atOnce: number
  /** Maximum that wait for one host, and for all together. */
  readonly line: number
  readonly room: number
}

export interface HostTurns<A> {
  /** "start": it may begin now. "wait": `advance` returns it later. "full": nothing is kept. */
  readonly enter: (host: string, owner: string, item: A, now: number) => "start" | "wait" | "full"
  /** Ends what began. */
  readonly leave: (host: string, owner: string) => void
  /** Takes the waiting items that may begin now. */
  readonly advance: (now: number) => ReadonlyArray<A>
  /** In how many ms another delivery, for which the line is full, should come again: each caller gets a later time. */
  readonly postpone: (host: string, now: number) => number
  readonly waiting: () => number
}

interface Host<A> {
  readonly queue: FairQueue<A>
  /** Times of the beginnings within the last second, oldest first. */
  readonly begun: Fifo<number>
  /** When the last postponed item comes again. */
  postponedTo: number
}

/** Idle hosts are swept beyond this number, and twice the number left by the last sweep. */
const maxIdle = 1000

export const makeHostTurns = <A>({ atOnce, line, perSecond, room }: HostTurnsLimits): HostTurns<A> => {
  const hosts = new Map<string, Host<A>>()
  const crowded = new Set<Host<A>>()
  let waiting = 0
  let sweepAt = maxIdle

  const expire = ({ begun }: Host<A>, now: number): void => {
    for (let at = begun.peek(); at !== undefined && at <= now - windowMs; at = begun.peek()) begun.shift()
  }

  const isIdle = (host: Host<A>, now: number): boolean => {
    expire(host, now)
    return host.queue.held() === 0 && host.queue.waiting() === 0 && host.begun.size() === 0 && host.postponedTo <= now
  }

  const sweep = (now: number): void => {
    for (const [name, host] of hosts) if (isIdle(host, now)) hosts.delete(name)
    sweepAt = hosts.size * 2 + maxIdle
  }

  const hostOf = (name: string, now: number): Host<A> => {
    const known = hosts.get(name)
    if (known !== undefined) return known
    if (hosts.size >= sweepAt) sweep(now)
    const host: Host<A> = {
      queue: makeFairQueue<A>({ slots: atOnce, mostPerOwner: atOnce }),
      begun: makeFifo(),
      postponedTo: 0
    }
    hosts.set(name, host)
    return host
  }

  const mayBegin = (host: Host<A>): boolean => perSecond === 0 || host.begun.size() < perSecond

  const began = (host: Host<A>, now: number): void => {
    if (perSecond > 0) host.begun.push(now)
  }

  const enter = (name: string, owner: string, item: A, now: number): "start" | "wait" | "full" => {
    const host = hostOf(name, now)
    expire(host, now)
    if (host.queue.waiting() === 0 && host.queue.held() < atOnce && mayBegin(host)) {
      host.queue.hold(owner)
      began(host, now)
      return "start"
    }
    if (host.queue.waiting() >= line || waiting >= room) return "full"
    host.queue.offer(owner, item)
    crowded.add(host)
    waiting++
    return "wait"
  }

  const advance = (now: number): ReadonlyArray<A> => {
    const released: Array<A> = []
    for (const host of crowded) {
      expire(host, now)
      for (let next = mayBegin(host) ? host.queue.take() : undefined; next !== undefined;) {
        began(host, now)
        released.push(next)
        next = mayBegin(host) ? host.queue.take() : undefined
      }
      if (host.queue.waiting() === 0) crowded.delete(host)
    }
    waiting -= released.length
    return released
  }

  return {
    enter,
    leave: (name, owner) => hosts.get(name)?.queue.release(owner),
    advance,
    postpone: (name, now) => {
      const host = hostOf(name, now)
      const each = windowMs / (perSecond === 0 ? atOnce : perSecond)
      host.postponedTo = Math.max(host.postponedTo, now + line * each) + each
      return host.postponedTo - now
    },
    waiting: () => waiting
  }
}
