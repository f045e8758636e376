/**
 * A limited number of slots, shared fairly between owners: a free slot goes to the waiting owner that holds the fewest (max-min
 * fairness), and among equals to the one that has waited for its turn the longest. An owner's own items keep their order.
 */
import { makeFifo } from "./Fifo.ts"
import type { Fifo } from "./Fifo.ts"

export interface FairQueueLimits<A> {
  readonly slots: number
  /** Slots that one owner may hold: its share. */
  readonly mostPerOwner: number
  /** How much may wait, in total and of one owner, and what an item counts for. Default: no limit. */
  readonly room?: { readonly total: number; readonly perOwner: number; readonly weigh: (item: A) => number }
}

export interface FairQueue<A> {
  /** Lets an item wait; false when there is no room for it. An urgent one is served before the owner's others. */
  readonly offer: (owner: string, item: A, urgent?: boolean) => boolean
  /** The next item, whose owner holds a slot from now on; undefined while no slot is free for any owner that waits. */
  readonly take: () => A | undefined
  /** Takes a slot for an owner of whom nothing waits. */
  readonly hold: (owner: string) => void
  /** Gives back a slot of an owner. */
  readonly release: (owner: string) => void
  readonly waiting: () => number
  readonly held: () => number
  readonly heldBy: (owner: string) => number
  /** Counts the steps of this queue: its own time, for `heldBack`. */
  readonly step: () => number
  /** Asked of the owner served last: whether its share was used up at some time after `since`, so that it held itself back. */
  readonly heldBack: (owner: string, since: number) => boolean
}

interface Account<A> {
  readonly owner: string
  readonly urgent: Fifo<A>
  readonly usual: Fifo<A>
  weight: number
  held: number
  /** The last step at which its share was used up, now and before it was served last; -1 for never. */
  fullAt: number
  fullBefore: number
  /** The step at which it began to wait, or was served last. */
  turn: number
  /** Its place in the heap of those that can be served; -1 outside. */
  place: number
}

type Rank = Pick<Account<never>, "held" | "turn">

/** Whether `one` is served before `other`. */
const precedes = (one: Rank, other: Rank): boolean => one.held < other.held || (one.held === other.held && one.turn < other.turn)

/** A binary heap of accounts that know their place in it. */
const makeHeap = <A>() => {
  const heap: Array<Account<A>> = []
  const put = (account: Account<A>, place: number): void => {
    heap[place] = account
    account.place = place
  }
  const rise = (account: Account<A>): void => {
    let place = account.place
    for (let parent = heap[(place - 1) >> 1]; place > 0 && parent !== undefined && precedes(account, parent);) {
      put(parent, place)
      place = (place - 1) >> 1
      parent = heap[(place - 1) >> 1]
    }
    put(account, place)
  }
  const sink = (account: Account<A>): void => {
    let place = account.place
    for (;;) {
      const left = heap[2 * place + 1]
      const right = heap[2 * place + 2]
      const child = right !== undefined && left !== undefined && precedes(right, left) ? right : left
      if (child === undefined || !precedes(child, account)) break
      const next = child.place
      put(child, place)
      place = next
    }
    put(account, place)
  }
  return {
    first: (): Account<A> | undefined => heap[0],
    add: (account: Account<A>): void => {
      account.place = heap.length
      heap.push(account)
      rise(account)
    },
    rise,
    sink,
    removeFirst: (): void => {
      const last = heap.pop()
      const first = heap[0]
      if (first === undefined) {
        if (last !== undefined) last.place = -1
        return
      }
      first.place = -1
      if (last === undefined) return
      last.place = 0
      sink(last)
    }
  }
}

/** Owners that neither hold nor wait are forgotten once they outnumber the others and these many. */
const mostIdle = 1000

/** Each step takes time logarithmic in the number of owners that wait. */
export const makeFairQueue = <A>(limits: FairQueueLimits<A>): FairQueue<A> => {
  const { mostPerOwner, room, slots } = limits
  const accounts = new Map<string, Account<A>>()
  const heap = makeHeap<A>()
  let held = 0
  let waiting = 0
  let weightWaiting = 0
  let steps = 0
  let sweepAt = mostIdle

  const sizeOf = (account: Account<A>): number => account.urgent.size() + account.usual.size()

  const sweep = (): void => {
    for (const account of accounts.values()) {
      if (account.held === 0 && sizeOf(account) === 0) accounts.delete(account.owner)
    }
    sweepAt = accounts.size * 2 + mostIdle
  }

  const accountOf = (owner: string): Account<A> => {
    const known = accounts.get(owner)
    if (known !== undefined) return known
    if (accounts.size >= sweepAt) sweep()
    const account: Account<A> = {
      owner,
      urgent: makeFifo(),
      usual: makeFifo(),
      weight: 0,
      held: 0,
      fullAt: -1,
      fullBefore: -1,
      turn: 0,
      place: -1
    }
    accounts.set(owner, account)
    return account
  }

  const offer = (owner: string, item: A, urgent = false): boolean => {
    const account = accountOf(owner)
    if (room !== undefined) {
      const weight = room.weigh(item)
      if (weightWaiting + weight > room.total || account.weight + weight > room.perOwner) return false
      account.weight += weight
      weightWaiting += weight
    }
    steps++
    if (sizeOf(account) === 0) account.turn = steps
    if (urgent) account.urgent.push(item)
    else account.usual.push(item)
    waiting++
    if (account.place < 0 && account.held < mostPerOwner) heap.add(account)
    return true
  }

  const take = (): A | undefined => {
    const account = held < slots ? heap.first() : undefined
    if (account === undefined) return undefined
    const item = account.urgent.size() > 0 ? account.urgent.shift() : account.usual.shift()
    if (room !== undefined && item !== undefined) {
      const weight = room.weigh(item)
      account.weight -= weight
      weightWaiting -= weight
    }
    waiting--
    held++
    account.held++
    account.turn = ++steps
    account.fullBefore = account.fullAt
    if (account.held >= mostPerOwner) account.fullAt = steps
    if (sizeOf(account) === 0 || account.held >= mostPerOwner) heap.removeFirst()
    else heap.sink(account)
    return item
  }

  const hold = (owner: string): void => {
    const account = accountOf(owner)
    held++
    account.held++
    if (account.held >= mostPerOwner) account.fullAt = ++steps
  }

  const release = (owner: string): void => {
    const account = accounts.get(owner)
    if (account === undefined || account.held === 0) return
    steps++
    if (account.held >= mostPerOwner) account.fullAt = steps
    held--
    account.held--
    if (account.place >= 0) heap.rise(account)
    else if (sizeOf(account) > 0) heap.add(account)
  }

  return {
    offer,
    take,
    hold,
    release,
    waiting: () => waiting,
    held: () => held,
    heldBy: (owner) => accounts.get(owner)?.held ?? 0,
    step: () => steps,
    heldBack: (owner, since) => (accounts.get(owner)?.fullBefore ?? -1) >= since
  }
}
