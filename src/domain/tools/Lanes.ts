/**
 * The slots of a worker, in a fast and a slow lane; owners share each lane fairly. What becomes slow while it runs moves to the slow
 * lane, so that receivers and targets that hang do not hold fast slots.
 */
import { makeFairQueue } from "./FairQueue.ts"

export type Lane = "fast" | "slow"

/** Where an item is on its way through the lanes. */
export interface LanePlace {
  lane: Lane
  /** `spread`: it waits for the rate of its host. `waiting`: it waits for a slot in its lane. */
  stage: "idle" | "spread" | "waiting" | "under_way"
  /** It is slow, and waits for a slot of the slow lane while it holds a fast one. */
  moving: boolean
}

export interface LanesOptions<A> {
  readonly slots: Readonly<Record<Lane, number>>
  /** The share of a lane that one owner may have. */
  readonly ownerPercent: number
  readonly ownerOf: (item: A) => string
  readonly placeOf: (item: A) => LanePlace
  /** Runs when an item has moved to the slow lane. */
  readonly moved?: (item: A) => void
}

export interface Lanes<A> {
  readonly slots: Readonly<Record<Lane, number>>
  /** The most slots of a lane that one owner may have. */
  readonly mostPerOwner: Readonly<Record<Lane, number>>
  /** Queues an item for a slot of the lane. */
  readonly offer: (item: A, lane: Lane) => void
  /** Requests a slow slot for an item that runs; it keeps its fast slot until then. */
  readonly overstay: (item: A) => void
  /** Takes the next item that can start and gives it a slot. */
  readonly next: () => A | undefined
  /** Frees the slot of an item. */
  readonly end: (item: A) => void
  /** The step of a lane's queue, and whether an item that is about to start waited since then because of its own owner's share. */
  readonly step: (lane: Lane) => number
  readonly heldBack: (item: A, since: number) => boolean
  /** Whether the owner has used up its share of the item's lane. */
  readonly isFull: (item: A) => boolean
  readonly inFlight: (lane: Lane) => number
  readonly waiting: (lane: Lane) => number
  /** How many slots are neither taken nor waited for. */
  readonly room: (lane: Lane) => number
}

export const makeLanes = <A>({ moved, ownerOf, ownerPercent, placeOf, slots }: LanesOptions<A>): Lanes<A> => {
  const share = (lane: Lane): number => Math.max(1, Math.floor((slots[lane] * ownerPercent) / 100))
  const mostPerOwner = { fast: share("fast"), slow: share("slow") }
  const queueOf = (lane: Lane) => makeFairQueue<A>({ slots: slots[lane], mostPerOwner: mostPerOwner[lane] })
  const queues = { fast: queueOf("fast"), slow: queueOf("slow") }
  // The queues also hold entries of items that have since ended; these counters exclude them.
  const waiting = { fast: 0, slow: 0 }

  const offer = (item: A, lane: Lane): void => {
    const place = placeOf(item)
    place.stage = "waiting"
    place.lane = lane
    waiting[lane]++
    queues[lane].offer(ownerOf(item), item)
  }

  const overstay = (item: A): void => {
    placeOf(item).moving = true
    queues.slow.offer(ownerOf(item), item, true)
  }

  const nextOf = (lane: Lane): A | undefined => {
    const queue = queues[lane]
    for (let item = queue.take(); item !== undefined; item = queue.take()) {
      const place = placeOf(item)
      if (place.stage === "waiting" && place.lane === lane) {
        waiting[lane]--
        place.stage = "under_way"
        return item
      }
      if (lane === "slow" && place.moving) {
        place.moving = false
        place.lane = "slow"
        queues.fast.release(ownerOf(item))
        moved?.(item)
      } // It ended while it waited to move.
      else queue.release(ownerOf(item))
    }
    return undefined
  }

  return {
    slots,
    mostPerOwner,
    offer,
    overstay,
    // Slow lane first: an item that moves there frees a fast slot.
    next: () => nextOf("slow") ?? nextOf("fast"),
    end: (item) => {
      const place = placeOf(item)
      queues[place.lane].release(ownerOf(item))
      place.stage = "idle"
      place.moving = false
    },
    step: (lane) => queues[lane].step(),
    heldBack: (item, since) => queues[placeOf(item).lane].heldBack(ownerOf(item), since),
    isFull: (item) => queues[placeOf(item).lane].heldBy(ownerOf(item)) >= mostPerOwner[placeOf(item).lane],
    inFlight: (lane) => queues[lane].held(),
    waiting: (lane) => waiting[lane],
    room: (lane) => slots[lane] - queues[lane].held() - queues[lane].waiting()
  }
}
