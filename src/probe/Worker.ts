/** A probe worker: looks after its share of a region's monitors, each at its time, and reports what it sees. */
import { Clock, Duration, Effect, Either, FiberSet, Schedule, Stream } from "effect"
import type { Assignment, CheckResult } from "../../schema/check/Bus.ts"
import type { Evidence } from "../../schema/check/Check.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import { Bus } from "../bus/Bus.ts"
import type { ShareSignal } from "../bus/Bus.ts"
import type { Canary } from "../domain/check/Canary.ts"
import { phaseOf, slotAt } from "../domain/check/CheckSlot.ts"
import { makeSlotPool } from "../domain/SlotPool.ts"
import { EgressGuard } from "../egress/EgressGuard.ts"
import { restartForever } from "../loops/RestartForever.ts"
import { makeCheckIds } from "./CheckIds.ts"
import { probeMetrics } from "./Metrics.ts"
import type { ProbeExit, ProbeResult, SealingKey } from "./ProbeResult.ts"
import { brokenProbeResult, probeOnce, startProbe, tools } from "./probes.ts"
import { makeReporter } from "./Reporter.ts"
import { makeRota } from "./Rota.ts"
import type { Duty } from "./Rota.ts"
import { selfCheck } from "./SelfCheck.ts"

export interface WorkerOptions {
  readonly region: RegionId
  /** Names this worker among those of its region. */
  readonly workerId: string
  /** With none, the worker always trusts itself. */
  readonly canaries: ReadonlyArray<Canary>
  /** Looks under way at once; more wait in line. Default 1000. */
  readonly maxInFlight?: number
}

/**
 * How often the rota is looked at. Waking costs more than a check, so what falls due in between is begun together; but too many
 * at once would be in each other's way, and lengthen the times that they measure.
 */
const ticks = { usual: Duration.millis(250), crowded: Duration.millis(100), crowd: 40 }

/** No look takes so much longer than its timeout: the process was stopped or the machine suspended, ms. */
const standstillMs = 5000

/** The slot of a check that was asked for by hand. */
const byHand = -1

/** One in sixty good checks keeps its evidence: at the usual interval, one an hour. */
const isSampled = (monitorId: string, slot: number): boolean => phaseOf(`${monitorId}/${slot}`, 60) === 0

/** Evidence is an extra: when it cannot be put together, the check still counts. */
const collect = (seen: ProbeResult): Effect.Effect<Evidence | null> =>
  seen.evidence.pipe(
    Effect.catchAllDefect((defect) =>
      Effect.as(Effect.logError("The evidence of a check could not be put together", defect), null)
    )
  )

