/** Runs the checks that the scheduler starts: probes the target, repeats a check that a standstill spoiled, and reports. */
import { Cause, Effect, Either, type Fiber } from "effect"
import type { Assignment, CheckResult } from "../../schema/check/Bus.ts"
import type { Evidence } from "../../schema/check/Check.ts"
import type { OwnPermits } from "../domain/check/address/PermitsAt.ts"
import { keepsEvidence, nextStreak } from "../domain/check/history/EvidenceSampling.ts"
import { stallMs } from "../domain/check/probe/Stall.ts"
import { phaseOf, slotAt } from "../domain/check/round/CheckSlot.ts"
import { makeSlotPool, type SlotPool } from "../domain/tools/queues/SlotPool.ts"
import { AwaitsPermit } from "./AwaitsPermit.ts"
import type { ProbeMetrics } from "./Metrics.ts"
import { Overloaded } from "./Overloaded.ts"
import type { ProbeExit, Tools } from "./Probe.ts"
import { type ProbeResult, unanswered } from "./ProbeResult.ts"
import { brokenProbeResult, startProbe } from "./probes.ts"
import type { ScheduledMonitor } from "./ProbeSchedule.ts"
import type { Reporter } from "./Reporter.ts"
import type { Pending, Uplink } from "./Uplink.ts"

/** Builds the bus message for a check's result. `at` in ms since 1970. */
export type ToResult = (
  assignment: Assignment,
  run: { readonly slot: number; readonly attempt: number },
  at: number,
  seen: ProbeResult,
  evidence: Evidence | null
) => CheckResult

interface CheckRunnerOptions {
  readonly tools: Tools
  readonly metrics: ProbeMetrics
  readonly reporter: Reporter
  readonly toResult: ToResult
  readonly start: (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<void>
  /** Says whether the machine stood still at some time after `since` (ms since 1970). */
  readonly stoodStill: (since: number) => boolean
  readonly restarted: (monitor: ScheduledMonitor) => void
  /** `isDown` is null for a check that does not count. */
  readonly ended: (monitor: ScheduledMonitor, isDown: boolean | null) => void
  readonly uplink: Pick<Uplink, "begin" | "judge">
  /** The permits of checks at addresses. A check that made no connection is begun again when the address gives it a permit. */
  readonly permits: () => {
    readonly permitsFor: (assignment: Assignment, granted: ReadonlyArray<string>) => OwnPermits
    readonly awaitPermit: (monitor: ScheduledMonitor, address: string) => void
  }
}

/** One in 60 successful checks keeps its evidence: one per hour at the default interval. */
const isSampled = (monitorId: string, slot: number): boolean => phaseOf(`${monitorId}/${slot}`, 60) === 0

/** Evidence is optional: the check counts even if assembling the evidence fails. */
export const collect = (seen: ProbeResult): Effect.Effect<Evidence | null> =>
  seen.evidence.pipe(
    Effect.catchAllDefect((defect) =>
      Effect.as(Effect.logError("Assembling the evidence of a check failed", Cause.die(defect)), null)
    ),
    Effect.timeoutTo({ duration: "5 seconds", onSuccess: (evidence) => evidence, onTimeout: () => null })
  )

const none: ReadonlyArray<never> = []

interface Runner extends CheckRunnerOptions {
  readonly underWay: SlotPool<ScheduledMonitor>
  distrusted: Set<ScheduledMonitor>
  stopped: boolean
}

/** A run of a check that has ended, unless another one has begun since. */
type Ended = Pick<Pending, "monitor" | "generation">

const finish = ({ ended, underWay }: Runner, { generation, monitor }: Ended, isDown: boolean | null): void => {
  const { run } = monitor
  if (run.generation !== generation) return
  run.generation++
  run.giveUp = null
  underWay.free(run.index)
  ended(monitor, isDown)
}

/** The result is stored and counts for nothing: it says more about this machine than about the target. */
const distrust = (runner: Runner, pending: Pending): void => {
  const { monitor, seen } = pending
  const { assignment, run } = monitor
  runner.metrics.distrusted.inc()
  runner.reporter.offer({ ...runner.toResult(assignment, run, run.at, seen, null), trusted: false })
  runner.distrusted.add(monitor)
  finish(runner, pending, null)
}

/** Forks no fiber for successful checks, which are by far the most frequent. */
const report = (runner: Runner, pending: Pending): void => {
  const { metrics, reporter, start, toResult } = runner
  const { monitor, seen } = pending
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
    start(reporting).addObserver(() => finish(runner, pending, isDown))
  } else {
    const result = toResult(assignment, run, at, seen, null)
    const shownBy = streak?.shownBy ?? null
    reporter.offer(shownBy === null ? result : { ...result, repeats: shownBy.checkId })
    finish(runner, pending, isDown)
  }
}

const settle = (runner: Runner, pending: Pending, isTrusted: boolean): void => {
  if (runner.stopped || pending.monitor.run.generation !== pending.generation) return
  if (isTrusted) report(runner, pending)
  else distrust(runner, pending)
}

