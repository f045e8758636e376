/** A probe worker: checks its share of a region's monitors on schedule, and reports the results. */
import { Clock, Duration, Effect, FiberSet, Schedule, Stream } from "effect"
import type { Assignment, Beat } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import { programVersion } from "../../schema/ProgramVersion.ts"
import { Bus, type ShareSignal } from "../bus/Bus.ts"
import { isPublic } from "../domain/check/address/Egress.ts"
import type { Canary } from "../domain/check/probe/Canary.ts"
import type { Usage } from "../domain/check/probe/Stall.ts"
import { slotAt } from "../domain/check/round/CheckSlot.ts"
import { EgressGuard } from "../egress/EgressGuard.ts"
import { awaitEnd } from "../loops/AwaitEnd.ts"
import { restartForever } from "../loops/RestartForever.ts"
import { Tracing, type TracingService } from "../telemetry/Tracing.ts"
import { Browsers } from "./browser/Browsers.ts"
import { makeCheckIds } from "./CheckIds.ts"
import { collect, makeCheckRunner, type ToResult } from "./CheckRunner.ts"
import { type ProbeMetrics, probeMetrics } from "./Metrics.ts"
import { Pings } from "./Pings.ts"
import { type ProbeNeeds, type Tools, tools } from "./Probe.ts"
import { defaultProbeLimits, type ProbeLimits } from "./ProbeLimits.ts"
import { probeOnce } from "./probes.ts"
import { type DueCheck, makeProbeSchedule, type ScheduledMonitor } from "./ProbeSchedule.ts"
import { makeReporter } from "./Reporter.ts"
import { makeScheduler } from "./Scheduler.ts"
import { Scripts } from "./script/Scripts.ts"
import { selfCheck } from "./SelfCheck.ts"
import { makeSharedTime, type SharedTime } from "./SharedTime.ts"
import { makeStallMeter, type StallMeter } from "./StallMeter.ts"
import { traceCheck } from "./TraceCheck.ts"
import { reasonOf, type Trust } from "./Trust.ts"
import { makeUplink, uncheckedUplink, uplinkLoop, type UplinkOptions } from "./Uplink.ts"
import type { WorkerLife } from "./WorkerLife.ts"

export interface WorkerOptions {
  readonly region: RegionId
  /** Unique within the region. */
  readonly workerId: string
  /** Targets that are always up: while the worker reaches none of them, it does not trust its results. */
  readonly canaries: ReadonlyArray<Canary>
  readonly limits?: ProbeLimits
  /** Failed checks wait for a check of this machine's own connection. Default: true. */
  readonly checksUplink?: boolean
  /** Says whether an address is beyond the connection of this machine. Default: public addresses are. */
  readonly isOutside?: (address: string) => boolean
  readonly life?: WorkerLife
  /** Reads the usage of the process. Default: the real usage. */
  readonly usage?: () => Usage
}

/** Time between two ticks. Waking up costs more than a check, but too many checks in one tick would delay each other. */
const ticks = { usual: Duration.millis(250), crowded: Duration.millis(100), crowd: 40 }

const byHand = { slot: -1, attempt: 0 }

const makeToResult = (region: RegionId, trust: Trust, tracing: TracingService | null): ToResult => {
  const mintId = makeCheckIds()
  const toResult: ToResult = (assignment, { attempt, slot }, at, seen, evidence) => ({
    checkId: mintId(at, assignment.monitorId),
    monitorId: assignment.monitorId,
    workspaceId: assignment.workspaceId,
    revision: assignment.revision,
    region,
    slot,
    ...(attempt === 0 ? {} : { attempt }),
    at,
    outcome: seen.outcome,
    statusCode: seen.statusCode,
    latencyMs: seen.latencyMs,
    error: seen.error,
    cause: seen.cause,
    timings: seen.timings,
    evidence,
    ...(seen.manifest === undefined ? {} : { manifest: seen.manifest }),
    trusted: trust.canaries === null && trust.clock === null
  })
  return tracing === null ? toResult : (assignment, run, at, seen, evidence) => ({
    ...toResult(assignment, run, at, seen, evidence),
    ...traceCheck(tracing, { assignment, region, at, seen })
  })
}

