/** The deliveries that a worker holds: starts each when it has a slot, and passes its result on. */
import { DateTime, Duration, Effect, FiberSet } from "effect"
import type { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import type { DeliveryLimits } from "../../domain/alert/DeliveryLimits.ts"
import { Verdict } from "../../domain/alert/DeliveryVerdict.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import type { Checkout, HeldDelivery } from "../../store/alert/DeliveryClaim.ts"
import { lease } from "../../store/alert/DeliveryQueues.ts"
import { type Outcome, Postponed } from "../../store/alert/DeliveryResults.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import type { Vault } from "../../store/Vault.ts"
import { attempt } from "./Attempt.ts"
import type { ChannelServices } from "./ChannelKind.ts"
import type { DeliveryResultWriter } from "./DeliveryResultWriter.ts"
import { type Job, type Lane, makeDeliverySlots } from "./DeliverySlots.ts"

/** How often attempts are judged slow and hosts get their next deliveries. */
const tickEvery = Duration.millis(25)
/** The most running time that one tick counts, ms: an attempt does not become slow because this process stood still. */
const longestTickMs = 250
/** Time to write a result before the lease expires, ms. */
const writingMs = 5000

/** A held queue of a channel, until the last of its deliveries has a result. */
interface Group {
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
  readonly heldUntil: DateTime.Utc
  /** Monotonic ms after which an attempt could outlive the lease. */
  readonly startBy: number
  left: number
  slow: boolean | null
}

/** What came of a job. */
interface Ended {
  readonly verdict: Verdict
  readonly latencyMs?: number
}

export interface DeliveryRunOptions {
  readonly limits: DeliveryLimits
  /** This worker's part of the rates of hosts, above 0 and up to 1. */
  readonly share: () => number
  /** The limit of one attempt, in milliseconds. */
  readonly timeoutMs: number
  readonly results: DeliveryResultWriter
  /** Runs after each attempt, when its slot is free again. */
  readonly onRoom: Effect.Effect<void>
}

/** Chat services have one host for all channels of a type; their URLs are sealed. */
const hostOf = ({ type, url }: HeldDelivery): string => (url !== null && URL.canParse(url) ? new URL(url).hostname : type)

/** The deliveries on their way, as plain state. `run` starts an attempt, and its caller calls `end` once. */
const makeJobs = (
  { limits, results, share }: DeliveryRunOptions,
  steady: () => number,
  estimate: () => number,
  run: (job: Job<Group>) => void
) => {
  // Read once for many deliveries.
  let shareNow = share()
  const slots = makeDeliverySlots<Group>(limits, () => shareNow, (job) => crowdedOut(job))
  const held = new Set<Job<Group>>()
  let elapsed = 0
  let ticked = steady()
  let starting = false

  const settle = (job: Job<Group>, outcome: Outcome, latencyMs?: number): void => {
    held.delete(job)
    results.settle({ delivery: job.delivery, outcome, latencyMs })
    if (--job.group.left === 0) results.giveBack(job.group)
  }
  const postpone = (job: Job<Group>, waitMs: number): void =>
    settle(job, Postponed({ at: DateTime.unsafeMake(estimate() + waitMs) }))

  /** At the end of its lease or later, so that its queue needs no earlier turn. */
  const crowdedOut = (job: Job<Group>): void => postpone(job, Math.max(slots.postpone(job, elapsed), Duration.toMillis(lease)))

  const start = (job: Job<Group>): void => {
    if (steady() <= job.group.startBy) return run(job)
    slots.end(job, elapsed)
    postpone(job, 0)
  }

  /** An attempt can end synchronously. The guard makes the loop start the next one; recursion would nest thousands deep. */
  const pump = (): void => {
    if (starting) return
    starting = true
    for (let job = slots.next(elapsed); job !== undefined; job = slots.next(elapsed)) start(job)
    starting = false
  }

  const admit = ({ channelId, deliveries, heldUntil, workspaceId }: Checkout, lane: Lane, startBy: number): void => {
    const group: Group = { workspaceId, channelId, heldUntil, startBy, left: deliveries.length, slow: null }
    if (deliveries.length === 0) return results.giveBack(group)
    for (const delivery of deliveries) {
      const job: Job<Group> = { delivery, group, host: hostOf(delivery), lane, stage: "waiting", moving: false, begun: 0 }
      held.add(job)
      if (!slots.offer(job, elapsed)) crowdedOut(job)
    }
  }

  return {
    slots,
    size: () => held.size,
    admit: (checkouts: ReadonlyArray<Checkout>, lane: Lane, startBy: number): void => {
      if (held.size === 0) ticked = steady()
      shareNow = share()
      for (const checkout of checkouts) if (checkout.supported) admit(checkout, lane, startBy)
      pump()
    },
    end: (job: Job<Group>, { latencyMs, verdict }: Ended): void => {
      const slow = slots.end(job, elapsed)
      job.group.slow = slow || job.group.slow === true
      settle(job, verdict, latencyMs)
      pump()
    },
    tick: (): void => {
      const now = steady()
      elapsed += Math.min(Math.max(now - ticked, 0), longestTickMs)
      ticked = now
      shareNow = share()
      slots.tick(elapsed)
      pump()
    },
    /** Ends all without an attempt. */
    release: (): void => {
      for (const job of held) postpone(job, 0)
    }
  }
}

/** Attempts end with the scope. `release` gives what is left back; it must run after that. */
export const makeDeliveryRun = Effect.fn("DeliveryRun.make")(function*(
  options: DeliveryRunOptions,
  release: (giveBack: () => void) => Effect.Effect<void>
) {
  const database = yield* DatabaseClock
  const clock = yield* Effect.clock
  const services = yield* Effect.context<ChannelServices | Vault>()
  const busy = yield* Effect.makeLatch(false)
  const now = Effect.sync(() => DateTime.unsafeMake(database.estimate()))
  const steady = (): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6

  const deliver = ({ delivery }: Job<Group>) =>
    delivery.enabled
      ? attempt(delivery, now, options.timeoutMs)
      : Effect.succeed<Ended>({ verdict: Verdict.Dead({ statusCode: null, error: "The channel is disabled" }) })
  const jobs = makeJobs(options, steady, database.estimate, (job) => {
    fork(Effect.flatMap(deliver(job), (ended) => Effect.zipRight(Effect.sync(() => jobs.end(job, ended)), options.onRoom)))
  })

  // Also if nothing is held any more: the last results may not be written yet.
  yield* Effect.addFinalizer(() => release(jobs.release))
  const fork = yield* FiberSet.makeRuntime<ChannelServices | Vault>().pipe(Effect.provide(services))

  const tick = Effect.sync(() => {
    jobs.tick()
    if (jobs.size() === 0) busy.unsafeClose()
  })
  yield* busy.await.pipe(
    Effect.zipRight(Effect.sleep(tickEvery)),
    Effect.zipRight(tick),
    Effect.forever,
    (loop) => restartForever("Watching deliveries", loop),
    Effect.forkScoped
  )

  return {
    slots: jobs.slots,
    /** Queues the deliveries of queues that were claimed at `claimedAt`, monotonic ms. */
    admit: (checkouts: ReadonlyArray<Checkout>, lane: Lane, claimedAt: number): void => {
      jobs.admit(checkouts, lane, claimedAt + Duration.toMillis(lease) - options.timeoutMs - writingMs)
      if (jobs.size() > 0) busy.unsafeOpen()
    },
    steady
  }
})
