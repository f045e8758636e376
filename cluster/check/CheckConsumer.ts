/** Takes check results off the bus: hands each to its monitor's actor, then has the rows written in bulk. */
import { Cause, Clock, Effect, Exit, Layer, Option, Schedule } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import type { Snapshot } from "../../schema/monitor/Machine.ts"
import { Bus } from "../../src/bus/Bus.ts"
import { observationOf } from "../../src/domain/check/CheckView.ts"
import { isolatedRegions, type RegionOutcomes } from "../../src/domain/check/IsolatedRegions.ts"
import { makeOutage, reasonOf } from "../../src/loops/Outage.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import type { CountedResult } from "../../src/store/check/Checks.ts"
import { Regions } from "../../src/store/check/Regions.ts"
import { withEmptyContext } from "../MinimalContext.ts"
import { LocalActors } from "../monitor/LocalActors.ts"
import { entityId, MonitorEntity, type Observed } from "../monitor/MonitorProtocol.ts"
import { makeRetryingAsk } from "../monitor/RetryingAsk.ts"
import { RoundClock } from "../monitor/RoundClock.ts"
import { CheckWriter } from "./CheckWriter.ts"
import { LiveChecks } from "./LiveChecks.ts"
import { RegionHealth } from "./RegionHealth.ts"

/** Results older than this say nothing about a region's health, ms. */
const fresh = 180_000
/** Each ask in flight holds memory that survives the next garbage collection; 32 are enough to keep a remote runner busy. */
const asksAtOnce = 32
/** An ask that takes longer is repeated: the actor's runner may be gone. */
const askTimeout = "15 seconds"
/** An actor that could not close its round is asked again after this, ms. */
const askAgainAfter = 1000
/** A few failed asks are normal while a runner is replaced. */
const toleratedFailures = 10

/** For a check that its monitor cannot take in. */
const notCounted: Observed = { counted: false, moved: false, snapshot: null }

/** A region's last result for a monitor; updated in place because every check brings one. */
interface LastSeen {
  outcome: CheckResult["outcome"]
  at: number
}

/** Gathers what must be written for a batch. */
const makeBatchOutcome = () => {
  const counted: Array<CountedResult> = []
  const snapshots: Array<Snapshot> = []
  let moved = false
  const take = (result: CheckResult, observed: Observed): void => {
    counted.push({ result, counted: observed.counted })
    if (observed.snapshot !== null) snapshots.push(observed.snapshot)
    moved ||= observed.moved
  }
  return { counted, snapshots, moved: () => moved, take }
}
type BatchOutcome = ReturnType<typeof makeBatchOutcome>

/** The results of one monitor, asked one after another in order; different monitors are asked concurrently. */
type MonitorQueue = Array<CheckResult>

