/** Shares slots by max-min fairness: a free one goes to the waiting owner with the fewest, of several to the longest waiting. */
import { type Fifo, makeFifo } from "./Fifo.ts"

interface FairQueueLimits<A> {
  readonly slots: number
  /** Maximum slots per owner: its share. */
  readonly mostPerOwner: number
  /** Maximum weight of the waiting items, in total and per owner; `weigh` returns an item's weight. Default: no limit. */
  readonly room?: { readonly total: number; readonly perOwner: number; readonly weigh: (item: A) => number }
}

export type FairQueue<A> = ReturnType<typeof makeFairQueue<A>>

interface Account<A> {
  readonly owner: string
  readonly urgent: Fifo<A>
  readonly usual: Fifo<A>
  weight: number
  held: number
  /** The last step at which its share was used up: the latest value, and the value before it was last served; -1 for never. */
  fullAt: number
  fullBefore: number
  /** The step at which it started to wait or was last served. */
  order: number
  /** Its index in the heap of owners that can be served; -1 if not in the heap. */
  index: number
}

type Rank = Pick<Account<never>, "held" | "order">

const precedes = (one: Rank, other: Rank): boolean =>
  one.held < other.held || (one.held === other.held && one.order < other.order)

/** A binary heap of accounts; each account stores its index. */
const makeHeap = <A>() => {
  const heap: Array<Account<A>> = []
  const put = (account: Account<A>, index: number): void => {
    heap[index] = account
    account.index = index
  }
  const rise = (account: Account<A>): void => {
    let index = account.index
    for (let parent = heap[(index - 1) >> 1]; index > 0 && parent !== undefined && precedes(account, parent);) {
      put(parent, index)
      index = (index - 1) >> 1
      parent = heap[(index - 1) >> 1]
    }
    put(account, index)
  }
  const sink = (account: Account<A>): void => {
    let index = account.index
    for (;;) {
      const left = heap[2 * index + 1]
      const right = heap[2 * index + 2]
      const child = right !== undefined && left !== undefined && precedes(right, left) ? right : left
      if (child === undefined || !precedes(child, account)) break
      const next = child.index
      put(child, index)
      index = next
    }
    put(account, index)
  }
  return {
    first: (): Account<A> | undefined => heap[0],
    add: (account: Account<A>): void => {
      account.index = heap.length
      heap.push(account)
      rise(account)
    },
    rise,
    sink,
    remove: (account: Account<A>): void => {
      const { index } = account
      const last = heap.pop()
      account.index = -1
      if (last === undefined || last === account) return
      put(last, index)
      rise(last)
      sink(last)
    }
  }
}

/** A sweep deletes idle owners once the accounts exceed this number and twice the number left by the last sweep. */
const maxIdle = 1000

/** Each operation takes O(log n) time for n waiting owners. */
export const makeFairQueue = <A>(limits: FairQueueLimits<A>) => {
  const { mostPerOwner, room, slots } = limits
  const accounts = new Map<string, Account<A>>()
  const heap = makeHeap<A>()
  let held = 0
  let waiting = 0
  let weightWaiting = 0
  let steps = 0
  let sweepAt = maxIdle

  const sizeOf = (account: Account<A>): number => account.urgent.size() + account.usual.size()

  const sweep = (): void => {
    for (const account of accounts.values()) {
      if (account.held === 0 && sizeOf(account) === 0) accounts.delete(account.owner)
    }
    sweepAt = accounts.size * 2 + maxIdle
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
      order: 0,
      index: -1
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
    if (sizeOf(account) === 0) account.order = steps
    if (urgent) account.urgent.push(item)
    else account.usual.push(item)
    waiting++
    if (account.index < 0 && account.held < mostPerOwner) heap.add(account)
    return true
  }

  const removed = (account: Account<A>, item: A): void => {
    waiting--
    if (room === undefined) return
    const weight = room.weigh(item)
    account.weight -= weight
    weightWaiting -= weight
  }

  const take = (): A | undefined => {
    const account = held < slots ? heap.first() : undefined
    if (account === undefined) return undefined
    const item = account.urgent.size() > 0 ? account.urgent.shift() : account.usual.shift()
    if (item !== undefined) removed(account, item)
    held++
    account.held++
    account.order = ++steps
    account.fullBefore = account.fullAt
    if (account.held >= mostPerOwner) account.fullAt = steps
    if (sizeOf(account) === 0 || account.held >= mostPerOwner) heap.remove(account)
    else heap.sink(account)
    return item
  }

  /** Counts an item that left without being served. */
  const left = (account: Account<A>, item: A): A => {
    removed(account, item)
    if (sizeOf(account) === 0 && account.index >= 0) heap.remove(account)
    return item
  }

  const drop = (owner: string): A | undefined => {
    const account = accounts.get(owner)
    const item = account?.usual.shift()
    return account === undefined || item === undefined ? undefined : left(account, item)
  }

  const dropNewest = (owner: string): A | undefined => {
    const account = accounts.get(owner)
    const item = account?.usual.pop() ?? account?.urgent.pop()
    return account === undefined || item === undefined ? undefined : left(account, item)
  }

  /**
   * Takes out the newest item of the owner whose waiting items weigh most, to make room for an item of another; undefined if that one's
   * would then weigh as much or more, or more than its room. Looks through the accounts, so it is for a queue that is full.
   */
  const displace = (owner: string, item: A): A | undefined => {
    let giver: Account<A> | undefined
    for (const account of accounts.values()) if (account.weight > (giver?.weight ?? 0)) giver = account
    const weight = room?.weigh(item) ?? 0
    const own = (accounts.get(owner)?.weight ?? 0) + weight
    return giver === undefined || giver.weight <= own || own > (room?.perOwner ?? own) ? undefined : dropNewest(giver.owner)
  }

  const offerOrDisplace = (owner: string, item: A, displaced: (other: A) => void, urgent = false): boolean => {
    while (!offer(owner, item, urgent)) {
      const other = displace(owner, item)
      if (other === undefined) return false
      displaced(other)
    }
    return true
  }

  const remove = (owner: string, item: A): boolean => {
    const account = accounts.get(owner)
    if (account === undefined || !(account.usual.remove(item) || account.urgent.remove(item))) return false
    left(account, item)
    return true
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
    if (account.index >= 0) heap.rise(account)
    else if (sizeOf(account) > 0) heap.add(account)
  }

  return {
    /** Queues an item; returns false if there is no room. Urgent items are served before the owner's other items. */
    offer,
    /** The same, but in a full queue the owner with most that waits makes room: `displaced` receives its newest items. */
    offerOrDisplace,
    /** Takes the next item and gives its owner a slot; undefined if no waiting owner can have a slot. */
    take,
    /** Removes and returns the oldest of the owner's waiting items that are not urgent. */
    drop,
    /** Removes and returns the newest of the owner's waiting items; those that are not urgent go first. */
    dropNewest,
    /** Removes a waiting item of the owner, in time proportional to those before it; returns false if it does not wait. */
    remove,
    /** Gives a slot to an owner that has no waiting items. */
    hold,
    /** Frees a slot of an owner. */
    release,
    waiting: (): number => waiting,
    held: (): number => held,
    heldBy: (owner: string): number => accounts.get(owner)?.held ?? 0,
    /** The current step: the queue's logical clock, for `heldBack`. */
    step: (): number => steps,
    /** For the owner served last: whether its own share was used up at any step from `since` on and so delayed it. */
    heldBack: (owner: string, since: number): boolean => (accounts.get(owner)?.fullBefore ?? -1) >= since
  }
}
