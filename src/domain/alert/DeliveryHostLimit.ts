/**
 * Limits the deliveries in flight at each receiver's host, and those begun within a second. A free slot goes to the waiting workspace
 * that holds the fewest. An item that finds the queue full displaces the newest one of the workspace that has most. `now` is in ms and
 * must not decrease.
 */
import { type FairQueue, makeFairQueue } from "../tools/queues/FairQueue.ts"
import { makeSlidingRate, noStarts, type Starts } from "../tools/queues/SlidingRate.ts"
import { makeWaitingShares, type WaitingShares } from "../tools/queues/WaitingShares.ts"

interface HostLimits<A> {
  /** Maximum begun within a second at one host by all runners together; 0 for no limit. */
  readonly perSecond: number
  /** This runner's part of the rate and of the queue, above 0 and up to 1. */
  readonly share: () => number
  readonly atOnce: number
  /** Maximum that wait for one host at all runners, and for all hosts at this one. */
  readonly mostQueued: number
  readonly room: number
  /** Receives an item that waited and gave its place up: it is not kept any more. */
  readonly displaced: (item: A) => void
}

interface Entry<A> {
  readonly owner: string
  readonly item: A
}

interface Host<A> {
  readonly name: string
  /** None as long as a single owner uses the host and nothing waits: a broadcast meets thousands of hosts, each once. */
  queue: FairQueue<Entry<A>> | null
  /** Waiting items by owner; null as `queue` is. */
  shares: WaitingShares | null
  /** The only owner while `queue` is null, and its items in flight. */
  owner: string
  held: number
  readonly begun: Starts
  /** None as long as nothing was postponed. */
  postponed: Postponed | null
}

/** Idle hosts are swept beyond this number, and twice the number left by the last sweep. So are owners of postponed items. */
const maxIdle = 1000

/** When the last postponed item of each owner comes again. */
const makePostponed = () => {
  const times = new Map<string, number>()
  let latest = 0
  let sweepAt = maxIdle
  return {
    latest: () => latest,
    /** The next time of an owner: so long after its last one, or after `earliest`. */
    next: (owner: string, earliest: number, after: number, now: number): number => {
      if (times.size >= sweepAt) {
        for (const [one, time] of times) if (time <= now) times.delete(one)
        sweepAt = times.size * 2 + maxIdle
      }
      const time = Math.max(times.get(owner) ?? 0, earliest) + after
      times.set(owner, time)
      latest = Math.max(latest, time)
      return time
    }
  }
}
type Postponed = ReturnType<typeof makePostponed>

const makeCrowd = () => {
  const owners = makeWaitingShares()
  const hosts = new Map<string, WaitingShares>()
  return {
    size: owners.size,
    giverFor: owners.giverFor,
    hostOf: (owner: string): string | undefined => hosts.get(owner)?.largest(),
    add: (owner: string, host: string): void => {
      const own = hosts.get(owner) ?? makeWaitingShares()
      hosts.set(owner, own)
      own.add(host)
      owners.add(owner)
    },
    remove: (owner: string, host: string): void => {
      const own = hosts.get(owner)
      own?.remove(host)
      if (own?.size() === 0) hosts.delete(owner)
      owners.remove(owner)
    }
  }
}