const noteStall = (
  stalls: StallMeter,
  metrics: ProbeMetrics,
  now: number,
  start: (effect: Effect.Effect<void>) => void
): void => {
  const stall = stalls.beat(now)
  if (stall.kind === "none") return
  metrics.stalled(stall.kind)
  const seconds = Math.round(stall.gapMs / 1000)
  const what = stall.kind === "blocked" ? "The probe worker blocked its own event loop" : "The machine stood still"
  start(Effect.logWarning(`${what} for ${seconds} s; checks are delayed`))
}

/** Repeats checks that did not count, without waiting for their next slot. */
const dueAgain = (monitors: ReadonlyArray<ScheduledMonitor>, now: number): ReadonlyArray<DueCheck> =>
  monitors.flatMap((monitor) => {
    if (monitor.busy || monitor.gone) return []
    monitor.busy = true
    return [{ monitor, slot: slotAt(now, monitor.rhythm.phase, monitor.rhythm.intervalMs), attempt: 0, due: now }]
  })

/** The part of the region's monitors that a worker has. Without partitions it has none to check, so any part will do. */
const partOf = ({ partitions, total }: Extract<ShareSignal, { readonly _tag: "Owned" }>): number =>
  partitions.size === 0 ? 1 : Math.min(1, partitions.size / total)

const uplinkOf = (
  { canaries, checksUplink, isOutside = isPublic }: WorkerOptions,
  { guard, now }: Tools,
  settle: UplinkOptions["settle"]
) => checksUplink === false ? uncheckedUplink : makeUplink({ canaries, guard, isOutside, now, settle })

/** The rest of a schedule without monitors, also of removed ones whose checks are under way. `begin` is called with the time at its end. */
const makeRest = (isBusy: () => boolean, begin: (now: number) => void) =>
  Effect.map(Effect.makeLatch(false), (work) => ({
    whileIdle: Effect.suspend(() => {
      if (isBusy()) return Effect.void
      work.unsafeClose()
      return Effect.zipRight(work.await, Effect.map(Clock.currentTimeMillis, begin))
    }),
    end: (): void => {
      if (isBusy()) work.unsafeOpen()
    }
  }))

const makeChecks = Effect.fn("Worker.makeChecks")(function*(options: WorkerOptions, toResult: ToResult) {
  const metrics = probeMetrics(options.region)
  const own = yield* tools
  // Created before the checks, so it closes after them.
  const reporter = yield* makeReporter(metrics)
  const start = yield* FiberSet.makeRuntime<never>()
  const stalls = makeStallMeter(own.now(), options.usage)

  const checkStall = (now: number): void => noteStall(stalls, metrics, now, start)

  const uplink = uplinkOf(options, own, (pending, isTrusted) => runner.settle(pending, isTrusted))
  const runner = makeCheckRunner({
    uplink,
    tools: own,
    metrics,
    reporter,
    toResult,
    start,
    // The response can arrive before the late heartbeat.
    stoodStill: (since) => {
      checkStall(own.now())
      return stalls.stoodStill(since)
    },
    permits: () => scheduler,
    restarted: (monitor) => scheduler.restart(monitor),
    ended: (monitor, isDown) => {
      scheduler.end(monitor)
      if (isDown !== null) schedule.ended(monitor, isDown, own.now())
    }
  })
  const scheduler = makeScheduler(options.limits ?? defaultProbeLimits, metrics, own.now, runner)
  const schedule = makeProbeSchedule(own.now(), {
    joined: scheduler.joined,
    left: (monitor) => {
      scheduler.left(monitor)
      uplink.left(monitor)
    }
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(scheduler.stop).pipe(Effect.zipRight(awaitEnd(runner.underWay)), Effect.zipRight(Effect.sync(runner.stop)))
  )

  const rest = yield* makeRest(() => schedule.size() > 0 || runner.underWay() > 0, stalls.begin)

  const tick = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    checkStall(now)
    const due = schedule.takeDue(now, scheduler.skip)
    scheduler.tick(now, uplink.isLost() ? due : [...due, ...dueAgain(runner.takeDistrusted(), now)])
    return Effect.sleep(due.length < ticks.crowd && scheduler.spread() === 0 ? ticks.usual : ticks.crowded)
  })

  const applySignal = (signal: ShareSignal): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (signal._tag === "Owned") {
        schedule.own(signal.partitions)
        scheduler.setShare(partOf(signal))
        options.life?.joined()
      } else schedule.change(signal.partition, signal.change, now)
      metrics.monitors.set(schedule.size())
      rest.end()
    })
  const runSchedule = Effect.forever(Effect.zipRight(rest.whileIdle, tick))
  return { runSchedule, uplink, metrics, applySignal, monitors: schedule.size, scheduler }
})