/** Works until it is interrupted; then gives up the looks under way and hands in what it has. */
export const run = (options: WorkerOptions): Effect.Effect<never, never, Bus | EgressGuard | SealingKey> =>
  Effect.scoped(Effect.gen(function*() {
    const { region, workerId } = options
    const maxInFlight = options.maxInFlight ?? 1000
    const bus = yield* Bus
    const guard = yield* EgressGuard
    const metrics = probeMetrics(region)
    const clock = yield* Effect.clock
    const rota = makeRota(clock.unsafeCurrentTimeMillis())
    // Before the looks, so that it closes after them.
    const reporter = yield* makeReporter(metrics)
    const start = yield* FiberSet.makeRuntime<never>()
    const mintId = makeCheckIds()
    const own = yield* tools
    const underWay = makeSlotPool<() => void>()
    const inLine: Array<Duty> = []
    let inFlight = 0
    let beginning = false
    let closing = false
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        closing = true
        for (const giveUp of underWay.all()) giveUp()
      })
    )
    let distrust: string | null = null

    const toResult = (
      assignment: Assignment,
      slot: number,
      at: number,
      seen: ProbeResult,
      evidence: Evidence | null
    ): CheckResult => ({
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
      trusted: distrust === null
    })

    const finish = (duty: Duty): void => {
      duty.post.busy = false
      inFlight--
      beginWaiting()
    }

    /** Nothing is forked for a good look, the most of them by far. */
    const conclude = (duty: Duty, at: number, seen: ProbeResult): void => {
      const { post, slot } = duty
      const isNews = seen.outcome !== "up" || post.wasBad
      post.wasBad = seen.outcome !== "up"
      metrics.counted(seen.outcome)
      if (isNews || isSampled(post.assignment.monitorId, slot)) {
        const report = Effect.map(
          collect(seen),
          (evidence) => reporter.offer(toResult(post.assignment, slot, at, seen, evidence))
        )
        start(report).addObserver(() => finish(duty))
      } else {
        reporter.offer(toResult(post.assignment, slot, at, seen, null))
        finish(duty)
      }
    }

    /** A look that spans a standstill of this process tells of the standstill, not of the target: it is made anew. */
    const judge = (duty: Duty, at: number, seen: ProbeExit): void => {
      const { assignment, rhythm } = duty.post
      const now = own.now()
      if (now - at > assignment.timeoutMs + standstillMs) {
        return lookFor({ ...duty, slot: slotAt(now, rhythm.phase, rhythm.intervalMs) }, now)
      }
      Either.match(seen, {
        onLeft: (defect) => void start(Effect.map(brokenProbeResult(assignment, defect), (look) => conclude(duty, at, look))),
        onRight: (look) => conclude(duty, at, look)
      })
    }

    const lookFor = (duty: Duty, at: number): void => {
      let over = false
      let slot: number | null = null
      const giveUp = startProbe(duty.post.assignment, own, (seen) => {
        over = true
        if (slot !== null) underWay.free(slot)
        if (!closing) judge(duty, at, seen)
      })
      if (!over) slot = underWay.put(giveUp)
    }

    const begin = (duty: Duty): void => {
      inFlight++
      const at = own.now()
      metrics.lateness.observe(Math.max(at - duty.due, 0) / 1000)
      lookFor(duty, at)
    }

    /** A look that is over at once ends in here: the loop goes on with the next, or thousands would begin inside each other. */
    const beginWaiting = (): void => {
      if (beginning) return
      beginning = true
      while (!closing && inFlight < maxInFlight) {
        const next = inLine.shift()
        if (next === undefined) break
        begin(next)
      }
      beginning = false
    }

    const keepTime = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // Should the last turn have broken off in the middle.
      beginning = false
      const due = rota.takeDue(now, () => metrics.skipped.inc())
      for (const duty of due) inLine.push(duty)
      beginWaiting()
      metrics.inFlight.set(inFlight)
      return Effect.sleep(due.length < ticks.crowd ? ticks.usual : ticks.crowded)
    }).pipe(Effect.forever)

    const hear = (signal: ShareSignal): Effect.Effect<void> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (signal._tag === "Owned") rota.own(signal.partitions)
        else rota.change(signal.partition, signal.change, now)
        metrics.monitors.set(rota.size())
      })

    const beat = Effect.gen(function*() {
      const reason = yield* selfCheck(guard, options.canaries)
      if (reason !== distrust) yield* reason === null ? Effect.logInfo("The self-check is well again") : Effect.logWarning(reason)
      distrust = reason
      const at = yield* Clock.currentTimeMillis
      yield* bus.beat({ region, workerId, at, healthy: reason === null, reason, monitors: rota.size() }).pipe(
        Effect.timeout("5 seconds"),
        Effect.ignore
      )
    })

    const lookByHand = (assignment: Assignment): Effect.Effect<CheckResult, never, EgressGuard | SealingKey> =>
      Effect.gen(function*() {
        const at = yield* Clock.currentTimeMillis
        const seen = yield* probeOnce(assignment)
        return toResult(assignment, byHand, at, seen, yield* collect(seen))
      })
    const environment = yield* Effect.context<EgressGuard | SealingKey>()
    yield* bus.answer(region, (assignment) => Effect.provide(lookByHand(assignment), environment))

    // None of them is to take the others along: a worker that hears nothing, or only beats, checks no more without a word.
    const loops = [
      restartForever("Keeping the times of checks", keepTime),
      restartForever("Following the assignments", Stream.runForEach(bus.share(region), hear)),
      restartForever("Beating", Effect.repeat(beat, Schedule.fixed("10 seconds")))
    ]
    return yield* Effect.zipRight(Effect.all(loops, { concurrency: "unbounded", discard: true }), Effect.never)
  }))
