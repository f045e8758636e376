/** Makes the looks that the scheduler begins: probes, judges whether a standstill spoiled the look, reports, and ends it. */
import { Effect, Either } from "effect"
import type { Fiber } from "effect"
import type { Assignment, CheckResult } from "../../schema/check/Bus.ts"
import type { Evidence } from "../../schema/check/Check.ts"
import { phaseOf, slotAt } from "../domain/check/CheckSlot.ts"
import { stallMs } from "../domain/check/Stall.ts"
import { makeSlotPool } from "../domain/SlotPool.ts"
import { JudgingOverloaded } from "./judging/Judging.ts"
import type { ProbeMetrics } from "./Metrics.ts"
import type { ProbeExit, ProbeResult, Tools } from "./ProbeResult.ts"
import { brokenProbeResult, startProbe } from "./probes.ts"
import type { Reporter } from "./Reporter.ts"
import type { Post } from "./Rota.ts"

/** What a look came to, as the bus carries it. `at` in ms since 1970. */
export type ToResult = (
  assignment: Assignment,
  slot: number,
  at: number,
  seen: ProbeResult,
  evidence: Evidence | null
) => CheckResult

export interface LookRunnerOptions {
  readonly tools: Tools
  readonly metrics: ProbeMetrics
  readonly reporter: Reporter
  readonly toResult: ToResult
  /** Runs an effect on a fiber of the worker. */
  readonly start: (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<void>
  /** Whether the machine stood still at some time after `since` (ms since 1970). */
  readonly stoodStill: (since: number) => boolean
  /** The look is made again from now on. */
  readonly restarted: (post: Post) => void
  readonly ended: (post: Post) => void
}

export interface LookRunner {
  readonly begin: (post: Post, now: number) => void
  /** Gives up a look that should have ended long ago, and reports it as `internal_error`. */
  readonly abandon: (post: Post) => void
  /** Gives up all looks; none is reported. */
  readonly stop: () => void
}

/** One in sixty good checks keeps its evidence: at the usual interval, one an hour. */
const isSampled = (monitorId: string, slot: number): boolean => phaseOf(`${monitorId}/${slot}`, 60) === 0

/** Evidence is an extra: without it, the check still counts. */
export const collect = (seen: ProbeResult): Effect.Effect<Evidence | null> =>
  seen.evidence.pipe(
    Effect.catchAllDefect((defect) => Effect.as(Effect.logError("The evidence of a check could not be assembled", defect), null)),
    Effect.timeoutTo({ duration: "5 seconds", onSuccess: (evidence) => evidence, onTimeout: () => null })
  )

export const makeLookRunner = (options: LookRunnerOptions): LookRunner => {
  const { ended, metrics, reporter, restarted, start, stoodStill, toResult, tools } = options
  const underWay = makeSlotPool<Post>()
  let stopped = false

  const finish = (post: Post, run: number): void => {
    const { look } = post
    if (look.run !== run) return
    look.run++
    look.giveUp = null
    underWay.free(look.place)
    ended(post)
  }

  /** Nothing is forked for a good look, the most of them by far. */
  const conclude = (post: Post, run: number, seen: ProbeResult): void => {
    const { assignment, look: { at, slot } } = post
    const isNews = seen.outcome !== "up" || post.wasBad
    post.wasBad = seen.outcome !== "up"
    metrics.counted(seen.outcome)
    if (isNews || isSampled(assignment.monitorId, slot)) {
      const report = Effect.map(collect(seen), (evidence) => reporter.offer(toResult(assignment, slot, at, seen, evidence)))
      start(report).addObserver(() => finish(post, run))
    } else {
      reporter.offer(toResult(assignment, slot, at, seen, null))
      finish(post, run)
    }
  }

  const concludeBroken = (post: Post, run: number, defect: unknown): void =>
    void start(Effect.map(brokenProbeResult(post.assignment, defect), (seen) => conclude(post, run, seen)))

  const fail = (post: Post, run: number, defect: unknown): void => {
    if (!(defect instanceof JudgingOverloaded)) return concludeBroken(post, run, defect)
    metrics.skipped("judging")
    finish(post, run)
  }

  /**
   * A look that spans a standstill says something about the standstill, not about the target: it is made again, once. What the
   * worker's own work delayed is not: it would be delayed again.
   */
  const isSpoiled = ({ assignment, look }: Post, now: number): boolean =>
    !look.again && now - look.at > assignment.timeoutMs + stallMs && stoodStill(look.at)

  const judge = (post: Post, run: number, seen: ProbeExit): void => {
    const { look, rhythm } = post
    const now = tools.now()
    look.endLease?.()
    look.endLease = null
    if (isSpoiled(post, now)) {
      look.again = true
      look.slot = slotAt(now, rhythm.phase, rhythm.intervalMs)
      look.at = now
      restarted(post)
      return probe(post)
    }
    Either.match(seen, {
      onLeft: (defect) => fail(post, run, defect),
      onRight: (result) => conclude(post, run, result)
    })
  }

  const probe = (post: Post): void => {
    const { look } = post
    const run = ++look.run
    let over = false
    const giveUp = startProbe(post.assignment, tools, (seen) => {
      over = true
      if (look.run !== run) return
      look.giveUp = null
      if (!stopped) judge(post, run, seen)
    })
    if (!over) look.giveUp = giveUp
  }

  return {
    begin: (post, now) => {
      post.look.at = now
      post.look.place = underWay.put(post)
      probe(post)
    },
    abandon: (post) => {
      const { assignment, look } = post
      const { giveUp } = look
      const run = ++look.run
      look.giveUp = null
      metrics.abandoned.inc()
      const stuck = `The look did not end within its timeout of ${assignment.timeoutMs} ms; it was given up`
      const stop = Either.try(() => giveUp?.())
      concludeBroken(
        post,
        run,
        Either.match(stop, { onLeft: (cause) => new Error(stuck, { cause }), onRight: () => new Error(stuck) })
      )
    },
    stop: () => {
      stopped = true
      for (const { look } of underWay.all()) look.giveUp?.()
    }
  }
}