export const CheckConsumer = Layer.scopedDiscard(Effect.gen(function*() {
  const bus = yield* Bus
  const writer = yield* CheckWriter
  const rounds = yield* RoundClock
  const live = yield* LiveChecks
  const localActors = yield* LocalActors
  const regions = yield* Regions
  const health = yield* RegionHealth
  const scope = yield* Effect.scope
  const monitor = yield* MonitorEntity.client
  const retryingAsk = yield* makeRetryingAsk

  const seen = new Map<string, Map<RegionId, LastSeen>>()
  let isolated: ReadonlySet<RegionId> = new Set()
  const delivering = new Set<RegionId>()

  const note = (result: CheckResult) => {
    delivering.add(result.region)
    const regions = seen.get(result.monitorId)
    const before = regions?.get(result.region)
    if (before !== undefined) {
      before.outcome = result.outcome
      before.at = result.at
    } else if (regions !== undefined) regions.set(result.region, { outcome: result.outcome, at: result.at })
    else seen.set(result.monitorId, new Map([[result.region, { outcome: result.outcome, at: result.at }]]))
  }

  const judgeRegions = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    for (const [id, regions] of seen) {
      for (const [region, { at }] of regions) if (now - at > fresh) regions.delete(region)
      if (regions.size === 0) seen.delete(id)
    }
    const views: Iterable<RegionOutcomes> = seen.values()
    const before = isolated
    isolated = isolatedRegions(views, now, fresh)
    const fallen = [...isolated].filter((region) => !before.has(region))
    const delivered = [...delivering]
    delivering.clear()
    return Effect.all([
      Effect.when(regions.delivered(delivered), () => delivered.length > 0),
      Effect.when(regions.foundAlone(isolated), () => isolated.size > 0),
      fallen.length === 0 ? Effect.void : Effect.logWarning(
        `Region ${fallen.join(", ")} alone sees most of its targets fail; its results are stored but not counted`
      )
    ], { discard: true })
  })

  const isTrusted = (result: CheckResult) => result.trusted && !isolated.has(result.region)

  const idOf = (result: CheckResult) => entityId(result.workspaceId, result.monitorId)

  const observe = (result: CheckResult) => monitor(idOf(result)).Observe(observationOf(result, isTrusted(result)))
  /** Asks until the actor has answered; the result stays with this batch meanwhile. */
  const observeRetrying = (result: CheckResult) =>
    Effect.map(retryingAsk(result.monitorId, observe(result)), Option.getOrElse(() => notCounted))

  /** A throw here must not fail the batch; fall back to asking the actor. */
  const observeLocally = Option.liftThrowable((result: CheckResult, now: number) =>
    localActors.tryObserve(idOf(result), observationOf(result, isTrusted(result)), now)
  )

  /**
   * Most checks change nothing, and most of their actors live in this process: a plain loop serves those. A check that needs
   * a message goes into its monitor's queue, and so do the monitor's later checks, to keep their order.
   */
  const takeInLocally = (
    batch: ReadonlyArray<CheckResult>,
    now: number,
    outcome: BatchOutcome
  ): ReadonlyArray<MonitorQueue> => {
    const queues = new Map<string, MonitorQueue>()
    for (const result of batch) {
      const queue = queues.get(result.monitorId)
      const observed = queue === undefined ? Option.getOrNull(observeLocally(result, now)) : null
      if (observed !== null) outcome.take(result, observed)
      else if (queue !== undefined) queue.push(result)
      else queues.set(result.monitorId, [result])
    }
    return [...queues.values()]
  }

  /** Removes each answered result from the queue. */
  const drain = <E>(queue: MonitorQueue, outcome: BatchOutcome, ask: (result: CheckResult) => Effect.Effect<Observed, E>) =>
    Effect.forEach([...queue], (result) =>
      Effect.map(ask(result), (observed) => {
        queue.shift()
        outcome.take(result, observed)
      }), { discard: true })

  /** One timeout covers the first attempt of all queues: a timer per ask would cost as much as the ask. */
  const askActors = Effect.fnUntraced(function*(queues: ReadonlyArray<MonitorQueue>, outcome: BatchOutcome) {
    const done = yield* Effect.forEach(queues, (queue) => Effect.exit(drain(queue, outcome, observe)), {
      concurrency: asksAtOnce
    })
      .pipe(
        Effect.timeoutOption(askTimeout),
        Effect.map(Option.exists((exits) => exits.every(Exit.isSuccess)))
      )
    if (done) return
    yield* Effect.forEach(queues, (queue) => drain(queue, outcome, observeRetrying), { concurrency: asksAtOnce, discard: true })
  })

  const takeIn = Effect.fnUntraced(function*(batch: ReadonlyArray<CheckResult>, now: number) {
    batch.forEach(note)
    const outcome = makeBatchOutcome()
    const queues = takeInLocally(batch, now, outcome)
    if (queues.length > 0) yield* askActors(queues, outcome)
    yield* live.relay(outcome.counted)
    return yield* writer.add(outcome.counted, outcome.snapshots, outcome.moved())
  })

  const handle = Effect.fnUntraced(function*(batch: ReadonlyArray<CheckResult>) {
    const now = yield* Clock.currentTimeMillis
    const endBatch = health.beginBatch(batch, now)
    const ended = Effect.map(Clock.currentTimeMillis, endBatch)
    const written = yield* Effect.onError(takeIn(batch, now), () => ended)
    // The bus may stop waiting for the write when the partition moves, so the end of the batch needs a fiber of its own.
    return yield* Effect.as(Effect.forkIn(Effect.ensuring(written, ended), scope), written)
  })

  const closing = makeOutage("Asking monitors to close their rounds", toleratedFailures)

  /** A round that cannot be closed is armed again, so that the others do not wait for it. */
  const close = (id: string) =>
    monitor(id).CloseDue().pipe(
      Effect.timeout(askTimeout),
      Effect.tap(closing.worked),
      Effect.map(({ counted, snapshot }) => counted ? snapshot : null),
      Effect.catchAllCause((cause) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          rounds.arm(id, now + askAgainAfter)
          return Effect.as(closing.failed(reasonOf(Cause.squash(cause))), null)
        })
      )
    )

  const closeDue = Effect.gen(function*() {
    const closed = yield* Effect.forEach(yield* rounds.due, close, { concurrency: asksAtOnce })
    const snapshots = closed.filter((snapshot) => snapshot !== null)
    if (snapshots.length > 0) yield* writer.add([], snapshots, true)
  })

  const keepJudging = Effect.repeat(retryForever("Judging the regions", judgeRegions), Schedule.spaced("5 seconds"))
  yield* Effect.forkScoped(restartForever("Judging the regions", keepJudging))
  yield* Effect.forkScoped(restartForever("Closing rounds that are due", Effect.forever(Effect.delay(closeDue, "500 millis"))))
  yield* bus.results((batch) => withEmptyContext(handle(batch)))
}))
