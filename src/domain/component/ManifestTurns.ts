/**
 * Manifest reports waiting for their components, by workspace. Workspaces take turns and share groups; one whose reports could
 * not be passed, such as one with locked rows, is tried apart after a rest. The reports of a workspace are passed in order.
 */

/** Items beyond this are dropped: the oldest of the workspace that holds the most. The next checks report the same statuses. */
export const mostWaiting = { items: 4_000, bytes: 32 * 1024 * 1024 }

/** A group holds at most so many items, and so many of one workspace. */
export const mostInGroup = { items: 256, ofOne: 16 }

/** Items that were tried this often are given up, after about half a minute. */
export const mostTries = 10

/** How long a workspace rests after its first failure, ms; twice as long after each further one. */
const rest = { first: 200, longest: 5_000 }

export interface FeedGroup<A> {
  readonly items: ReadonlyArray<A>
  /** How many of the items are of each workspace, which has no other group meanwhile. */
  readonly members: ReadonlyMap<string, number>
}

export interface ManifestTurns<A> {
  /** Adds the newest item of a workspace. Returns how many items were dropped for it. */
  readonly add: (workspace: string, item: A, bytes: number) => number
  /** The next group of workspaces that nothing is known to hold up, until it ends; null if there is none. */
  readonly takeShared: () => FeedGroup<A> | null
  /** The next group of one workspace that failed before and has rested, until it ends; null if there is none. */
  readonly takeApart: (now: number) => FeedGroup<A> | null
  readonly passed: (group: FeedGroup<A>) => void
  /** The group's items are tried again, apart. Returns how many items were given up instead. */
  readonly failed: (group: FeedGroup<A>, now: number) => number
  /** Whether workspaces wait that failed before. */
  readonly hasApart: () => boolean
  readonly waiting: () => number
}

interface Waiter<A> {
  readonly workspace: string
  items: Array<{ readonly item: A; readonly bytes: number }>
  bytes: number
  /** How many of the first items are in a group that has not ended. */
  underWay: number
  /** Failures since the last success. */
  failures: number
  restsUntil: number
}

const restAfter = (failures: number): number => Math.min(rest.longest, rest.first * 2 ** (failures - 1))

/** The waiter that holds the most and has something to drop. */
const largest = <A>(waiters: Iterable<Waiter<A>>): Waiter<A> | undefined => {
  let found: Waiter<A> | undefined
  for (const one of waiters) {
    if (one.items.length > one.underWay && (found === undefined || one.bytes > found.bytes)) found = one
  }
  return found
}

/** The waiter that failed least of those that have rested, so that nobody waits for one that fails again and again. */
const firstRested = <A>(waiters: Iterable<Waiter<A>>, now: number): Waiter<A> | undefined => {
  let found: Waiter<A> | undefined
  for (const one of waiters) {
    if (one.restsUntil <= now && (found === undefined || one.failures < found.failures)) found = one
  }
  return found
}

export const makeManifestTurns = <A>(most = mostWaiting): ManifestTurns<A> => {
  const waiters = new Map<string, Waiter<A>>()
  /** In the order of their turns: those that may share a group, and those that failed. None of a group that has not ended. */
  const ready = new Set<Waiter<A>>()
  const apart = new Set<Waiter<A>>()
  let count = 0
  let bytes = 0

  /** Removes items of a waiter, from a position on. */
  const remove = (waiter: Waiter<A>, from: number, howMany: number): void => {
    for (const one of waiter.items.splice(from, howMany)) {
      count--
      bytes -= one.bytes
      waiter.bytes -= one.bytes
    }
  }

  /** Gives the waiter its next turn, or forgets it when nothing waits. */
  const queue = (waiter: Waiter<A>): void => {
    if (waiter.underWay > 0) return
    ready.delete(waiter)
    apart.delete(waiter)
    if (waiter.items.length === 0) waiters.delete(waiter.workspace)
    else (waiter.failures === 0 ? ready : apart).add(waiter)
  }

  const dropBeyond = (): number => {
    let dropped = 0
    while (count > most.items || bytes > most.bytes) {
      const waiter = largest(waiters.values())
      if (waiter === undefined) break
      remove(waiter, waiter.underWay, 1)
      if (waiter.items.length === 0) queue(waiter)
      dropped++
    }
    return dropped
  }

  const begin = (members: ReadonlyArray<Waiter<A>>): FeedGroup<A> => {
    const items: Array<A> = []
    for (const waiter of members) {
      ready.delete(waiter)
      apart.delete(waiter)
      waiter.underWay = Math.min(waiter.items.length, mostInGroup.ofOne)
      for (const { item } of waiter.items.slice(0, waiter.underWay)) items.push(item)
    }
    return { items, members: new Map(members.map(({ underWay, workspace }) => [workspace, underWay])) }
  }

  const end = ({ members }: FeedGroup<A>, conclude: (waiter: Waiter<A>) => void): void => {
    for (const workspace of members.keys()) {
      const waiter = waiters.get(workspace)
      if (waiter === undefined) continue
      conclude(waiter)
      waiter.underWay = 0
      queue(waiter)
    }
  }

  return {
    add: (workspace, item, size) => {
      const waiter = waiters.get(workspace) ?? { workspace, items: [], bytes: 0, underWay: 0, failures: 0, restsUntil: 0 }
      waiters.set(workspace, waiter)
      waiter.items.push({ item, bytes: size })
      waiter.bytes += size
      count++
      bytes += size
      if (!ready.has(waiter) && !apart.has(waiter)) queue(waiter)
      return dropBeyond()
    },
    takeShared: () => {
      const members: Array<Waiter<A>> = []
      let room = mostInGroup.items
      for (const waiter of ready) {
        if (room < mostInGroup.ofOne) break
        members.push(waiter)
        room -= Math.min(waiter.items.length, mostInGroup.ofOne)
      }
      return members.length === 0 ? null : begin(members)
    },
    takeApart: (now) => {
      const waiter = firstRested(apart, now)
      return waiter === undefined ? null : begin([waiter])
    },
    passed: (group) =>
      end(group, (waiter) => {
        remove(waiter, 0, waiter.underWay)
        waiter.failures = 0
      }),
    failed: (group, now) => {
      let givenUp = 0
      // A failure of several may be that of one of them, so it counts for none.
      const isShared = group.members.size > 1
      end(group, (waiter) => {
        waiter.failures = Math.max(1, waiter.failures + (isShared ? 0 : 1))
        waiter.restsUntil = isShared ? now : now + restAfter(waiter.failures)
        if (waiter.failures % mostTries !== 0) return
        givenUp += waiter.underWay
        remove(waiter, 0, waiter.underWay)
      })
      return givenUp
    },
    hasApart: () => apart.size > 0,
    waiting: () => count
  }
}
