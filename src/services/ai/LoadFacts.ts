/** Loads the facts about an incident for an AI prompt. */
import { DateTime, Effect, Option } from "effect"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Incident } from "../../../schema/incident/Incident.ts"
import type { IncidentFacts, ReportedCheck } from "../../domain/ai/IncidentFacts.ts"
import { deployWindow } from "../../domain/deploy/DeployWindow.ts"
import { namesOf } from "../../domain/incident/ComponentOutage.ts"
import { eventMonitor } from "../../domain/monitor/MonitorRecord.ts"
import { Links } from "../../links/Links.ts"
import { Checks } from "../../store/check/Checks.ts"
import { Deploys } from "../../store/deploy/Deploys.ts"
import { IncidentComponents } from "../../store/incident/IncidentComponents.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"

/** Checks among which the most informative one is looked for. */
const lookThrough = 20

const mostDeploys = 5

export const makeLoadFacts = Effect.gen(function*() {
  const checks = yield* Checks
  const deploys = yield* Deploys
  const monitors = yield* Monitors
  const components = yield* IncidentComponents
  const links = yield* Links

  const failingOf = Effect.fnUntraced(
    function*(workspaceId: WorkspaceId, id: MonitorId, { resolvedAt, startedAt }: Incident) {
      const before = resolvedAt === null ? null : DateTime.add(resolvedAt, { seconds: 1 })
      const found = yield* checks.list(workspaceId, id, { outcome: "down", before, limit: lookThrough })
      const since = DateTime.subtract(startedAt, { seconds: 1 })
      return yield* checks.explaining(workspaceId, found.filter(({ at }) => DateTime.greaterThanOrEqualTo(at, since)))
    }
  )

  const goodBefore = (workspaceId: WorkspaceId, id: MonitorId, { startedAt }: Incident) =>
    Effect.flatMap(
      checks.list(workspaceId, id, { outcome: "up", before: startedAt, limit: 5 }),
      (found) => checks.explaining(workspaceId, found)
    )

  /** `seen` is the check of the event that asks: its row may not be stored yet. */
  return Effect.fn("LoadFacts.load")(function*(workspaceId: WorkspaceId, incident: Incident, seen: ReportedCheck | null) {
    const { monitorId, resolvedAt, startedAt } = incident
    const monitor = monitorId === null ? Option.none() : yield* Effect.orDie(monitors.find(workspaceId, monitorId))
    const window = deployWindow(startedAt, resolvedAt)
    const now = yield* DateTime.now
    const affected = yield* components.affected(workspaceId, incident.id)
    const facts: IncidentFacts = {
      incident,
      components: namesOf(affected),
      monitor: Option.getOrNull(Option.map(monitor, (row) => eventMonitor(row, row.state, links.monitor(row.id)))),
      failing: monitorId === null ? null : (yield* failingOf(workspaceId, monitorId, incident)) ?? seen,
      lastGood: monitorId === null ? null : yield* goodBefore(workspaceId, monitorId, incident),
      deploys: yield* deploys.matching(workspaceId, {
        ...(monitorId === null ? {} : { monitorId }),
        since: window.since,
        until: window.until ?? now,
        limit: mostDeploys
      }),
      now
    }
    return facts
  })
})
