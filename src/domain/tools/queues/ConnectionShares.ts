/** Shares the connections of a pool: some are kept for urgent work, and no owner's requests block those of others. */
import { makeFairQueue } from "./FairQueue.ts"
import { makeFifo } from "./Fifo.ts"

/** `urgent` work (alarms, deliveries, shard locks, health) goes first, `request` work has a caller who gives up, `bulk` work waits. */
export type Priority = "urgent" | "request" | "bulk"

/** How long each kind waits for a connection, ms. */
export const patience = { urgent: 30_000, request: 5_000, bulk: 30_000 } as const satisfies Record<Priority, number>

/** The error after the wait for a connection. */
export const connectionsInUse = "all database connections are in use"

const priorities: ReadonlyArray<Priority> = ["urgent", "request", "bulk"]

/** How many of the connections only urgent work uses. */
export const keptForUrgent = (connections: number): number => Math.max(connections >= 3 ? 1 : 0, Math.floor(connections * 0.3))

export interface Claim {
  readonly priority: Priority
  /** Requests are shared between these: workspaces, or addresses of clients who are not known yet. */
  readonly owner: string
}

interface Waiting<A> {
  readonly demand: A
  readonly claim: Claim
  readonly since: number
  hasBegun: boolean
}

export type ConnectionShares<A> = ReturnType<typeof makeConnectionShares<A>>

/** How many connections the requests of one owner may use. One is left for others if that leaves two: some work needs a second. */
export const mostOfOwner = (connections: number): number => {
  const forOthers = connections - keptForUrgent(connections)
  return Math.max(Math.min(2, forOthers), forOthers - 1)
}

/** `most` is the size of the pool. Requests and bulk work go by age, requests fairly between their owners. */
export const makeConnectionShares = <A>(most: number) => {
  let connections = most
  let forOthers = most - keptForUrgent(most)
  const mostPerOwner = mostOfOwner(most)
  const urgent = makeFifo<Waiting<A>>()
  const bulk = makeFifo<Waiting<A>>()
  const requests = makeFairQueue<Waiting<A>>({ slots: most, mostPerOwner })
  /** Requests that wait, and some that have begun. */
  const requestsByAge = makeFifo<Waiting<A>>()
  const byAge = { urgent, bulk, request: requestsByAge }
  let used = 0
  let usedByOthers = 0

  const hasRoom = ({ priority, owner }: Claim): boolean =>
    used < connections &&
    (priority === "urgent" || (usedByOthers < forOthers && (priority === "bulk" || requests.heldBy(owner) < mostPerOwner)))

  const begin = (priority: Priority): void => {
    used++
    if (priority !== "urgent") usedByOthers++
  }

  const finish = ({ priority, owner }: Claim): void => {
    used--
    if (priority !== "urgent") usedByOthers--
    if (priority === "request") requests.release(owner)
  }

  const oldestRequest = (): Waiting<A> | undefined => {
    while (requestsByAge.peek()?.hasBegun === true) requestsByAge.shift()
    return requestsByAge.peek()
  }

  /** The next request, unless bulk work has waited for longer than all requests. */
  const nextRequest = (): Waiting<A> | undefined => {
    const oldest = oldestRequest()
    const other = bulk.peek()
    return oldest === undefined || (other !== undefined && other.since < oldest.since) ? undefined : requests.take()
  }

  const next = (): Waiting<A> | undefined => {
    if (used >= connections) return undefined
    if (urgent.size() > 0) return urgent.shift()
    return usedByOthers < forOthers ? nextRequest() ?? bulk.shift() : undefined
  }

  const beginNext = (): ReadonlyArray<A> => {
    const begun: Array<A> = []
    for (let waiting = next(); waiting !== undefined; waiting = next()) {
      waiting.hasBegun = true
      begin(waiting.claim.priority)
      begun.push(waiting.demand)
    }
    return begun
  }

  const wait = (waiting: Waiting<A>): void => {
    const { priority, owner } = waiting.claim
    if (priority === "request") {
      requests.offer(owner, waiting)
      requestsByAge.push(waiting)
    } else byAge[priority].push(waiting)
  }

  const expiredOf = (priority: Priority, now: number): ReadonlyArray<A> => {
    const late: Array<A> = []
    const first = priority === "request" ? oldestRequest : byAge[priority].peek
    for (let oldest = first(); oldest !== undefined && now - oldest.since >= patience[priority]; oldest = first()) {
      byAge[priority].shift()
      if (priority === "request") requests.drop(oldest.claim.owner)
      late.push(oldest.demand)
    }
    return late
  }

  return {
    /** True if the demand gets a connection now, false if it waits. `now` is any steady clock, ms. */
    take: (claim: Claim, demand: A, now: number): boolean => {
      if (!hasRoom(claim)) {
        wait({ demand, claim, since: now, hasBegun: false })
        return false
      }
      if (claim.priority === "request") requests.hold(claim.owner)
      begin(claim.priority)
      return true
    },
    /** Frees a connection of the claim; returns the demands that get one now. */
    end: (claim: Claim): ReadonlyArray<A> => {
      finish(claim)
      return beginNext()
    },
    /** Lets a demand that got no connection wait for another one; returns those that get one now. */
    putBack: (claim: Claim, demand: A, since: number): ReadonlyArray<A> => {
      finish(claim)
      wait({ demand, claim, since, hasBegun: false })
      return beginNext()
    },
    /** Shares only so many connections from now on, at least one and at most the size of the pool; returns the demands that get one now. */
    share: (available: number): ReadonlyArray<A> => {
      connections = Math.max(1, Math.min(most, available))
      forOthers = connections - keptForUrgent(connections)
      return beginNext()
    },
    /** Removes and returns the demands that have waited for too long. */
    expired: (now: number): ReadonlyArray<A> => priorities.flatMap((priority) => expiredOf(priority, now)),
    /** How many demands wait. */
    waiting: (): number => urgent.size() + requests.waiting() + bulk.size(),
    /** How long the oldest of them has waited, ms; 0 if none waits. */
    longestWait: (now: number): number =>
      [urgent.peek(), oldestRequest(), bulk.peek()].reduce(
        (longest, first) => first === undefined ? longest : Math.max(longest, now - first.since),
        0
      )
  }
}
