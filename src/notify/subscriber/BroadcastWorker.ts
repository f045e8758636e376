/** Tells subscribers: claims deliveries while there are slots, attempts each, and writes the results in batches. */
import { DateTime, Duration, Effect, Option, Runtime } from "effect"
import type { DeliveryLimits } from "../../domain/alert/DeliveryLimits.ts"
import { fallbackPause } from "../../domain/FallbackPause.ts"
import { makeSlotPool } from "../../domain/SlotPool.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import type { BroadcastOutcome, Settled } from "../../store/subscriber/BroadcastResults.ts"
import { broadcastLease, Broadcasts } from "../../store/subscriber/Broadcasts.ts"
import type { HeldBroadcast } from "../../store/subscriber/HeldBroadcast.ts"
import { type Job, makeDeliverySlots } from "../alert/DeliverySlots.ts"
import { makeResultWriter } from "../ResultWriter.ts"
import { makeComposeBroadcast } from "./ComposeBroadcast.ts"
import { makeSubscriberAttempts } from "./SubscriberAttempt.ts"

/** The pause while something is ready that cannot be taken. */
const shortPause = Duration.millis(50)
const tickEvery = Duration.millis(25)
/** The most running time that one tick counts, ms: an attempt does not become slow because this process stood still. */
const longestTickMs = 250
/** Attempts started in one turn of the event loop, some 0.2 ms each: alerts run in the turns between. */
const startedPerTick = 32
/** Attempts started when one ends. */
const startedPerEnd = 4
/** Time to write a result before the lease expires, ms. */
const writingMs = 5000
/** Broadcasts composed in one transaction. */
const composedAtOnce = 5
/** A worker without shards finishes what it holds at this part of the rates. */
const smallestShare = 1 / 64
/** The pause of a worker without shards, which claims nothing. */
const noSharePause = Duration.seconds(1)
/** A clock that goes back further than this was wrong before, not merely adjusted. */
const setBack = Duration.seconds(10)
/** The share of the fast slots that must be free before a claim, so that claims come in batches. */
const worthClaiming = 1 / 8
/** Time limit for giving deliveries back at shutdown; otherwise their leases expire. */
const releaseLimit = "1 second"

/** The attempt of a job. */
interface Course {
  /** Monotonic ms after which it could outlive the lease. */
  readonly startBy: number
  /** The job's place among those held. */
  place: number
  abandon: () => void
}

type OneJob = Job<Course, HeldBroadcast>

const nothing = (): void => {}

/** All mails go to one server; a mail is slow only if that is. */
const hostOf = ({ subscriber: { host, type } }: HeldBroadcast): string => host ?? type

export interface BroadcastWorkerOptions {
  readonly limits: DeliveryLimits
  readonly timeoutMs: number
  /** The part of the rates of hosts that this worker may use; 0 if it is to claim nothing. */
  readonly share: () => number
  /** Makes the next step run immediately. */
  readonly wake: Effect.Effect<void>
}

/** Gathers results and writes them together. */
const makeResults = Effect.fnUntraced(function*(now: Effect.Effect<DateTime.Utc>) {
  const broadcasts = yield* Broadcasts
  const { add, flush } = yield* makeResultWriter<Settled>({
    of: "deliveries to subscribers",
    workspaceOf: ({ delivery }) => delivery.workspaceId,
    write: (batch, patienceMs) => Effect.flatMap(now, (at) => broadcasts.settle(batch, at, patienceMs))
  })
  return { settle: (delivery: HeldBroadcast, outcome: BroadcastOutcome): void => add({ delivery, outcome }), flush }
})

/** The deliveries on their way, as plain state. `run` starts an attempt, and its caller calls `end` once. */
const makeJobs = (
  { limits, share }: BroadcastWorkerOptions,
  steady: () => number,
  estimate: () => number,
  settle: (delivery: HeldBroadcast, outcome: BroadcastOutcome) => void,
  run: (job: OneJob) => () => void
) => {
  // Read once for many deliveries.
  let shareNow = Math.max(share(), smallestShare)
  const slots = makeDeliverySlots<Course, HeldBroadcast>(limits, () => shareNow, (job) => crowdedOut(job))
  const held = makeSlotPool<OneJob>()
  let size = 0
  let elapsed = 0
  let ticked = steady()
  let starting = false

  const finish = (job: OneJob, outcome: BroadcastOutcome): void => {
    held.free(job.group.place)
    size--
    settle(job.delivery, outcome)
  }
  const postpone = (job: OneJob, waitMs: number): void =>
    finish(job, { _tag: "Postponed", at: DateTime.unsafeMake(estimate() + waitMs) })

  const crowdedOut = (job: OneJob): void => postpone(job, slots.postpone(job, elapsed))

  const start = (job: OneJob): void => {
    if (steady() <= job.group.startBy) {
      job.group.abandon = run(job)
      return
    }
    slots.end(job, elapsed)
    postpone(job, 0)
  }
  /** An attempt can end synchronously. The guard makes the loop start the next one; recursion would nest thousands deep. */
  const pump = (most: number): void => {
    if (starting) return
    starting = true
    for (let begun = 0; begun < most; begun++) {
      const job = slots.next(elapsed)
      if (job === undefined) break
      start(job)
    }
    starting = false
  }
  return {
    slots,
    size: () => size,
    admit: (deliveries: ReadonlyArray<HeldBroadcast>, startBy: number): void => {
      if (size === 0) ticked = steady()
      shareNow = Math.max(share(), smallestShare)
      for (const delivery of deliveries) {
        const job: OneJob = {
          delivery,
          group: { startBy, place: 0, abandon: nothing },
          host: hostOf(delivery),
          lane: "fast",
          stage: "waiting",
          moving: false,
          begun: 0
        }
        job.group.place = held.put(job)
        size++
        if (!slots.offer(job, elapsed)) crowdedOut(job)
      }
      pump(startedPerTick)
    },
    end: (job: OneJob, outcome: BroadcastOutcome): void => {
      slots.end(job, elapsed)
      finish(job, outcome)
      pump(startedPerEnd)
    },
    tick: (): void => {
      const now = steady()
      elapsed += Math.min(Math.max(now - ticked, 0), longestTickMs)
      ticked = now
      slots.tick(elapsed)
      pump(startedPerTick)
    },
    release: (): void => {
      for (const job of held.all()) {
        job.group.abandon()
        postpone(job, 0)
      }
    }
  }
}

