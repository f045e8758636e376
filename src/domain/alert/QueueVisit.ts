/** Decides which deliveries of a channel a worker takes when it visits their queue, and when the queue is due after that. */
import { Array, DateTime, Order } from "effect"
import { earliest } from "../tools/time/Earliest.ts"

/** Deliveries of a webhook channel that are attempted at a time: programs order by timestamp, and may receive many. */
const mostAtOnce = 5

/** People read in the order of arrival, so each of their messages waits for the answer to the one before. */
const inOrder = 1

/** A channel whose receiver has not answered quickly yet gets one delivery first, so that unknown tarpits hold few fast slots. */
const unproven = 1

/** How many deliveries to take; `slow` is null until the receiver's speed is known, and `share` is what its workspace may take. */
export const roomOf = (type: string, slow: boolean | null, share: number): number =>
  Math.max(1, Math.min(share, slow === null ? unproven : type === "webhook" ? mostAtOnce : inOrder))

interface WaitingDelivery {
  readonly attempts: number
  readonly dueAt: DateTime.Utc
}

const byUrgency = Order.combine(
  Order.mapInput(Order.boolean, ({ attempts }: WaitingDelivery) => attempts > 0),
  Order.mapInput(DateTime.Order, ({ dueAt }: WaitingDelivery) => dueAt)
)

/**
 * `waiting` holds the earliest deliveries of both kinds, of each kind more than `room` if there are more. Of those that are left,
 * `firstAt` is when the first without an attempt is due, and `retryAt` when the first other one is; null if there is none.
 */
export const visitQueue = <A extends WaitingDelivery>(waiting: ReadonlyArray<A>, room: number, now: DateTime.Utc) => {
  const [later, due] = Array.partition(waiting, ({ dueAt }) => DateTime.lessThanOrEqualTo(dueAt, now))
  const [taken, left] = Array.splitAt(Array.sort(due, byUrgency), room)
  const [firsts, retries] = Array.partition([...left, ...later], ({ attempts }) => attempts > 0)
  const dueFrom = (some: ReadonlyArray<A>) => earliest(some.map(({ dueAt }) => dueAt))
  return { taken, firstAt: dueFrom(firsts), retryAt: dueFrom(retries) }
}
