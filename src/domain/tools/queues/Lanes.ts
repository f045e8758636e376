/** The slots of a worker, in a fast and a slow lane that owners share fairly. An item that becomes slow moves to the slow lane. */
import { makeFairQueue } from "./FairQueue.ts"

export type Lane = "fast" | "slow"

/** Where an item is on its way through the lanes. */
export interface LaneState {
  lane: Lane
  /** `spread`: it waits for the rate of its host. `waiting`: it waits for a slot in its lane. */
  stage: "idle" | "spread" | "waiting" | "under_way"
  /** It is slow, and waits for a slot of the slow lane while it holds a fast one. */
  moving: boolean
}

interface LanesOptions<A> {
  readonly slots: Readonly<Record<Lane, number>>
  readonly ownerPercent: number
  readonly ownerOf: (item: A) => string
  readonly stateOf: (item: A) => LaneState
  /** Runs when an item has moved to the slow lane. */
  readonly moved?: (item: A) => void
}

export const makeLanes = <A>({ moved, ownerOf, ownerPercent, stateOf, slots }: LanesOptions<A>) => {
  const share = (lane: Lane): number => Math.max(1, Math.floor((slots[lane] * ownerPercent) / 100))
  const mostPerOwner = { fast: share("fast"), slow: share("slow") }
  const queueOf = (lane: Lane) => makeFairQueue<A>({ slots: slots[lane], mostPerOwner: mostPerOwner[lane] })
  const queues = { fast: queueOf("fast"), slow: queueOf("slow") }
  // The queues also hold entries of items that have since ended; these counters exclude them.
  const waiting = { fast: 0, slow: 0 }

  const offer = (item: A, lane: Lane): void => {
    const state = stateOf(item)
    state.stage = "waiting"
    state.lane = lane
    waiting[lane]++
    queues[lane].offer(ownerOf(item), item)
  }

  const overstay = (item: A): void => {
    stateOf(item).moving = true
    queues.slow.offer(ownerOf(item), item, true)
  }

  const nextOf = (lane: Lane): A | undefined => {
    const queue = queues[lane]
    for (let item = queue.take(); item !== undefined; item = queue.take()) {
      const state = stateOf(item)
      if (state.stage === "waiting" && state.lane === lane) {
        waiting[lane]--
        state.stage = "under_way"
        return item
      }
      if (lane === "slow" && state.moving) {
        state.moving = false
        state.lane = "slow"
        queues.fast.release(ownerOf(item))
        moved?.(item)
      } // It ended while it waited to move.
      else queue.release(ownerOf(item))
    }
    return undefined
  }

  return {
    slots,
    /** The most slots of a lane that one owner may have. */
    mostPerOwner,
    offer,
    /** Requests a slow slot for an item that runs; it keeps its fast slot until then. */
    overstay,
    // Slow lane first: an item that moves there frees a fast slot.
    /** Takes the next item that can start and gives it a slot. */
    next: (): A | undefined => nextOf("slow") ?? nextOf("fast"),
    /** Frees the slot of an item. */
    end: (item: A): void => {
      const state = stateOf(item)
      queues[state.lane].release(ownerOf(item))
      state.stage = "idle"
      state.moving = false
    },
    /** The step of a lane's queue, and whether an item that is about to start waited since then because of its own owner's share. */
    step: (lane: Lane): number => queues[lane].step(),
    heldBack: (item: A, since: number): boolean => queues[stateOf(item).lane].heldBack(ownerOf(item), since),
    /** True if the owner has used up its share of the item's lane. */
    isFull: (item: A): boolean => queues[stateOf(item).lane].heldBy(ownerOf(item)) >= mostPerOwner[stateOf(item).lane],
    inFlight: (lane: Lane): number => queues[lane].held(),
    waiting: (lane: Lane): number => waiting[lane],
    /** How many slots are neither taken nor waited for. */
    room: (lane: Lane): number => slots[lane] - queues[lane].held() - queues[lane].waiting()
  }
}
