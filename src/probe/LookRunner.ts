/** Runs the checks that the scheduler starts: probes the target, repeats a check that a standstill spoiled, and reports. */
import { Effect, Either } from "effect"
import type { Fiber } from "effect"
import type { Assignment, CheckResult } from "../../schema/check/Bus.ts"
import type { Evidence } from "../../schema/check/Check.ts"
import { keepsEvidence, nextStreak } from "../domain/check/history/EvidenceSampling.ts"
import { stallMs } from "../domain/check/probe/Stall.ts"
import { phaseOf, slotAt } from "../domain/check/round/CheckSlot.ts"
import { makeSlotPool } from "../domain/SlotPool.ts"
import type { ProbeMetrics } from "./Metrics.ts"
import { Overloaded } from "./Overloaded.ts"
import type { ProbeExit, ProbeResult, Tools } from "./ProbeResult.ts"
import { brokenProbeResult, startProbe } from "./probes.ts"
import type { Reporter } from "./Reporter.ts"
import type { Post } from "./Rota.ts"
import type { Pending, Uplink } from "./uplink/Uplink.ts"

/** Builds the bus message for a check's result. `at` in ms since 1970. */
export type ToResult = (
  assignment: Assignment,
  turn: { readonly slot: number; readonly attempt: number },
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
  /** The check starts over. */
  readonly restarted: (post: Post) => void
  /** `isDown` is null for a check that does not count. */
  readonly ended: (post: Post, isDown: boolean | null) => void
  /** Whether the machine's own connection works. */
  readonly uplink: Pick<Uplink, "begin" | "judge">
}

export interface LookRunner {
  /** Reports a check that waited for a verdict on the machine's own connection. */
  readonly settle: (pending: Pending, isTrusted: boolean) => void
  /** The monitors whose checks did not count since the last call: they are to be checked again. */
  readonly takeDistrusted: () => ReadonlyArray<Post>
  readonly begin: (post: Post, now: number) => void
  /** Cancels a check that overran its lease, and reports it as `internal_error`. */
  readonly abandon: (post: Post) => void
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

export const makeLookRunner = (options: LookRunnerOptions): LookRunner => {
  const { ended, metrics, reporter, restarted, start, stoodStill, toResult, tools, uplink } = options
  const underWay = makeSlotPool<Post>()
  let distrusted = new Set<Post>()
  let stopped = false

  const finish = (post: Post, run: number, isDown: boolean | null): void => {
    const { look } = post
    if (look.run !== run) return
    look.run++
    look.giveUp = null
    underWay.free(look.place)
    ended(post, isDown)
  }

  /** The result is stored and counts for nothing: it says more about this machine than about the target. */
  const distrust = (post: Post, run: number, seen: ProbeResult): void => {
    const { assignment, look } = post
    metrics.distrusted.inc()
    reporter.offer({ ...toResult(assignment, look, look.at, seen, null), trusted: false })
    distrusted.add(post)
    finish(post, run, null)
  }

  /** Forks no fiber for successful checks, which are by far the most frequent. */
  const report = (post: Post, run: number, seen: ProbeResult): void => {
    const { assignment, look } = post
    const { at, slot } = look
    const isDown = seen.outcome === "down"
    const isRecovery = post.streak !== null
    const streak = nextStreak(post.streak, seen)
    post.streak = streak
    const shows = streak === null ? isRecovery || isSampled(assignment.monitorId, slot) : keepsEvidence(streak, at)
    metrics.counted(seen.outcome)
    if (shows) {
      const reporting = Effect.map(collect(seen), (evidence) => {
        const result = toResult(assignment, look, at, seen, evidence)
        if (streak !== null && evidence !== null) post.streak = { ...streak, shownBy: { checkId: result.checkId, at } }
        reporter.offer(result)
      })
      start(reporting).addObserver(() => finish(post, run, isDown))
    } else {
      const result = toResult(assignment, look, at, seen, null)
      const shownBy = streak?.shownBy ?? null
      reporter.offer(shownBy === null ? result : { ...result, repeats: shownBy.checkId })
      finish(post, run, isDown)
    }
  }

  const settle = ({ post, run, seen }: Pending, isTrusted: boolean): void => {
    if (stopped || post.look.run !== run) return
    if (isTrusted) report(post, run, seen)
    else distrust(post, run, seen)
  }

  const conclude = (post: Post, run: number, seen: ProbeResult): void => {
    const worth = uplink.judge({ post, run, seen })
    if (worth !== "hold") settle({ post, run, seen }, worth === "report")
  }

  const concludeBroken = (post: Post, run: number, defect: unknown): void =>
    void start(Effect.map(brokenProbeResult(post.assignment, defect), (seen) => conclude(post, run, seen)))

  const fail = (post: Post, run: number, defect: unknown): void => {
    if (!(defect instanceof Overloaded)) return concludeBroken(post, run, defect)
    metrics.skipped(defect.resource)
    finish(post, run, null)
  }

  /**
   * A check that spans a standstill measures the standstill, not the target, so it is repeated once. A check that the worker's
   * own load delayed is not repeated: the repeat would be delayed too.
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
      const slot = slotAt(now, rhythm.phase, rhythm.intervalMs)
      if (slot !== look.slot) look.attempt = 0
      look.slot = slot
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
    look.moment = uplink.begin()
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
    settle,
    takeDistrusted: () => {
      if (distrusted.size === 0) return none
      const posts = [...distrusted]
      distrusted = new Set()
      return posts
    },
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
      const stuck = `The check did not end within its timeout of ${assignment.timeoutMs} ms and was abandoned`
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
