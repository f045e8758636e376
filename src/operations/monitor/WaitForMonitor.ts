/** Waits until a monitor is in a state: a gate for deployments. */
import { Clock, Duration, Effect } from "effect"
import type { NotFound, ValidationFailed } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { makeRunningChecks } from "../../domain/check/probe/RunningChecks.ts"
import { pushRegion } from "../../domain/monitor/Heartbeat.ts"
import { isProbed } from "../../domain/monitor/kinds.ts"
import { isCheckedState, waitVerdict, type Wish } from "../../domain/monitor/WaitVerdict.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { Checks } from "../../store/check/Checks.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import { takePlace } from "../Places.ts"
import { MonitorNews } from "./MonitorNews.ts"
import { requireMonitor } from "./RequireMonitor.ts"

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
