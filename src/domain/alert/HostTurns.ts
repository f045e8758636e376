/**
 * Limits the deliveries to each receiver's host: those in flight and those begun within a second. More wait, and a free place goes
 * to the waiting workspace that holds the fewest. The rate is that of all runners together; each uses its share of it, so the limit
 * holds without a word between them. `now` is in ms and must not decrease.
 */
import { type FairQueue, makeFairQueue } from "../FairQueue.ts"

const secondMs = 1000

export interface HostTurnsLimits {
  /** Maximum begun within a second at one host by all runners together; 0 for no limit. */
  readonly perSecond: number
  /** This runner's part of the rate and of the line, above 0 and up to 1. */
  readonly share: () => number
  /** Maximum in flight at one host. */
  readonly atOnce: number
  /** Maximum that wait for one host at all runners, and for all hosts at this one. */
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
  /** None as long as a single owner uses the host and nothing waits: a broadcast meets thousands of hosts, each once. */
  queue: FairQueue<A> | null
  /** The owner without a queue, and what it has in flight. */
  owner: string
  held: number
  /** Times of the beginnings within the last window, oldest first. */
  readonly begun: Array<number>
  /** When the last postponed item comes again. */
  postponedTo: number
}

/** Idle hosts are swept beyond this number, and twice the number left by the last sweep. */
const maxIdle = 1000

export const makeHostTurns = <A>({ atOnce, line, perSecond, room, share }: HostTurnsLimits): HostTurns<A> => {
  const hosts = new Map<string, Host<A>>()
  const crowded = new Set<Host<A>>()
  let waiting = 0
  let sweepAt = maxIdle

  /** Without a rate, runners need not share. */
  const part = (): number => (perSecond === 0 ? 1 : share())
  /** Whole beginnings in a window, so that those of all runners stay within the limit. Less than one a second has a longer window. */
  const mostBegun = (): number => Math.max(1, Math.floor(perSecond * part()))
  const windowMs = (): number => secondMs / Math.min(1, perSecond * part())

  const expire = ({ begun }: Host<A>, now: number): void => {
    if (perSecond === 0) return
    const windowEnd = now - windowMs()
    let past = 0
    for (let at = begun[past]; at !== undefined && at <= windowEnd; at = begun[past]) past++
    if (past > 0) begun.splice(0, past)
  }

  const heldAt = ({ held, queue }: Host<A>): number => queue?.held() ?? held
  const waitingAt = ({ queue }: Host<A>): number => queue?.waiting() ?? 0

  const queueOf = (host: Host<A>): FairQueue<A> => {
    if (host.queue !== null) return host.queue
    const queue = makeFairQueue<A>({ slots: atOnce, mostPerOwner: atOnce })
    for (let held = 0; held < host.held; held++) queue.hold(host.owner)
    host.queue = queue
    return queue
  }

  const hold = (host: Host<A>, owner: string): void => {
    if (host.queue !== null || (host.held > 0 && host.owner !== owner)) return queueOf(host).hold(owner)
    host.owner = owner
    host.held++
  }

  const isIdle = (host: Host<A>, now: number): boolean => {
    expire(host, now)
    return heldAt(host) === 0 && waitingAt(host) === 0 && host.begun.length === 0 && host.postponedTo <= now
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
      queue: null,
      owner: "",
      held: 0,
      begun: [],
      postponedTo: 0
    }
    hosts.set(name, host)
    return host
  }

  const mayBegin = (host: Host<A>): boolean => perSecond === 0 || host.begun.length < mostBegun()

  const began = (host: Host<A>, now: number): void => {
    if (perSecond > 0) host.begun.push(now)
  }

  const enter = (name: string, owner: string, item: A, now: number): "start" | "wait" | "full" => {
    const host = hostOf(name, now)
    expire(host, now)
    if (waitingAt(host) === 0 && heldAt(host) < atOnce && mayBegin(host)) {
      hold(host, owner)
      began(host, now)
      return "start"
    }
    if (waitingAt(host) >= Math.ceil(line * part()) || waiting >= room) return "full"
    queueOf(host).offer(owner, item)
    crowded.add(host)
    waiting++
    return "wait"
  }

  const advance = (now: number): ReadonlyArray<A> => {
    const released: Array<A> = []
    for (const host of crowded) {
      expire(host, now)
      const queue = queueOf(host)
      for (let next = mayBegin(host) ? queue.take() : undefined; next !== undefined;) {
        began(host, now)
        released.push(next)
        next = mayBegin(host) ? queue.take() : undefined
      }
      if (queue.waiting() === 0) crowded.delete(host)
    }
    waiting -= released.length
    return released
  }

  return {
    enter,
    leave: (name, owner) => {
      const host = hosts.get(name)
      if (host === undefined) return
      if (host.queue !== null) host.queue.release(owner)
      else if (host.held > 0) host.held--
    },
    advance,
    postpone: (name, now) => {
      const host = hostOf(name, now)
      const each = perSecond === 0 ? secondMs / atOnce : windowMs() / mostBegun()
      host.postponedTo = Math.max(host.postponedTo, now + Math.ceil(line * part()) * each) + each
      return host.postponedTo - now
    },
    waiting: () => waiting
  }
}