const conclude = (runner: Runner, pending: Pending): void => {
  const worth = runner.uplink.judge(pending)
  if (worth !== "hold") settle(runner, pending, worth === "report")
}

const concludeBroken = (runner: Runner, run: Ended, defect: unknown): void =>
  void runner.start(
    Effect.map(brokenProbeResult(run.monitor.assignment, defect), (seen) => conclude(runner, { ...run, seen }))
  )

/** Gives the slot of a check back until the address gives it a permit. */
const standBy = ({ permits, underWay }: Runner, { generation, monitor }: Ended, address: string): void => {
  const { run } = monitor
  if (run.generation !== generation) return
  run.generation++
  run.giveUp = null
  underWay.free(run.index)
  permits().awaitPermit(monitor, address)
}

const fail = (runner: Runner, run: Ended, defect: unknown): void => {
  if (defect instanceof AwaitsPermit) return standBy(runner, run, defect.address)
  if (!(defect instanceof Overloaded)) return concludeBroken(runner, run, defect)
  runner.metrics.skipped(defect.resource)
  if (defect.isLasting === true) {
    const { monitor: { assignment, run: { at, slot, attempt } } } = run
    const seen = unanswered("internal_error", defect.message)
    runner.reporter.offer({ ...runner.toResult(assignment, { slot, attempt }, at, seen, null), trusted: false })
  }
  finish(runner, run, null)
}

/** A check that spans a standstill measures it, not the target, and is repeated once. The worker's own load would delay both. */
const isSpoiled = ({ stoodStill }: Runner, { assignment, run }: ScheduledMonitor, now: number): boolean =>
  !run.again && now - run.at > assignment.timeoutMs + stallMs && stoodStill(run.at)

const repeat = (runner: Runner, monitor: ScheduledMonitor, now: number): void => {
  const { run, rhythm } = monitor
  const slot = slotAt(now, rhythm.phase, rhythm.intervalMs)
  run.again = true
  if (slot !== run.slot) run.attempt = 0
  run.slot = slot
  run.at = now
  runner.restarted(monitor)
  probe(runner, monitor)
}

const judge = (runner: Runner, { generation, monitor }: Ended, seen: ProbeExit): void => {
  const now = runner.tools.now()
  monitor.run.endLease?.()
  monitor.run.endLease = null
  if (isSpoiled(runner, monitor, now)) return repeat(runner, monitor, now)
  Either.match(seen, {
    onLeft: (defect) => fail(runner, { monitor, generation }, defect),
    onRight: (result) => conclude(runner, { monitor, generation, seen: result })
  })
}

const probe = (runner: Runner, monitor: ScheduledMonitor): void => {
  const { run } = monitor
  const generation = ++run.generation
  run.moment = runner.uplink.begin()
  let over = false
  const giveUp = startProbe(monitor.assignment, runner.tools, (seen) => {
    over = true
    if (run.generation !== generation) return
    run.giveUp = null
    if (!runner.stopped) judge(runner, { monitor, generation }, seen)
  }, runner.permits().permitsFor(monitor.assignment, run.granted))
  if (!over) run.giveUp = giveUp
}

const abandon = (runner: Runner, monitor: ScheduledMonitor): void => {
  const { assignment, run } = monitor
  const { giveUp } = run
  const generation = ++run.generation
  run.giveUp = null
  runner.metrics.abandoned.inc()
  const stuck = `The check did not end within its timeout of ${assignment.timeoutMs} ms and was abandoned`
  const stop = Either.try(() => giveUp?.())
  concludeBroken(
    runner,
    { monitor, generation },
    Either.match(stop, { onLeft: (cause) => new Error(stuck, { cause }), onRight: () => new Error(stuck) })
  )
}

export const makeCheckRunner = (options: CheckRunnerOptions) => {
  const runner: Runner = { ...options, underWay: makeSlotPool(), distrusted: new Set(), stopped: false }
  return {
    /** Reports a check that waited for a verdict on the machine's own connection. */
    settle: (pending: Pending, isTrusted: boolean): void => settle(runner, pending, isTrusted),
    /** The monitors whose checks did not count since the last call: they are to be checked again. */
    takeDistrusted: (): ReadonlyArray<ScheduledMonitor> => {
      if (runner.distrusted.size === 0) return none
      const monitors = [...runner.distrusted]
      runner.distrusted = new Set()
      return monitors
    },
    begin: (monitor: ScheduledMonitor, now: number): void => {
      monitor.run.at = now
      monitor.run.index = runner.underWay.put(monitor)
      probe(runner, monitor)
    },
    /** Cancels a check that overran its lease, and reports it as `internal_error`. */
    abandon: (monitor: ScheduledMonitor): void => abandon(runner, monitor),
    /** How many checks are under way. */
    underWay: (): number => runner.underWay.all().length,
    stop: (): void => {
      runner.stopped = true
      for (const { run } of runner.underWay.all()) run.giveUp?.()
    }
  }
}
