/** Runs the checks that the scheduler starts: probes the target, repeats a check that a standstill spoiled, and reports. */
import { Effect, Either, type Fiber } from "effect"
import type { Assignment, CheckResult } from "../../schema/check/Bus.ts"
import type { Evidence } from "../../schema/check/Check.ts"
import { keepsEvidence, nextStreak } from "../domain/check/history/EvidenceSampling.ts"
import { stallMs } from "../domain/check/probe/Stall.ts"
import { phaseOf, slotAt } from "../domain/check/round/CheckSlot.ts"
import { makeSlotPool } from "../domain/tools/SlotPool.ts"
import type { ProbeMetrics } from "./Metrics.ts"
import { Overloaded } from "./Overloaded.ts"
import type { ProbeExit, Tools } from "./Probe.ts"
import type { ProbeResult } from "./ProbeResult.ts"
import { brokenProbeResult, startProbe } from "./probes.ts"
import type { ScheduledMonitor } from "./ProbeSchedule.ts"
import type { Reporter } from "./Reporter.ts"
import type { Pending, Uplink } from "./Uplink.ts"

/** Builds the bus message for a check's result. `at` in ms since 1970. */
export type ToResult = (
  assignment: Assignment,
  turn: { readonly slot: number; readonly attempt: number },
  at: number,
  seen: ProbeResult,
  evidence: Evidence | null
) => CheckResult

