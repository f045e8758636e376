/** Attempts due deliveries: claims them lane by lane while there are slots, and writes the results back. */
import { DateTime, Duration, Effect } from "effect"
import type { DeliveryLane } from "../../domain/alert/DeliveryLane.ts"
import type { DeliveryLimits } from "../../domain/alert/DeliveryLimits.ts"
import { fallbackPause } from "../../domain/FallbackPause.ts"
import { DeliveryQueues, farthestWait } from "../../store/alert/DeliveryQueues.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makeDeliveryResultWriter } from "./DeliveryResultWriter.ts"
import { makeDeliveryRun } from "./DeliveryRun.ts"
import type { Lane } from "./DeliverySlots.ts"

/** The pause while something is due that cannot be taken: no slot is free, or another runner has its turn. */
const shortPause = Duration.millis(50)
/** The pause after a claim; deliveries that become due end it early. */
const claimPause = Duration.millis(10)
/** The pause of a worker that has no part of the work yet, because it has just started, or no more. */
const noSharePause = Duration.millis(250)
/** A clock that goes back further than this was wrong before, not merely adjusted. */
const setBack = Duration.seconds(10)
/** Time limit for giving deliveries back at shutdown. If the database does not respond, their leases expire instead. */
const releaseLimit = "1 second"
/** The share of the fast slots that must be free before a full worker claims again, so that claims come in batches. */
const worthClaiming = 1 / 8

/** The part of a worker that has lost its part: what it holds still goes. */
const smallestShare = 1 / 100

/** The slots of each lane, and the part of them that it leaves free: for first attempts, or for attempts that become slow. */
const lanePlans: ReadonlyArray<{ readonly lane: DeliveryLane; readonly slots: Lane; readonly leaves: number }> = [
  { lane: "first", slots: "fast", leaves: 0 },
  { lane: "retry", slots: "fast", leaves: 0.25 },
  { lane: "slow_first", slots: "slow", leaves: 0.4 },
  { lane: "slow_retry", slots: "slow", leaves: 0.6 }
]

export interface WorkerOptions {
  readonly limits: DeliveryLimits
  /** This worker's part of the work of all, from 0 to 1: the parts of all workers together never exceed 1. */
  readonly share: () => number
  /** The limit of one attempt, in milliseconds. */
  readonly timeoutMs: number
  /** Makes the next step run immediately. */
  readonly wake: Effect.Effect<void>
}

/** Attempts end with the scope; deliveries in flight are then due again immediately. */
export const makeDeliveryWorker = Effect.fn("DeliveryWorker.make")(function*({ limits, share, timeoutMs, wake }: WorkerOptions) {
  const queues = yield* DeliveryQueues
  const database = yield* DatabaseClock
  const results = yield* makeDeliveryResultWriter(Effect.sync(() => DateTime.unsafeMake(database.estimate())), wake)
  /** More was due than there were slots. */
  let crowded = false
  let latest: DateTime.Utc | null = null

  const onRoom = Effect.suspend(() => {
    if (!crowded || slots.room("fast") < slots.size("fast") * worthClaiming) return Effect.void
    crowded = false
    return wake
  })
  const { admit, slots, steady } = yield* makeDeliveryRun(
    { limits, timeoutMs, results, onRoom, share: () => Math.max(share(), smallestShare) },
    (giveBack) =>
      Effect.sync(giveBack).pipe(
        Effect.zipRight(results.flush),
        Effect.zipRight(queues.notify),
        Effect.sandbox,
        Effect.ignore,
        Effect.disconnect,
        Effect.timeoutOption(releaseLimit)
      )
  )

  /** Claims for one lane; returns how many queues it got. */
  const claim = Effect.fn("DeliveryWorker.claim")(function*(plan: (typeof lanePlans)[number], now: DateTime.Utc) {
    const room = slots.room(plan.slots) - Math.floor(slots.size(plan.slots) * plan.leaves)
    if (room <= 0) {
      crowded = true
      return 0
    }
    const claimedAt = steady()
    const fair = { perWorkspace: slots.perWorkspace(plan.slots), except: slots.saturated(plan.slots) }
    const checkouts = yield* queues.claim({ lane: plan.lane, now, room, ...fair })
    admit(checkouts, plan.slots, claimedAt)
    return checkouts.length
  })

  /** When each lane is ready, after what a wrong clock has scheduled was made due. */
  const readyAt = Effect.fn("DeliveryWorker.readyAt")(function*(now: DateTime.Utc) {
    const { farthest, ...ready } = yield* queues.readyAt
    const isSetBack = latest !== null && DateTime.lessThan(now, DateTime.subtractDuration(latest, setBack))
    const isTooFar = farthest !== null && DateTime.greaterThan(farthest, DateTime.addDuration(now, farthestWait))
    if (!isSetBack && !isTooFar) return ready
    yield* queues.recall(now)
    const { farthest: _, ...recalled } = yield* queues.readyAt
    return recalled
  })

  /** Claims what is due, as far as there are slots, and returns how long to wait until the next step. */
  const step = Effect.gen(function*() {
    if (share() === 0) return noSharePause
    const now = yield* database.now
    const ready = yield* readyAt(now)
    latest = now
    const due = lanePlans.filter(({ lane }) => ready[lane] !== null && DateTime.lessThanOrEqualTo(ready[lane], now))
    crowded = false
    let claimed = 0
    for (const plan of due) claimed += yield* claim(plan, now)
    if (claimed > 0) return claimPause
    if (due.length > 0) return shortPause
    const next = Object.values(ready).flatMap((at) => (at === null ? [] : [DateTime.distance(now, at)]))
    return Duration.millis(Math.min(...next, Duration.toMillis(fallbackPause(share()))))
  }).pipe(Effect.withSpan("DeliveryWorker.step"))

  return { step }
})