export const makeDeliveryHostLimit = <A>({ atOnce, displaced, mostQueued, perSecond, room, share }: HostLimits<A>) => {
  const hosts = new Map<string, Host<A>>()
  const crowded = new Set<Host<A>>()
  const crowd = makeCrowd()
  let sweepAt = maxIdle

  /** Without a rate, runners need not share. */
  const part = (): number => (perSecond === 0 ? 1 : share())
  const limit = makeSlidingRate(perSecond, share)

  const heldAt = ({ held, queue }: Host<A>): number => queue?.held() ?? held
  const waitingAt = ({ queue }: Host<A>): number => queue?.waiting() ?? 0

  const queueOf = (host: Host<A>): FairQueue<Entry<A>> => {
    if (host.queue !== null) return host.queue
    const queue = makeFairQueue<Entry<A>>({ slots: atOnce, mostPerOwner: atOnce })
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
    limit.expire(host.begun, now)
    return heldAt(host) === 0 && waitingAt(host) === 0 && host.begun.times.length === 0 && (host.postponed?.latest() ?? 0) <= now
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
      name,
      queue: null,
      shares: null,
      owner: "",
      held: 0,
      begun: noStarts(),
      postponed: null
    }
    hosts.set(name, host)
    return host
  }

  const wait = (host: Host<A>, entry: Entry<A>): void => {
    queueOf(host).offer(entry.owner, entry)
    host.shares ??= makeWaitingShares()
    host.shares.add(entry.owner)
    crowd.add(entry.owner, host.name)
    crowded.add(host)
  }

  const waitsNoLonger = (host: Host<A>, { owner }: Entry<A>): void => {
    host.shares?.remove(owner)
    crowd.remove(owner, host.name)
  }

  const giveUp = (host: Host<A> | undefined, owner: string | undefined): Entry<A> | null => {
    const newest = owner === undefined ? undefined : host?.queue?.dropNewest(owner)
    if (host === undefined || newest === undefined) return null
    waitsNoLonger(host, newest)
    return newest
  }

  /** Makes room for one more item of the owner, in the host's queue or among all that wait. Null if nobody gives way. */
  const displace = (host: Host<A>, owner: string): Entry<A> | null => {
    if (waitingAt(host) >= Math.ceil(mostQueued * part())) return giveUp(host, host.shares?.giverFor(owner))
    const giver = crowd.giverFor(owner)
    return giver === undefined ? null : giveUp(hosts.get(crowd.hostOf(giver) ?? ""), giver)
  }

  const enter = (name: string, owner: string, item: A, now: number): "start" | "wait" | "full" => {
    const host = hostOf(name, now)
    limit.expire(host.begun, now)
    if (waitingAt(host) === 0 && heldAt(host) < atOnce && limit.mayStart(host.begun)) {
      hold(host, owner)
      limit.started(host.begun, owner, now)
      return "start"
    }
    const isFull = waitingAt(host) >= Math.ceil(mostQueued * part()) || crowd.size() >= room
    const left = isFull ? displace(host, owner) : null
    if (isFull && left === null) return "full"
    wait(host, { owner, item })
    if (left !== null) displaced(left.item)
    return "wait"
  }

  const advance = (now: number): ReadonlyArray<A> => {
    const released: Array<A> = []
    for (const host of crowded) {
      limit.expire(host.begun, now)
      const queue = queueOf(host)
      for (let next = limit.mayStart(host.begun) ? queue.take() : undefined; next !== undefined;) {
        limit.started(host.begun, next.owner, now)
        waitsNoLonger(host, next)
        released.push(next.item)
        next = limit.mayStart(host.begun) ? queue.take() : undefined
      }
      if (queue.waiting() === 0) crowded.delete(host)
    }
    return released
  }

  const postpone = (name: string, owner: string, now: number): number => {
    const host = hostOf(name, now)
    const each = perSecond === 0 ? 1000 / atOnce : limit.spacing()
    const owners = Math.max(1, host.shares?.owners() ?? 0)
    host.postponed ??= makePostponed()
    return host.postponed.next(owner, now + Math.ceil(mostQueued * part()) * each, each * owners, now) - now
  }

  return {
    /** "start": it may begin now. "wait": `advance` returns it later. "full": nothing is kept. */
    enter,
    /** Ends an item that began. */
    leave: (name: string, owner: string): void => {
      const host = hosts.get(name)
      if (host === undefined) return
      if (host.queue !== null) host.queue.release(owner)
      else if (host.held > 0) host.held--
    },
    /** Takes the waiting items that may begin now. */
    advance,
    /** The retry delay of a delivery that is not kept, ms: longer each time, by the owner's part of the host's rate. */
    postpone,
    waiting: crowd.size
  }
}
