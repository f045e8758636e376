/** Whose turn it is at the connections of a pool: some are kept for urgent work, and everything else waits in order. */
import { type Fifo, makeFifo } from "./Fifo.ts"

/**
 * `urgent` work keeps connections of its own and goes first: alarms, deliveries, shard locks, health. `request` work has a caller
 * who soon gives up. `bulk` work, such as storing checks, waits.
 */
export type Lane = "urgent" | "request" | "bulk"

/** How long each kind waits for a connection, ms. */
export const patience = { urgent: 30_000, request: 5_000, bulk: 30_000 } as const satisfies Record<Lane, number>

const lanes: ReadonlyArray<Lane> = ["urgent", "request", "bulk"]

/** How many of the connections only urgent work uses. */
export const keptForUrgent = (connections: number): number => Math.max(connections >= 3 ? 1 : 0, Math.floor(connections * 0.3))

interface Waiting<A> {
  readonly turn: A
  readonly since: number
}

export interface ConnectionTurns<A> {
  /** True if the turn begins now, false if it waits. `now` is any steady clock, ms. */
  readonly take: (lane: Lane, turn: A, now: number) => boolean
  /** Ends a turn of the lane; returns the turns that begin now. */
  readonly end: (lane: Lane) => ReadonlyArray<A>
  /** Removes and returns the turns that have waited for too long. */
  readonly expired: (now: number) => ReadonlyArray<A>
  /** How many turns wait. */
  readonly waiting: () => number
  /** How long the oldest of them has waited, ms; 0 if none waits. */
  readonly longestWait: (now: number) => number
}

/** `connections` is the size of the pool. Urgent turns go first; the others go in the order in which they came. */
export const makeConnectionTurns = <A>(connections: number): ConnectionTurns<A> => {
  const forOthers = connections - keptForUrgent(connections)
  const queues: Record<Lane, Fifo<Waiting<A>>> = { urgent: makeFifo(), request: makeFifo(), bulk: makeFifo() }
  let used = 0
  let usedByOthers = 0

  const hasRoom = (lane: Lane): boolean => used < connections && (lane === "urgent" || usedByOthers < forOthers)
  const begin = (lane: Lane): void => {
    used++
    if (lane !== "urgent") usedByOthers++
  }

  const nextLane = (): Lane | null => {
    if (queues.urgent.size() > 0) return "urgent"
    const request = queues.request.peek()
    const bulk = queues.bulk.peek()
    if (request === undefined || bulk === undefined) return request !== undefined ? "request" : bulk !== undefined ? "bulk" : null
    return request.since <= bulk.since ? "request" : "bulk"
  }

  const beginNext = (): ReadonlyArray<A> => {
    const begun: Array<A> = []
    for (let lane = nextLane(); lane !== null && hasRoom(lane); lane = nextLane()) {
      const next = queues[lane].shift()
      if (next === undefined) break
      begin(lane)
      begun.push(next.turn)
    }
    return begun
  }

  return {
    take: (lane, turn, now) => {
      if (queues[lane].size() === 0 && hasRoom(lane)) {
        begin(lane)
        return true
      }
      queues[lane].push({ turn, since: now })
      return false
    },
    end: (lane) => {
      used--
      if (lane !== "urgent") usedByOthers--
      return beginNext()
    },
    expired: (now) =>
      lanes.flatMap((lane) => {
        const late: Array<A> = []
        for (let first = queues[lane].peek(); first !== undefined; first = queues[lane].peek()) {
          if (now - first.since < patience[lane]) break
          queues[lane].shift()
          late.push(first.turn)
        }
        return late
      }),
    waiting: () => lanes.reduce((sum, lane) => sum + queues[lane].size(), 0),
    longestWait: (now) =>
      lanes.reduce((longest, lane) => {
        const first = queues[lane].peek()
        return first === undefined ? longest : Math.max(longest, now - first.since)
      }, 0)
  }
}
