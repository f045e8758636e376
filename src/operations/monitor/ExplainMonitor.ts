/** Gathers what is stored about a monitor's state and explains it. */
import { Effect, Option } from "effect"
import type { Outcome } from "../../../schema/check/Check.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { sinceCreation } from "../../domain/check/history/SinceCreation.ts"
import { deployWindow } from "../../domain/deploy/DeployWindow.ts"
import { besideState, explainMonitor, latestByRegion } from "../../domain/monitor/ExplainMonitor.ts"
import { pushRegion } from "../../domain/monitor/job/Heartbeat.ts"
import { isProbed } from "../../domain/monitor/kinds.ts"
import { likelyCause } from "../../domain/upstream/LikelyCause.ts"
import { UpstreamSettings } from "../../external/upstream/UpstreamSettings.ts"
import { MutedMonitors } from "../../store/alert/MutedMonitors.ts"
import { Checks } from "../../store/check/Checks.ts"
import { Deploys } from "../../store/deploy/Deploys.ts"
import { Monitors, type MonitorWithState } from "../../store/monitor/Monitors.ts"
import { Spans } from "../../store/monitor/Spans.ts"
import { LikelyCauses } from "../../store/upstream/LikelyCauses.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { requireMonitor } from "../NoSuch.ts"

/** Newest checks that are looked through: several rounds of all regions. */
const lookThrough = 60

const mostDeploys = 5

/** The outcome that explains a state. */
const outcomeOf = ({ state }: MonitorWithState): Outcome | null => state === "down" || state === "degraded" ? state : null

export class ExplainMonitor extends Effect.Service<ExplainMonitor>()("belltower/ExplainMonitor", {
  effect: Effect.gen(function*() {
    const monitors = yield* Monitors
    const checks = yield* Checks
    const deploys = yield* Deploys
    const workspaces = yield* Workspaces
    const causes = yield* LikelyCauses
    const spans = yield* Spans
    const muted = yield* MutedMonitors
    const { catalogue } = yield* UpstreamSettings

    /** The last check that was up before the state began: an outage begins at its first failure. */
    const goodBefore = (workspaceId: WorkspaceId, monitor: MonitorWithState) =>
      Effect.flatMap(
        checks.list(workspaceId, monitor.id, {
          outcome: "up",
          before: monitor.stateSince,
          since: sinceCreation(monitor),
          limit: 5
        }),
        (found) => checks.explaining(workspaceId, found)
      )

    const explain = Effect.fn("ExplainMonitor.explain")(function*(workspaceId: WorkspaceId, wanted: string) {
      const monitor = yield* requireMonitor(monitors, workspaceId, wanted)
      const { id, stateSince } = monitor
      const reporting = isProbed(monitor.target) ? monitor.regions : [pushRegion]
      const outcome = outcomeOf(monitor)
      const recent = yield* checks.list(workspaceId, id, {
        outcome: null,
        before: null,
        since: sinceCreation(monitor),
        limit: lookThrough
      })
      const latest = latestByRegion(recent, reporting)
      const candidates = outcome === null
        ? besideState(latest)
        // A new outage has few failures: those of earlier ones are not looked for.
        : (yield* checks.list(workspaceId, id, { outcome, before: null, since: stateSince, limit: 20 }))
          .filter(({ counted }) => counted)
      const workspace = yield* workspaces.get(workspaceId)
      return explainMonitor({
        monitor,
        // Pings come from no region.
        latest: isProbed(monitor.target) ? latest : [],
        check: yield* checks.explaining(workspaceId, candidates),
        lastGood: outcome === null ? null : yield* goodBefore(workspaceId, monitor),
        deploys: yield* deploys.matching(workspaceId, {
          monitorId: id,
          since: deployWindow(stateSince, null).since,
          until: stateSince,
          limit: mostDeploys
        }),
        likelyUpstream: outcome === null
          ? null
          : likelyCause(stateSince, yield* causes.candidates([workspaceId], [stateSince]), catalogue),
        lastTrouble: outcome === null ? yield* spans.lastTrouble(workspaceId, id) : null,
        muted: yield* muted.causeOf(workspaceId, id),
        upstreams: Option.match(workspace, { onNone: () => [], onSome: ({ upstreams }) => upstreams }),
        timezone: Option.match(workspace, { onNone: () => "UTC", onSome: ({ timezone }) => timezone })
      })
    })

    return { explain }
  })
}) {}