export interface CheckRunnerOptions {
  readonly tools: Tools
  readonly metrics: ProbeMetrics
  readonly reporter: Reporter
  readonly toResult: ToResult
  /** Runs an effect on a fiber of the worker. */
  readonly start: (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<void>
  /** Whether the machine stood still at some time after `since` (ms since 1970). */
  readonly stoodStill: (since: number) => boolean
  /** The check starts over. */
  readonly restarted: (monitor: ScheduledMonitor) => void
  /** `isDown` is null for a check that does not count. */
  readonly ended: (monitor: ScheduledMonitor, isDown: boolean | null) => void
  /** Whether the machine's own connection works. */
  readonly uplink: Pick<Uplink, "begin" | "judge">
}

export interface CheckRunner {
  /** Reports a check that waited for a verdict on the machine's own connection. */
  readonly settle: (pending: Pending, isTrusted: boolean) => void
  /** The monitors whose checks did not count since the last call: they are to be checked again. */
  readonly takeDistrusted: () => ReadonlyArray<ScheduledMonitor>
  readonly begin: (monitor: ScheduledMonitor, now: number) => void
  /** Cancels a check that overran its lease, and reports it as `internal_error`. */
  readonly abandon: (monitor: ScheduledMonitor) => void
  /** Cancels all checks without reporting them. */
  readonly stop: () => void
}

/** One in 60 successful checks keeps its evidence: one per hour at the default interval. */
const isSampled = (monitorId: string, slot: number): boolean => phaseOf(`${monitorId}/${slot}`, 60) === 0

/** Evidence is optional: the check counts even if assembling the evidence fails. */
export const collect = (seen: ProbeResult): Effect.Effect<Evidence | null> =>
  seen.evidence.pipe(
    Effect.catchAllDefect((defect) => Effect.as(Effect.logError("Assembling the evidence of a check failed", defect), null)),
    Effect.timeoutTo({ duration: "5 seconds", onSuccess: (evidence) => evidence, onTimeout: () => null })
  )

const none: ReadonlyArray<never> = []

export const makeCheckRunner = (options: CheckRunnerOptions): CheckRunner => {
  const { ended, metrics, reporter, restarted, start, stoodStill, toResult, tools, uplink } = options
  const underWay = makeSlotPool<ScheduledMonitor>()
  let distrusted = new Set<ScheduledMonitor>()
  let stopped = false

  const finish = (monitor: ScheduledMonitor, generation: number, isDown: boolean | null): void => {
    const { run } = monitor
    if (run.generation !== generation) return
    run.generation++
    run.giveUp = null
    underWay.free(run.place)
    ended(monitor, isDown)
  }

  /** The result is stored and counts for nothing: it says more about this machine than about the target. */
  const distrust = (monitor: ScheduledMonitor, generation: number, seen: ProbeResult): void => {
    const { assignment, run } = monitor
    metrics.distrusted.inc()
    reporter.offer({ ...toResult(assignment, run, run.at, seen, null), trusted: false })
    distrusted.add(monitor)
    finish(monitor, generation, null)
  }

  /** Forks no fiber for successful checks, which are by far the most frequent. */
  const report = (monitor: ScheduledMonitor, generation: number, seen: ProbeResult): void => {
    const { assignment, run } = monitor
    const { at, slot } = run
    const isDown = seen.outcome === "down"
    const isRecovery = monitor.streak !== null
    const streak = nextStreak(monitor.streak, seen)
    monitor.streak = streak
    const shows = streak === null ? isRecovery || isSampled(assignment.monitorId, slot) : keepsEvidence(streak, at)
    metrics.counted(seen.outcome)
    if (shows) {
      const reporting = Effect.map(collect(seen), (evidence) => {
        const result = toResult(assignment, run, at, seen, evidence)
        if (streak !== null && evidence !== null) monitor.streak = { ...streak, shownBy: { checkId: result.checkId, at } }
        reporter.offer(result)
      })
      start(reporting).addObserver(() => finish(monitor, generation, isDown))
    } else {
      const result = toResult(assignment, run, at, seen, null)
      const shownBy = streak?.shownBy ?? null
      reporter.offer(shownBy === null ? result : { ...result, repeats: shownBy.checkId })
      finish(monitor, generation, isDown)
    }
  }

  const settle = ({ monitor, generation, seen }: Pending, isTrusted: boolean): void => {
    if (stopped || monitor.run.generation !== generation) return
    if (isTrusted) report(monitor, generation, seen)
    else distrust(monitor, generation, seen)
  }

  const conclude = (monitor: ScheduledMonitor, generation: number, seen: ProbeResult): void => {
    const worth = uplink.judge({ monitor, generation, seen })
    if (worth !== "hold") settle({ monitor, generation, seen }, worth === "report")
  }

  const concludeBroken = (monitor: ScheduledMonitor, generation: number, defect: unknown): void =>
    void start(Effect.map(brokenProbeResult(monitor.assignment, defect), (seen) => conclude(monitor, generation, seen)))

  const fail = (monitor: ScheduledMonitor, generation: number, defect: unknown): void => {
    if (!(defect instanceof Overloaded)) return concludeBroken(monitor, generation, defect)
    metrics.skipped(defect.resource)
    finish(monitor, generation, null)
  }

  /**
   * A check that spans a standstill measures the standstill, not the target, so it is repeated once. A check that the worker's
   * own load delayed is not repeated: the repeat would be delayed too.
   */
  const isSpoiled = ({ assignment, run }: ScheduledMonitor, now: number): boolean =>
    !run.again && now - run.at > assignment.timeoutMs + stallMs && stoodStill(run.at)

  const judge = (monitor: ScheduledMonitor, generation: number, seen: ProbeExit): void => {
    const { run, rhythm } = monitor
    const now = tools.now()
    run.endLease?.()
    run.endLease = null
    if (isSpoiled(monitor, now)) {
      run.again = true
      const slot = slotAt(now, rhythm.phase, rhythm.intervalMs)
      if (slot !== run.slot) run.attempt = 0
      run.slot = slot
      run.at = now
      restarted(monitor)
      return probe(monitor)
    }
    Either.match(seen, {
      onLeft: (defect) => fail(monitor, generation, defect),
      onRight: (result) => conclude(monitor, generation, result)
    })
  }

  const probe = (monitor: ScheduledMonitor): void => {
    const { run } = monitor
    const generation = ++run.generation
    run.moment = uplink.begin()
    let over = false
    const giveUp = startProbe(monitor.assignment, tools, (seen) => {
      over = true
      if (run.generation !== generation) return
      run.giveUp = null
      if (!stopped) judge(monitor, generation, seen)
    })
    if (!over) run.giveUp = giveUp
  }

  return {
    settle,
    takeDistrusted: () => {
      if (distrusted.size === 0) return none
      const monitors = [...distrusted]
      distrusted = new Set()
      return monitors
    },
    begin: (monitor, now) => {
      monitor.run.at = now
      monitor.run.place = underWay.put(monitor)
      probe(monitor)
    },
    abandon: (monitor) => {
      const { assignment, run } = monitor
      const { giveUp } = run
      const generation = ++run.generation
      run.giveUp = null
      metrics.abandoned.inc()
      const stuck = `The check did not end within its timeout of ${assignment.timeoutMs} ms and was abandoned`
      const stop = Either.try(() => giveUp?.())
      concludeBroken(
        monitor,
        generation,
        Either.match(stop, { onLeft: (cause) => new Error(stuck, { cause }), onRight: () => new Error(stuck) })
      )
    },
    stop: () => {
      stopped = true
      for (const { run } of underWay.all()) run.giveUp?.()
    }
  }
}
