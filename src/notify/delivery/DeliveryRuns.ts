/** The deliveries that a worker has claimed, each until its result is known or it is given back: plain state, driven by the engine. */
import { Array, DateTime, type Effect, type Scope } from "effect"
import type { DeliveryLimits } from "../../domain/alert/DeliveryLimits.ts"
import type { AddressPermits, OwnPermits } from "../../domain/check/address/PermitsAt.ts"
import type { Lane } from "../../domain/tools/queues/Lanes.ts"
import { makePump } from "../../domain/tools/queues/Pump.ts"
import { makeSlotPool } from "../../domain/tools/queues/SlotPool.ts"
import { makeRunningTime } from "../../domain/tools/time/RunningTime.ts"
import { makeDeliverySlots, type SlotRun } from "./DeliverySlots.ts"
import type { KnownDeliveries } from "./KnownDeliveries.ts"

/** Time to write a result before the lease expires, ms. */
const writingMs = 5000
/** The most running time that one tick counts, ms: an attempt does not become slow because this process stood still. */
const longestTickMs = 250
/** The share of a worker that has lost its part of the work, so that the deliveries it holds still go. */
const smallestShare = 1 / 100

/** A claimed delivery on its way to its attempt and its result. */
interface DeliveryRun<Delivery> extends SlotRun {
  readonly delivery: Delivery & SlotRun["delivery"]
  /** Monotonic ms after which an attempt could outlive the lease. */
  readonly startBy: number
  /** Monotonic ms after which its lease is renewed while its attempt lasts. */
  renewAt: number
  /** Its index among the held deliveries. */
  index: number
  abandon: () => void
}

/** Starts an attempt. It calls `done` once, unless the returned function abandons it first. `permits`: before its connections. */
export type StartAttempt<Delivery, Result> = (
  delivery: Delivery,
  done: (result: Result) => void,
  permits: AddressPermits
) => () => void

export interface EngineOptions<Delivery, Result, R> {
  /** The name in log lines: "deliveries". */
  readonly of: string
  readonly limits: DeliveryLimits
  /** This worker's part of the work of all, from 0 to 1: the parts of all workers together never exceed 1. */
  readonly share: () => number
  /** The limits of one attempt and of a lease, ms. */
  readonly timeoutMs: number
  readonly leaseMs: number
  /** How many attempts may start in one turn of the event loop, and how many when one ends. */
  readonly starts: { readonly perTurn: number; readonly perEnd: number }
  readonly hostOf: (delivery: Delivery) => string
  readonly known: KnownDeliveries<Delivery>
  /** Holds deliveries for another lease, because their attempts last long. */
  readonly renew: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void>
  /** A delivery that finds no place waits at least so long, ms. */
  readonly shortestWaitMs: number
  /** Fibers of attempts end with the scope. */
  readonly attempts: Effect.Effect<StartAttempt<Delivery, Result>, never, R | Scope.Scope>
  /** The result of an attempt whose start threw. */
  readonly broken: (delivery: Delivery) => Result
  readonly ended: (delivery: Delivery, result: Result, isSlow: boolean) => void
  /** Whether the receiver gave no answer. */
  readonly isUnanswered: (result: Result) => boolean
  /** The delivery was not attempted, and is due again at that time. */
  readonly postponed: (delivery: Delivery, at: DateTime.Utc) => void
  /** Writes all results; runs at shutdown. */
  readonly flush: Effect.Effect<unknown, unknown>
  readonly wake: Effect.Effect<void>
}

const nothing = (): void => {}

const runOf = <Delivery extends SlotRun["delivery"]>(
  delivery: Delivery,
  host: string,
  lane: Lane,
  { renewAt, startBy }: Pick<DeliveryRun<Delivery>, "startBy" | "renewAt">
): DeliveryRun<Delivery> => ({
  delivery,
  host,
  startBy,
  renewAt,
  index: 0,
  abandon: nothing,
  lane,
  stage: "spread",
  moving: false,
  begun: 0,
  granted: []
})

const timesOf = (claimedAt: number, { leaseMs, timeoutMs }: { readonly leaseMs: number; readonly timeoutMs: number }) => ({
  startBy: claimedAt + leaseMs - timeoutMs - writingMs,
  renewAt: claimedAt + leaseMs / 2
})

const makeHeld = <One extends { index: number }>() => {
  const pool = makeSlotPool<One>()
  let size = 0
  return {
    put: (one: One): One => {
      one.index = pool.put(one)
      size++
      return one
    },
    leave: ({ index }: One): void => {
      pool.free(index)
      size--
    },
    all: pool.all,
    size: () => size
  }
}

