/** A probe worker: checks its share of a region's monitors on schedule, and reports the results. */
import { Clock, Duration, Effect, FiberSet, Schedule, Stream } from "effect"
import type { Scope } from "effect"
import type { Assignment, Beat, CheckResult } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import { Bus } from "../bus/Bus.ts"
import type { ShareSignal } from "../bus/Bus.ts"
import type { Canary } from "../domain/check/Canary.ts"
import type { Usage } from "../domain/check/Stall.ts"
import { EgressGuard } from "../egress/EgressGuard.ts"
import { restartForever } from "../loops/RestartForever.ts"
import { makeCheckIds } from "./CheckIds.ts"
import { collect, makeLookRunner } from "./LookRunner.ts"
import type { ToResult } from "./LookRunner.ts"
import { probeMetrics } from "./Metrics.ts"
import { defaultProbeLimits } from "./ProbeLimits.ts"
import type { ProbeLimits } from "./ProbeLimits.ts"
import { probeOnce, tools } from "./probes.ts"
import type { ProbeNeeds } from "./probes.ts"
import { makeReporter } from "./Reporter.ts"
import { makeRota } from "./Rota.ts"
import { makeScheduler } from "./Scheduler.ts"
import { selfCheck } from "./SelfCheck.ts"
import { makeStallMeter } from "./StallMeter.ts"

export interface WorkerOptions {
  readonly region: RegionId
  /** Unique within the region. */
  readonly workerId: string
  /** If empty, the worker always trusts its results. */
  readonly canaries: ReadonlyArray<Canary>
  readonly limits?: ProbeLimits
  /** Reads the usage of the process. Default: the real usage. */
  readonly usage?: () => Usage
}

/**
 * Time between two ticks. Waking up costs more than a check, so one tick starts all checks that fell due since the last. Too many
 * at a time would delay each other and inflate their measured latencies, so a crowded schedule ticks more often.
 */
const ticks = { usual: Duration.millis(250), crowded: Duration.millis(100), crowd: 40 }

/** The slot of a check that a user requested. */
const byHand = -1

/** Null while this worker trusts its results, else why not. */
interface Trust {
  reason: string | null
}

const makeToResult = (region: RegionId, trust: Trust): ToResult => {
  const mintId = makeCheckIds()
  return (assignment, slot, at, seen, evidence): CheckResult => ({
    checkId: mintId(at),
    monitorId: assignment.monitorId,
    workspaceId: assignment.workspaceId,
    revision: assignment.revision,
    region,
    slot,
    at,
    outcome: seen.outcome,
    statusCode: seen.statusCode,
    latencyMs: seen.latencyMs,
    error: seen.error,
    cause: seen.cause,
    timings: seen.timings,
    evidence,
    trusted: trust.reason === null
  })
}

/** The checks of the assigned monitors, and the loop that starts them on schedule. */
const makeChecks = Effect.fn("Worker.makeChecks")(function*(options: WorkerOptions, toResult: ToResult) {
  const metrics = probeMetrics(options.region)
  const own = yield* tools
  // Created before the checks, so it closes after them.
  const reporter = yield* makeReporter(metrics)
  const start = yield* FiberSet.makeRuntime<never>()
  const stalls = makeStallMeter(own.now(), options.usage)

  const checkPulse = (now: number): void => {
    const stall = stalls.beat(now)
    if (stall.kind === "none") return
    metrics.stalled(stall.kind)
    const seconds = Math.round(stall.gapMs / 1000)
    const what = stall.kind === "blocked" ? "The probe worker blocked its own event loop" : "The machine stood still"
    start(Effect.logWarning(`${what} for ${seconds} s; checks are delayed`))
  }

  const runner = makeLookRunner({
    tools: own,
    metrics,
    reporter,
    toResult,
    start,
    // The response can arrive before the late heartbeat.
    stoodStill: (since) => {
      checkPulse(own.now())
      return stalls.stoodStill(since)
    },
    restarted: (post) => scheduler.restart(post),
    ended: (post) => scheduler.end(post)
  })
  const scheduler = makeScheduler(options.limits ?? defaultProbeLimits, metrics, own.now, {
    begin: runner.begin,
    abandon: runner.abandon
  })
  const rota = makeRota(own.now(), scheduler)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      scheduler.stop()
      runner.stop()
    })
  )

  const runSchedule = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    checkPulse(now)
    const due = rota.takeDue(now, scheduler.skip)
    scheduler.tick(now, due)
    return Effect.sleep(due.length < ticks.crowd && scheduler.spread() === 0 ? ticks.usual : ticks.crowded)
  }).pipe(Effect.forever)

  const applySignal = (signal: ShareSignal): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (signal._tag === "Owned") rota.own(signal.partitions)
      else rota.change(signal.partition, signal.change, now)
      metrics.monitors.set(rota.size())
    })

  return { runSchedule, applySignal, monitors: rota.size, takeLateness: scheduler.takeLateness }
})