/** Moves the time of the jobs on while there are any. The latch starts it. */
const makeTicking = Effect.fnUntraced(function*(jobs: ReturnType<typeof makeJobs>) {
  const busy = yield* Effect.makeLatch(false)
  yield* busy.await.pipe(
    Effect.zipRight(Effect.sleep(tickEvery)),
    Effect.zipRight(Effect.sync(() => {
      jobs.tick()
      if (jobs.size() === 0) busy.unsafeClose()
    })),
    Effect.forever,
    (loop) => restartForever("Watching deliveries to subscribers", loop),
    Effect.forkScoped
  )
  return busy
})

/** How long to wait for the broadcast that is ready next, if nothing could be taken at `at`. */
const pauseUntil = (next: Option.Option<DateTime.Utc>, at: DateTime.Utc, share: number): Duration.Duration => {
  if (Option.isNone(next)) return fallbackPause(share)
  // What is ready and was not taken belongs to a workspace with its share, or to another runner.
  return Duration.clamp(Duration.millis(DateTime.distance(at, next.value)), {
    minimum: shortPause,
    maximum: fallbackPause(share)
  })
}

/** Attempts end with the scope; deliveries in flight are then due again immediately. */
export const makeBroadcastWorker = Effect.fn("BroadcastWorker.make")(function*(options: BroadcastWorkerOptions) {
  const broadcasts = yield* Broadcasts
  const compose = yield* makeComposeBroadcast
  const database = yield* DatabaseClock
  const clock = yield* Effect.clock
  const runtime = yield* Effect.runtime<never>()
  const now = Effect.sync(() => DateTime.unsafeMake(database.estimate()))
  const steady = (): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6
  const results = yield* makeResults(now)

  const jobs = makeJobs(options, steady, database.estimate, results.settle, (job) =>
    attempt(job.delivery, (verdict) => {
      jobs.end(job, verdict)
      if (!crowded || !enough()) return
      crowded = false
      Runtime.runFork(runtime)(options.wake)
    }))
  const { slots } = jobs
  const enough = (): boolean => slots.room("fast") >= slots.size("fast") * worthClaiming
  let crowded = false
  let latest: DateTime.Utc | null = null

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => jobs.size() === 0 ? Effect.void : Effect.sync(jobs.release)).pipe(
      Effect.zipRight(results.flush),
      Effect.zipRight(broadcasts.notify),
      Effect.sandbox,
      Effect.ignore,
      Effect.disconnect,
      Effect.timeoutOption(releaseLimit)
    )
  )
  const attempt = yield* makeSubscriberAttempts(() => DateTime.unsafeMake(database.estimate()), options.timeoutMs)
  const busy = yield* makeTicking(jobs)

  /** Claims what is ready, as far as there are slots, and returns how long to wait until the next step. */
  const step = Effect.gen(function*() {
    if (options.share() === 0) return noSharePause
    const composed = yield* broadcasts.prepare(composedAtOnce, compose)
    if (!enough()) {
      crowded = true
      return fallbackPause(options.share())
    }
    const at = yield* database.now
    if (latest !== null && DateTime.lessThan(at, DateTime.subtractDuration(latest, setBack))) yield* broadcasts.recall(at)
    latest = at
    const claimedAt = steady()
    const except = slots.saturated("fast")
    const { deliveries, visited } = yield* broadcasts.claim({ now: at, room: slots.room("fast"), except })
    jobs.admit(deliveries, claimedAt + Duration.toMillis(broadcastLease) - options.timeoutMs - writingMs)
    if (jobs.size() > 0) busy.unsafeOpen()
    if (visited > 0 || composed > 0) return Duration.zero
    return pauseUntil(yield* broadcasts.nextReadyAt, at, options.share())
  }).pipe(Effect.withSpan("BroadcastWorker.step"))

  return { step }
})