/** Takes a delivery out of those that are held, to come again later. */
const makePostpone = <Delivery extends SlotRun["delivery"]>(
  { known, postponed }: Pick<EngineOptions<Delivery, never, never>, "known" | "postponed">,
  leave: (run: DeliveryRun<Delivery>) => void,
  estimate: () => number
) =>
(run: DeliveryRun<Delivery>, waitMs: number): void => {
  leave(run)
  known.forget(run.delivery)
  postponed(run.delivery, DateTime.unsafeMake(estimate() + waitMs))
}

/** The deliveries of a worker. `attempt` starts an attempt, which calls `done` once. A worker's part is read once for many of them. */
export const makeDeliveryRuns = <Delivery extends SlotRun["delivery"], Result>(
  options: Omit<EngineOptions<Delivery, Result, never>, "attempts">,
  steady: () => number,
  estimate: () => number,
  attempt: (one: DeliveryRun<Delivery>, permits: OwnPermits, done: (result: Result) => void) => () => void
) => {
  type One = DeliveryRun<Delivery>
  const { ended, isUnanswered, limits, share, shortestWaitMs, starts } = options
  const partOf = (): number => Math.max(share(), smallestShare)
  let part = partOf()
  const slots = makeDeliverySlots<One>(limits, () => part, (run) => crowdedOut(run))
  const held = makeHeld<One>()
  const time = makeRunningTime(longestTickMs, steady())

  const postpone = makePostpone(options, held.leave, estimate)
  const crowdedOut = (run: One): void => postpone(run, Math.max(slots.postpone(run, time.now()), shortestWaitMs))

  let isClosing = false
  const { pump, reset } = makePump(() => isClosing ? undefined : slots.next(time.now()), (run) => {
    if (steady() <= run.startBy) return begin(run)
    slots.end(run, time.now())
    postpone(run, 0)
  })

  const end = (run: One, result: Result): void => {
    const isSlow = slots.end(run, time.now())
    held.leave(run)
    ended(run.delivery, result, isSlow)
    pump(starts.perEnd)
  }

  const begin = (run: One): void => {
    const permits = slots.permitsOf(run, time.now)
    run.abandon = attempt(run, permits, (result) => {
      const address = permits.missedAt()
      if (address === null || !isUnanswered(result)) return end(run, result)
      // Nothing was sent: it begins again when it gets a permit.
      if (!slots.awaitPermit(run, address, time.now())) crowdedOut(run)
      pump(starts.perEnd)
    })
  }

  return {
    slots,
    size: held.size,
    all: held.all,
    admit: (claimed: ReadonlyArray<Delivery>, lane: Lane, claimedAt: number): void => {
      if (held.size() === 0) time.restart(steady())
      part = partOf()
      for (const delivery of claimed) {
        const run = held.put(runOf(delivery, options.hostOf(delivery), lane, timesOf(claimedAt, options)))
        if (!slots.offer(run, time.now())) crowdedOut(run)
      }
      pump(starts.perTurn)
    },
    tick: (): void => {
      reset()
      time.advance(steady())
      part = partOf()
      slots.tick(time.now())
      pump(starts.perTurn)
    },
    /** Starts nothing more. */
    close: (): void => void (isClosing = true),
    giveBack: (run: One): void => postpone(run, 0)
  }
}

/** Starts nothing more, and gives back what has not started, or all. */
export const release = <Delivery>(
  { all, close, giveBack }: {
    readonly all: () => ReadonlyArray<DeliveryRun<Delivery>>
    readonly close: () => void
    readonly giveBack: (run: DeliveryRun<Delivery>) => void
  },
  which: "waiting" | "all"
): void => {
  close()
  for (const run of all()) {
    if (which === "waiting" && run.stage === "under_way") continue
    run.abandon()
    giveBack(run)
  }
}

/** Postpones the deliveries that this process has already, and returns the others. */
export const withoutKnown = <Delivery>(
  { known, leaseMs, postponed }: Pick<EngineOptions<Delivery, never, never>, "known" | "leaseMs" | "postponed">,
  claimed: ReadonlyArray<Delivery>,
  now: number
): ReadonlyArray<Delivery> => {
  const [again, fresh] = Array.partition(claimed, known.take)
  for (const delivery of again) postponed(delivery, DateTime.unsafeMake(now + leaseMs))
  return fresh
}

/** The deliveries whose leases are renewed at `now`, because their attempts last. */
export const renewedAt = <Delivery>(runs: ReadonlyArray<DeliveryRun<Delivery>>, now: number, leaseMs: number) => {
  const due = runs.filter(({ renewAt, stage }) => stage === "under_way" && renewAt <= now)
  for (const run of due) run.renewAt = now + leaseMs / 2
  return due.map(({ delivery }) => delivery)
}
