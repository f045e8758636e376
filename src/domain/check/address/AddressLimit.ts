/**
 * Limits connections by the address that they go to and by its network, whatever names lead there. Each start counts for one second;
 * a free start goes to the waiting owner with the fewest. `now` is in ms and must not decrease.
 */
import { type FairQueue, makeFairQueue } from "../../tools/queues/FairQueue.ts"
import { makeSlidingRate, noStarts, type Starts } from "../../tools/queues/SlidingRate.ts"
import { destinationOf } from "./Destination.ts"

/** The rate of one owner at an address, in rates of a name: lookups take different times, so starts that came evenly bunch a little. */
const ownTimes = 1.1
/** The rate of an address, in rates of a name: content networks serve the sites of many tenants at one address. */
export const addressTimes = 4
/** The rate of a network, in rates of a name: a content network has many addresses in it. */
export const networkTimes = 20

interface Counts<A> {
  readonly address: string
  readonly starts: Starts
  /** The starts at its network, shared with its neighbours. */
  readonly network: Starts
  /** The waiting items; null if none wait. */
  queue: FairQueue<A> | null
}

/** An item that waited, and the address at which it has a turn now. */
interface Granted<A> {
  readonly item: A
  readonly address: string
}

interface AddressLimitOptions<A> {
  /** Starts per second at one name by all workers, of which owners, addresses and networks have multiples; 0 for no limit. */
  readonly perSecond: number
  readonly ownerOf: (item: A) => string
  /** This worker's part of the rates, above 0 and up to 1. */
  readonly share: () => number
  /** Maximum that wait, and of one owner. Default: no limit. */
  readonly room?: { readonly total: number; readonly perOwner: number }
}

const nothing: ReadonlyArray<never> = []

/** Idle addresses are swept beyond this number, and twice the number left by the last sweep. */
const maxIdle = 1000

const makeCounts = <A>(expire: (counts: Counts<A>, now: number) => void) => {
  const byAddress = new Map<string, Counts<A>>()
  const networks = new Map<string, Starts>()
  let sweepAt = maxIdle

  const sweep = (now: number): void => {
    const used = new Set<Starts>()
    for (const [address, counts] of byAddress) {
      expire(counts, now)
      if (counts.queue === null && counts.starts.times.length === 0 && counts.network.times.length === 0) {
        byAddress.delete(address)
      } else used.add(counts.network)
    }
    for (const [network, starts] of networks) if (!used.has(starts)) networks.delete(network)
    sweepAt = byAddress.size * 2 + maxIdle
  }

  return {
    size: () => byAddress.size,
    of: (text: string, now: number): Counts<A> => {
      const { address, network } = destinationOf(text)
      const known = byAddress.get(address)
      if (known !== undefined) return known
      if (byAddress.size >= sweepAt) sweep(now)
      const shared = networks.get(network) ?? noStarts()
      networks.set(network, shared)
      const counts: Counts<A> = { address: text, starts: noStarts(), network: shared, queue: null }
      byAddress.set(address, counts)
      return counts
    }
  }
}

export const makeAddressLimit = <A>({ ownerOf, perSecond, room, share }: AddressLimitOptions<A>) => {
  const own = makeSlidingRate(perSecond * ownTimes, share)
  const address = makeSlidingRate(perSecond * addressTimes, share)
  const network = makeSlidingRate(perSecond * networkTimes, share)
  const crowded = new Set<Counts<A>>()
  const waitingOf = new Map<string, number>()
  let waiting = 0
  let turn = 0

  const expire = (counts: Counts<A>, now: number): void => {
    for (const owner of address.expire(counts.starts, now)) counts.queue?.release(owner)
    network.expire(counts.network, now)
  }
  const byAddress = makeCounts<A>(expire)

  const mayStart = (counts: Counts<A>): boolean => address.mayStart(counts.starts) && network.mayStart(counts.network)

  const started = (counts: Counts<A>, owner: string, now: number): void => {
    address.started(counts.starts, owner, now)
    network.started(counts.network, owner, now)
  }

  const startsOf = ({ starts }: Counts<A>, owner: string): number => {
    let count = 0
    for (const one of starts.owners) if (one === owner) count++
    return count
  }

  const take = (text: string, owner: string, now: number): boolean => {
    if (perSecond === 0) return true
    const counts = byAddress.of(text, now)
    expire(counts, now)
    if (counts.queue !== null || !mayStart(counts) || startsOf(counts, owner) >= own.most()) return false
    started(counts, owner, now)
    return true
  }

  const more = (text: string, owner: string, now: number, isPaced: boolean): boolean => {
    if (perSecond === 0) return true
    const counts = byAddress.of(text, now)
    expire(counts, now)
    if (isPaced && startsOf(counts, owner) >= own.most()) return false
    counts.queue?.hold(owner)
    started(counts, owner, now)
    return true
  }

  const queueOf = (counts: Counts<A>): FairQueue<A> => {
    if (counts.queue !== null) return counts.queue
    const queue = makeFairQueue<A>({ slots: perSecond * addressTimes, mostPerOwner: own.most() })
    for (const owner of counts.starts.owners) queue.hold(owner)
    counts.queue = queue
    crowded.add(counts)
    return queue
  }

  const addWaiting = (owner: string, change: 1 | -1): void => {
    const left = (waitingOf.get(owner) ?? 0) + change
    if (left > 0) waitingOf.set(owner, left)
    else waitingOf.delete(owner)
    waiting += change
  }

  const wait = (text: string, item: A, now: number): boolean => {
    const owner = ownerOf(item)
    if (room !== undefined && (waiting >= room.total || (waitingOf.get(owner) ?? 0) >= room.perOwner)) return false
    const counts = byAddress.of(text, now)
    expire(counts, now)
    queueOf(counts).offer(owner, item)
    addWaiting(owner, 1)
    return true
  }

  /** Takes what may start at one address. */
  const advanceAt = (counts: Counts<A>, now: number, released: Array<Granted<A>>): void => {
    expire(counts, now)
    while (mayStart(counts)) {
      const item = counts.queue?.take()
      if (item === undefined) break
      started(counts, ownerOf(item), now)
      addWaiting(ownerOf(item), -1)
      released.push({ item, address: counts.address })
    }
    if (counts.queue?.waiting() !== 0) return
    counts.queue = null
    crowded.delete(counts)
  }

  const advance = (now: number): ReadonlyArray<Granted<A>> => {
    if (waiting === 0) return nothing
    const released: Array<Granted<A>> = []
    // Each time another one is first, because neighbours share the rate of their network.
    const order = [...crowded]
    const first = turn++ % Math.max(1, order.length)
    for (const counts of [...order.slice(first), ...order.slice(0, first)]) advanceAt(counts, now, released)
    return released
  }

  return {
    /** Whether a connection may begin now: then it is counted. Never while others wait for the address. */
    take,
    /** Counts one more connection of something that had its turn. If it is paced, not beyond the owner's rate: then it is false. */
    more,
    /** Queues an item until `advance` returns it, with its turn. False if there is no room: it is not kept. */
    wait,
    /** Takes the waiting items that have their turns now. */
    advance,
    waiting: (): number => waiting,
    /** The addresses in memory. */
    size: byAddress.size
  }
}
export type AddressLimit<A> = ReturnType<typeof makeAddressLimit<A>>