const roundedOrNull = (value: number | null): number | null => value === null ? null : Math.round(value)

/** Sends a heartbeat every 10 s: whether this worker trusts its results, and how late its checks are. */
const makeHeartbeat = Effect.fn("Worker.makeHeartbeat")(
  function*(
    options: WorkerOptions,
    trust: Trust,
    checks: Effect.Effect.Success<ReturnType<typeof makeChecks>>,
    time: SharedTime
  ) {
    const { canaries, region, workerId } = options
    const bus = yield* Bus
    const guard = yield* EgressGuard
    const browsers = yield* Browsers
    const scripts = yield* Scripts
    const pings = yield* Pings
    const beat = Effect.gen(function*() {
      const reason = yield* selfCheck(guard, canaries)
      if (reason !== trust.canaries) {
        yield* reason === null ? Effect.logInfo("The self-check succeeded again") : Effect.logWarning(reason)
      }
      trust.canaries = reason
      const at = yield* Clock.currentTimeMillis
      const late = checks.scheduler.takeLateness()
      const message: Beat = {
        region,
        workerId,
        at,
        healthy: reasonOf(trust) === null,
        reason: reasonOf(trust),
        monitors: checks.monitors(),
        clockSkewMs: roundedOrNull(time.skewMs()),
        looks: late.looks,
        looksLate: late.late,
        latenessP99Ms: late.p99Ms,
        version: programVersion,
        hasBrowser: browsers.isAvailable(),
        hasScripts: scripts.isAvailable(),
        hasPing: yield* pings.isAvailable
      }
      const taken = options.life?.beat ?? Effect.void
      yield* bus.beat(message).pipe(Effect.timeout("5 seconds"), Effect.zipRight(taken), Effect.ignore)
    })
    return { now: beat, always: Effect.repeat(beat, Schedule.fixed("10 seconds")) }
  }
)

/** Answers checks that users request, until the scope closes. */
const answerByHand = Effect.fn("Worker.answerByHand")(function*(
  region: RegionId,
  toResult: ToResult,
  trust: Trust,
  { permitsFor }: Pick<ReturnType<typeof makeScheduler>, "permitsFor">
) {
  const bus = yield* Bus
  const checkByHand = (assignment: Assignment) =>
    Effect.gen(function*() {
      const at = yield* Clock.currentTimeMillis
      const seen = yield* probeOnce(assignment, permitsFor(assignment))
      return { ...toResult(assignment, byHand, at, seen, yield* collect(seen)), trusted: reasonOf(trust) === null }
    })
  const environment = yield* Effect.context<ProbeNeeds>()
  yield* bus.answer(region, (assignment) => Effect.provide(checkByHand(assignment), environment))
})

const work = Effect.fn("Worker.work")(function*(options: WorkerOptions, trust: Trust, time: SharedTime) {
  const bus = yield* Bus
  const toResult = makeToResult(options.region, trust, yield* Tracing)
  const checks = yield* makeChecks(options, toResult)
  const heartbeat = yield* makeHeartbeat(options, trust, checks, time)
  yield* answerByHand(options.region, toResult, trust, checks.scheduler)

  // Each loop restarts independently: a worker without assignments, or with only its heartbeat, would silently stop checking.
  const loops = [
    restartForever("Scheduling checks", checks.runSchedule),
    restartForever("Following assignments", Stream.runForEach(bus.share(options.region), checks.applySignal)),
    restartForever("Sending heartbeats", heartbeat.always),
    // The region's health follows without delay.
    restartForever("Checking the probe's own connection", uplinkLoop(checks.uplink, trust, checks.metrics, heartbeat.now))
  ]
  return yield* Effect.zipRight(Effect.all(loops, { concurrency: "unbounded", discard: true }), Effect.never)
})

/** Runs until interrupted; then begins no more checks, gives those under way a moment, and reports the results. */
export const run = Effect.fn("Worker.run")(function*(options: WorkerOptions) {
  const trust: Trust = { canaries: null, uplink: null, clock: null }
  const time = yield* makeSharedTime(trust)
  yield* Effect.forkScoped(restartForever("Following the servers' time", time.follow))
  // A step of the clock would run like a machine that stood still.
  yield* time.known
  return yield* Effect.withClock(work(options, trust, time), time.clock)
}, Effect.scoped)
