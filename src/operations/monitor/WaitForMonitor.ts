/** Waits until a monitor is in a state: a gate for deployments. */
import { Clock, Duration, Effect, Schedule } from "effect"
import type { NotFound, ValidationFailed } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { makeRunningChecks } from "../../domain/check/probe/RunningChecks.ts"
import { pushRegion } from "../../domain/monitor/job/Heartbeat.ts"
import { isProbed } from "../../domain/monitor/kinds.ts"
import { isCheckedState, waitVerdict, type Wish } from "../../domain/monitor/WaitVerdict.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { Checks } from "../../store/check/Checks.ts"
import { MonitorMarks } from "../../store/monitor/MonitorMarks.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import { requireMonitor } from "../NoSuch.ts"
import { takePlace } from "../Places.ts"

/** A call that waits; `mark` is what it saw last, undefined before the first read and null for a monitor that is gone. */
interface Waiter {
  readonly workspaceId: WorkspaceId
  readonly id: string
  readonly news: Effect.Latch
  mark: string | null | undefined
}

export class MonitorNews extends Effect.Service<MonitorNews>()("belltower/MonitorNews", {
  scoped: Effect.gen(function*() {
    const marks = yield* MonitorMarks
    const waiters = new Set<Waiter>()
    const anybody = yield* Effect.makeLatch(false)

    const read = Effect.gen(function*() {
      yield* anybody.await
      const asked = [...waiters]
      const found = yield* marks.read([
        ...new Map(asked.map(({ id, workspaceId }) => [`${workspaceId} ${id}`, { workspaceId, id }])).values()
      ])
      for (const waiter of asked) {
        const mark = found.get(waiter.id) ?? null
        if (mark === waiter.mark) continue
        waiter.mark = mark
        waiter.news.unsafeOpen()
      }
    })
    yield* Effect.forkScoped(restartForever("Reading awaited monitors", Effect.repeat(read, Schedule.spaced("1 second"))))

    const join = (workspaceId: WorkspaceId, id: string) =>
      Effect.sync(() => {
        const waiter: Waiter = { workspaceId, id, news: Effect.unsafeMakeLatch(false), mark: undefined }
        waiters.add(waiter)
        anybody.unsafeOpen()
        return waiter
      })

    const leave = (waiter: Waiter) =>
      Effect.sync(() => {
        waiters.delete(waiter)
        if (waiters.size === 0) anybody.unsafeClose()
      })

    return {
      /**
       * Follows a monitor until the scope closes. The effect completes when its state or newest check has changed since the last
       * time.
       */
      follow: (workspaceId: WorkspaceId, id: string) =>
        Effect.map(
          Effect.acquireRelease(join(workspaceId, id), leave),
          ({ news }) => Effect.zipRight(news.await, news.close)
        )
    }
  }),
  dependencies: [MonitorMarks.Default]
}) {}

/** Waits that one workspace may have under way in one process. */
const waitsPerWorkspace = 20
/** The same for all workspaces of a process together. */
const mostWaits = 400

/** Newest checks that are looked through: several rounds of all regions. */
const lookThrough = 60

/** How soon to look again for the row of a check that the state already counts, which is written within a second of it. */
const writtenSoon = "1 second"

interface TimedWish extends Wish {
  readonly timeout: Duration.Duration
}

/** Refuses a combination that could never be reached. */
const settle = ({ checkedAfter, state }: Wish): Effect.Effect<void, ValidationFailed> =>
  checkedAfter === null || isCheckedState(state) ? Effect.void : validationFailure([{
    path: "checkedAfter",
    message: `No checks count toward the state ${state}`,
    hint: "Leave checkedAfter out, or wait for up, degraded or down"
  }])

export class WaitForMonitor extends Effect.Service<WaitForMonitor>()("belltower/WaitForMonitor", {
  effect: Effect.gen(function*() {
    const monitors = yield* Monitors
    const checks = yield* Checks
    const news = yield* MonitorNews
    const waiting = makeRunningChecks(waitsPerWorkspace, "waits for a monitor", mostWaits)

    const look = Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: string, wish: Wish) {
      const row = yield* requireMonitor(monitors, workspaceId, id)
      const found = wish.checkedAfter === null
        ? []
        : yield* checks.list(workspaceId, row.id, { outcome: null, before: null, limit: lookThrough })
      const regions = isProbed(row.target) ? row.regions : [pushRegion]
      const { lastCheck } = row
      return {
        row,
        verdict: waitVerdict(wish, { state: row.state, regions, checks: found }),
        isWritten: wish.checkedAfter === null || lastCheck === null || found.some((check) => check.id === lastCheck.id)
      }
    })

    /** Fails with `not_found`, `validation_failed` for a wish that cannot come true, and `rate_limited` or `unavailable`. */
    const wait = Effect.fn("WaitForMonitor.wait")(
      function*(workspaceId: WorkspaceId, id: string, { timeout, ...wish }: TimedWish) {
        yield* settle(wish)
        const began = yield* Clock.currentTimeMillis
        yield* takePlace(waiting, workspaceId)
        const deadline = began + Duration.toMillis(timeout)
        const changed = yield* news.follow(workspaceId, id)
        const lookUntil: Effect.Effect<Effect.Effect.Success<ReturnType<typeof look>>, NotFound> = Effect.flatMap(
          Effect.zip(look(workspaceId, id, wish), Clock.currentTimeMillis),
          ([seen, now]) => {
            if (seen.verdict.reached || now >= deadline) return Effect.succeed(seen)
            const pause = Math.min(deadline - now, seen.isWritten ? Infinity : Duration.toMillis(writtenSoon))
            return Effect.zipRight(Effect.timeoutOption(changed, pause), lookUntil)
          }
        )
        const { row: { openIncidentId, state, stateSince }, verdict } = yield* lookUntil
        return { ...verdict, state, stateSince, openIncidentId, waitedMs: (yield* Clock.currentTimeMillis) - began }
      },
      Effect.scoped
    )

    return { wait }
  }),
  dependencies: [MonitorNews.Default]
}) {}