/** Sends a heartbeat every 10 s: whether this worker trusts its results, and how late its checks are. */
const makeHeartbeat = Effect.fn("Worker.makeHeartbeat")(
  function*(options: WorkerOptions, trust: Trust, looks: Effect.Effect.Success<ReturnType<typeof makeChecks>>) {
    const { canaries, region, workerId } = options
    const bus = yield* Bus
    const guard = yield* EgressGuard
    const beat = Effect.gen(function*() {
      const reason = yield* selfCheck(guard, canaries)
      if (reason !== trust.reason) {
        yield* reason === null ? Effect.logInfo("The self-check succeeded again") : Effect.logWarning(reason)
      }
      trust.reason = reason
      const at = yield* Clock.currentTimeMillis
      const late = looks.takeLateness()
      const message: Beat = {
        region,
        workerId,
        at,
        healthy: reason === null,
        reason,
        monitors: looks.monitors(),
        looks: late.looks,
        looksLate: late.late,
        latenessP99Ms: late.p99Ms
      }
      yield* bus.beat(message).pipe(Effect.timeout("5 seconds"), Effect.ignore)
    })
    return Effect.repeat(beat, Schedule.fixed("10 seconds"))
  }
)

/** Answers checks that users request, until the scope closes. */
const answerByHand = (region: RegionId, toResult: ToResult): Effect.Effect<void, never, Bus | ProbeNeeds | Scope.Scope> =>
  Effect.gen(function*() {
    const bus = yield* Bus
    const checkByHand = (assignment: Assignment) =>
      Effect.gen(function*() {
        const at = yield* Clock.currentTimeMillis
        const seen = yield* probeOnce(assignment)
        return toResult(assignment, byHand, at, seen, yield* collect(seen))
      })
    const environment = yield* Effect.context<ProbeNeeds>()
    yield* bus.answer(region, (assignment) => Effect.provide(checkByHand(assignment), environment))
  })

/** Runs until interrupted; then cancels the running checks and reports the buffered results. */
export const run = (options: WorkerOptions): Effect.Effect<never, never, Bus | ProbeNeeds> =>
  Effect.scoped(Effect.gen(function*() {
    const bus = yield* Bus
    const trust: Trust = { reason: null }
    const toResult = makeToResult(options.region, trust)
    const looks = yield* makeChecks(options, toResult)
    const heartbeat = yield* makeHeartbeat(options, trust, looks)
    yield* answerByHand(options.region, toResult)

    // Each loop restarts independently: a worker without assignments, or with only its heartbeat, would silently stop checking.
    const loops = [
      restartForever("Scheduling checks", looks.runSchedule),
      restartForever("Following assignments", Stream.runForEach(bus.share(options.region), looks.applySignal)),
      restartForever("Sending heartbeats", heartbeat)
    ]
    return yield* Effect.zipRight(Effect.all(loops, { concurrency: "unbounded", discard: true }), Effect.never)
  }))
