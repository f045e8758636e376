/**
 * Processes the items of many owners, such as workspaces, in groups. An owner whose part fails, such as for locked rows, rests and is
 * tried apart until that works. The items of an owner are done in order, in one group at a time.
 */

export interface TogetherLimits<A> {
  readonly ownerOf: (item: A) => string
  /** The most items of a group, and those of one owner in it. Default: no limit. */
  readonly mostInGroup?: { readonly items: number; readonly ofOne: number }
  /** The most owners of a group apart. Default: 1, since a group that fails does not say whose part it was. */
  readonly mostOwnersApart?: number
  /** How long an owner rests after its first failure, ms; twice as long after each further one. */
  readonly rest: { readonly first: number; readonly longest: number }
  /** The items of a group that was tried this often are given up. */
  readonly mostTries: number
  /** Items beyond this are dropped: the oldest of the owner that holds the most. Default: no limit. */
  readonly room?: { readonly items: number; readonly bytes: number; readonly bytesOf: (item: A) => number }
}

export interface Group<A> {
  readonly items: ReadonlyArray<A>
  /** How many of the items are of each owner, which has no other group meanwhile. */
  readonly owners: ReadonlyMap<string, number>
}

interface Waiter<A> {
  readonly owner: string
  items: Array<A>
  bytes: number
  /** How many of the first items are in a group that has not ended. */
  underWay: number
  /** Failures since the last success. */
  failures: number
  restsUntil: number
}

/** How long something rests after so many failures in a row, ms. */
export const restAfter = ({ first, longest }: TogetherLimits<never>["rest"], failures: number): number =>
  Math.min(longest, first * 2 ** (failures - 1))

/** The waiter that holds the most and has something to drop. */
const largest = <A>(waiters: Iterable<Waiter<A>>): Waiter<A> | undefined => {
  let found: Waiter<A> | undefined
  for (const one of waiters) {
    if (one.items.length > one.underWay && (found === undefined || one.bytes > found.bytes)) found = one
  }
  return found
}

/** The waiters that have rested, those that failed least first, so that nobody waits for one that fails again and again. */
const rested = <A>(waiters: Iterable<Waiter<A>>, now: number): Array<Waiter<A>> =>
  [...waiters].filter(({ restsUntil }) => restsUntil <= now).sort((one, other) => one.failures - other.failures)

export const makeTogetherThenApart = <A>(limits: TogetherLimits<A>) => {
  const { mostInGroup = { items: Infinity, ofOne: Infinity }, mostOwnersApart = 1, mostTries, ownerOf, rest, room } = limits
  const waiters = new Map<string, Waiter<A>>()
  /** In the order of their turns: those that may share a group, and those that failed. None of a group that has not ended. */
  const ready = new Set<Waiter<A>>()
  const apart = new Set<Waiter<A>>()
  let count = 0
  let bytes = 0

  const weigh = (waiter: Waiter<A>, item: A, sign: 1 | -1): void => {
    const size = room === undefined ? 0 : room.bytesOf(item)
    count += sign
    bytes += sign * size
    waiter.bytes += sign * size
  }

  /** Gives the waiter its next turn, or forgets it when nothing waits. */
  const queue = (waiter: Waiter<A>): void => {
    if (waiter.underWay > 0) return
    ready.delete(waiter)
    apart.delete(waiter)
    if (waiter.items.length === 0) waiters.delete(waiter.owner)
    else (waiter.failures === 0 ? ready : apart).add(waiter)
  }

  const dropBeyond = (): number => {
    let dropped = 0
    while (room !== undefined && (count > room.items || bytes > room.bytes)) {
      const waiter = largest(waiters.values())
      const [oldest] = waiter?.items.splice(waiter.underWay, 1) ?? []
      if (waiter === undefined || oldest === undefined) break
      weigh(waiter, oldest, -1)
      if (waiter.items.length === 0) queue(waiter)
      dropped++
    }
    return dropped
  }

  const begin = (from: Iterable<Waiter<A>>, mostOwners: number): Group<A> | null => {
    const items: Array<A> = []
    const owners = new Map<string, number>()
    for (const waiter of from) {
      if (items.length >= mostInGroup.items || owners.size >= mostOwners) break
      waiter.underWay = Math.min(waiter.items.length, mostInGroup.ofOne, mostInGroup.items - items.length)
      items.push(...waiter.items.slice(0, waiter.underWay))
      owners.set(waiter.owner, waiter.underWay)
      ready.delete(waiter)
      apart.delete(waiter)
    }
    return items.length === 0 ? null : { items, owners }
  }

  /** Ends the part of one owner; returns what is given up. If others shared a group that failed, each is soon tried apart. */
  const endPart = (waiter: Waiter<A>, left: ReadonlySet<A>, mayBeOthers: boolean, now: number): ReadonlyArray<A> => {
    const part = waiter.items.splice(0, waiter.underWay)
    const again = part.filter((item) => left.has(item))
    const isSoon = mayBeOthers && waiter.failures === 0
    waiter.underWay = 0
    waiter.failures = again.length === 0 ? 0 : waiter.failures + 1
    waiter.restsUntil = isSoon ? now : now + restAfter(rest, waiter.failures)
    const givesUp = again.length > 0 && waiter.failures % mostTries === 0
    for (const item of part) if (givesUp || !left.has(item)) weigh(waiter, item, -1)
    if (!givesUp) waiter.items.unshift(...again)
    queue(waiter)
    return givesUp ? again : []
  }

  const end = ({ owners }: Group<A>, left: ReadonlySet<A>, mayBeOthers: boolean, now: number): ReadonlyArray<A> =>
    [...owners.keys()].flatMap((owner) => {
      const waiter = waiters.get(owner)
      return waiter === undefined ? [] : endPart(waiter, left, mayBeOthers, now)
    })

  return {
    /** Adds the newest item of its owner. Returns how many items were dropped for it. */
    add: (item: A): number => {
      const owner = ownerOf(item)
      const waiter = waiters.get(owner) ?? { owner, items: [], bytes: 0, underWay: 0, failures: 0, restsUntil: 0 }
      waiters.set(owner, waiter)
      waiter.items.push(item)
      weigh(waiter, item, 1)
      if (!ready.has(waiter) && !apart.has(waiter)) queue(waiter)
      return dropBeyond()
    },
    /** The next group of owners that nothing is known to hold up, until it ends; null if there is none. */
    takeShared: (): Group<A> | null => begin(ready, Infinity),
    /** The next group of owners that failed before and have rested at `now` (ms), until it ends; null if there is none. */
    takeApart: (now: number): Group<A> | null => apart.size === 0 ? null : begin(rested(apart, now), mostOwnersApart),
    /** Ends a group of which only `left` could not be done. Returns the items that are given up; the others are tried again, apart. */
    worked: (group: Group<A>, left: ReadonlyArray<A>, now: number): ReadonlyArray<A> => end(group, new Set(left), false, now),
    /** Ends a group that failed as a whole. Returns the items that are given up; the others are tried again, apart. */
    failed: (group: Group<A>, now: number): ReadonlyArray<A> => end(group, new Set(group.items), group.owners.size > 1, now),
    hasShared: (): boolean => ready.size > 0,
    hasApart: (): boolean => apart.size > 0,
    waiting: (): number => count
  }
}
