/**
 * Limits connections by the address that they go to and by its network, whatever names lead there. Each start counts for one second;
 * a free place goes to the waiting owner with the fewest. `now` is in ms and must not decrease.
 */
import { type FairQueue, makeFairQueue } from "../../tools/queues/FairQueue.ts"
import { makeSlidingRate, noStarts, type Starts } from "../../tools/queues/SlidingRate.ts"
import { addressPlace } from "./AddressPlace.ts"

/** The rate of one owner at an address, in rates of a name: lookups take different times, so starts that came evenly bunch a little. */
const ownTimes = 1.1
/** The rate of an address, in rates of a name: content networks serve the sites of many tenants at one address. */
export const addressTimes = 4
/** The rate of a network, in rates of a name: a content network has many addresses in it. */
export const networkTimes = 20

interface Place<A> {
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

const makePlaces = <A>(expire: (place: Place<A>, now: number) => void) => {
  const places = new Map<string, Place<A>>()
  const networks = new Map<string, Starts>()
  let sweepAt = maxIdle

  const sweep = (now: number): void => {
    const used = new Set<Starts>()
    for (const [address, place] of places) {
      expire(place, now)
      if (place.queue === null && place.starts.times.length === 0 && place.network.times.length === 0) places.delete(address)
      else used.add(place.network)
    }
    for (const [network, starts] of networks) if (!used.has(starts)) networks.delete(network)
    sweepAt = places.size * 2 + maxIdle
  }

  return {
    size: () => places.size,
    of: (text: string, now: number): Place<A> => {
      const { address, network } = addressPlace(text)
      const known = places.get(address)
      if (known !== undefined) return known
      if (places.size >= sweepAt) sweep(now)
      const shared = networks.get(network) ?? noStarts()
      networks.set(network, shared)
      const place: Place<A> = { address: text, starts: noStarts(), network: shared, queue: null }
      places.set(address, place)
      return place
    }
  }
}

export const makeAddressLimit = <A>({ ownerOf, perSecond, room, share }: AddressLimitOptions<A>) => {
  const own = makeSlidingRate(perSecond * ownTimes, share)
  const address = makeSlidingRate(perSecond * addressTimes, share)
  const network = makeSlidingRate(perSecond * networkTimes, share)
  const crowded = new Set<Place<A>>()
  const waitingOf = new Map<string, number>()
  let waiting = 0
  let turn = 0

  const expire = (place: Place<A>, now: number): void => {
    for (const owner of address.expire(place.starts, now)) place.queue?.release(owner)
    network.expire(place.network, now)
  }
  const places = makePlaces<A>(expire)

  const mayStart = (place: Place<A>): boolean => address.mayStart(place.starts) && network.mayStart(place.network)

  const started = (place: Place<A>, owner: string, now: number): void => {
    address.started(place.starts, owner, now)
    network.started(place.network, owner, now)
  }

  const startsOf = ({ starts }: Place<A>, owner: string): number => {
    let count = 0
    for (const one of starts.owners) if (one === owner) count++
    return count
  }

  const take = (text: string, owner: string, now: number): boolean => {
    if (perSecond === 0) return true
    const place = places.of(text, now)
    expire(place, now)
    if (place.queue !== null || !mayStart(place) || startsOf(place, owner) >= own.most()) return false
    started(place, owner, now)
    return true
  }

  const more = (text: string, owner: string, now: number, isPaced: boolean): boolean => {
    if (perSecond === 0) return true
    const place = places.of(text, now)
    expire(place, now)
    if (isPaced && startsOf(place, owner) >= own.most()) return false
    place.queue?.hold(owner)
    started(place, owner, now)
    return true
  }

  const queueOf = (place: Place<A>): FairQueue<A> => {
    if (place.queue !== null) return place.queue
    const queue = makeFairQueue<A>({ slots: perSecond * addressTimes, mostPerOwner: own.most() })
    for (const owner of place.starts.owners) queue.hold(owner)
    place.queue = queue
    crowded.add(place)
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
    const place = places.of(text, now)
    expire(place, now)
    queueOf(place).offer(owner, item)
    addWaiting(owner, 1)
    return true
  }

  /** Takes what may start at one address. */
  const advanceAt = (place: Place<A>, now: number, released: Array<Granted<A>>): void => {
    expire(place, now)
    while (mayStart(place)) {
      const item = place.queue?.take()
      if (item === undefined) break
      started(place, ownerOf(item), now)
      addWaiting(ownerOf(item), -1)
      released.push({ item, address: place.address })
    }
    if (place.queue?.waiting() !== 0) return
    place.queue = null
    crowded.delete(place)
  }

  const advance = (now: number): ReadonlyArray<Granted<A>> => {
    if (waiting === 0) return nothing
    const released: Array<Granted<A>> = []
    // Each time another one is first, because neighbours share the rate of their network.
    const order = [...crowded]
    const first = turn++ % Math.max(1, order.length)
    for (const place of [...order.slice(first), ...order.slice(0, first)]) advanceAt(place, now, released)
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
    size: places.size
  }
}
export type AddressLimit<A> = ReturnType<typeof makeAddressLimit<A>>
