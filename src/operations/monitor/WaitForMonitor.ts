/** Waits until a monitor is in a state: a gate for deployments. */
import { Clock, DateTime, Duration, Effect } from "effect"
import type { NotFound, RateLimited, Unavailable } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"
import { makeRunningChecks } from "../../domain/check/probe/RunningChecks.ts"
import { Monitors, type MonitorWithState } from "../../store/monitor/Monitors.ts"
import { requireMonitor } from "./RequireMonitor.ts"

/** Waits that one workspace may have under way in one process. Each reads one row a second. */
const waitsPerWorkspace = 20
/** The same for all workspaces of a process together. */
const mostWaits = 400

interface Wish {
  readonly state: MonitorState
  /** The last check must not be older; null for any. */
  readonly checkedAfter: DateTime.Utc | null
  readonly timeout: Duration.Duration
}

interface Seen {
  readonly row: MonitorWithState
  /** ms since 1970. */
  readonly now: number
  readonly reached: boolean
}

const isReached = ({ lastCheck, state }: MonitorWithState, wish: Wish): boolean =>
  state === wish.state &&
  (wish.checkedAfter === null || (lastCheck !== null && DateTime.greaterThanOrEqualTo(lastCheck.at, wish.checkedAfter)))

export class WaitForMonitor extends Effect.Service<WaitForMonitor>()("belltower/WaitForMonitor", {
  effect: Effect.gen(function*() {
    const monitors = yield* Monitors
    const waiting = makeRunningChecks(waitsPerWorkspace, "waits for a monitor", mostWaits)

    const place = (workspaceId: WorkspaceId) =>
      Effect.acquireRelease(
        Effect.suspend((): Effect.Effect<void, RateLimited | Unavailable> => waiting.begin(workspaceId) ?? Effect.void),
        () => Effect.sync(() => waiting.end(workspaceId))
      )

    /**
     * Answers as soon as the state is as wished, or when the time is up. Fails with `not_found`, also when the monitor is deleted
     * meanwhile, and with `rate_limited` or `unavailable` when too many wait.
     */
    const wait = Effect.fn("WaitForMonitor.wait")(function*(workspaceId: WorkspaceId, id: string, wish: Wish) {
      const began = yield* Clock.currentTimeMillis
      yield* place(workspaceId)
      const deadline = began + Duration.toMillis(wish.timeout)
      const seen = Effect.zip(requireMonitor(monitors, workspaceId, id), Clock.currentTimeMillis)
      const look: Effect.Effect<Seen, NotFound> = Effect.flatMap(seen, ([row, now]) => {
        const reached = isReached(row, wish)
        return reached || now >= deadline ? Effect.succeed({ row, now, reached }) : Effect.delay(look, "1 second")
      })
      const { now, reached, row } = yield* look
      return { reached, state: row.state, stateSince: row.stateSince, openIncidentId: row.openIncidentId, waitedMs: now - began }
    }, Effect.scoped)

    return { wait }
  })
}) {}
