/** Serves monitors, their checks and the regions. */
import type { HttpApiBuilder } from "@effect/platform"
import { type DateTime, Duration, Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import type { Monitors } from "../../../schema/api/Monitors.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"
import { FindCheck } from "../../operations/check/FindCheck.ts"
import { ListRegions } from "../../operations/check/ListRegions.ts"
import { PreviewCheck } from "../../operations/check/PreviewCheck.ts"
import { ReadMonitorHistory } from "../../operations/check/ReadMonitorHistory.ts"
import { ReadMonitorRegions } from "../../operations/check/ReadMonitorRegions.ts"
import { RunCheck } from "../../operations/check/RunCheck.ts"
import { ManageMonitors } from "../../operations/monitor/ManageMonitors.ts"
import { ReadMonitors } from "../../operations/monitor/ReadMonitors.ts"
import { WaitForMonitor } from "../../operations/monitor/WaitForMonitor.ts"
import { operationGroup } from "../server/OperationGroup.ts"
import { monitorList } from "./MonitorList.ts"

const defaultChecks = 20
const defaultLimit = 100
const defaultWaitSec = 30
const defaultHours = 24

/** The awaited state, and the timeout. */
const waitOf = (
  { checkedAfter, state, timeoutSec }: {
    readonly checkedAfter?: DateTime.Utc | undefined
    readonly state?: MonitorState | undefined
    readonly timeoutSec?: number | undefined
  }
) => ({
  state: state ?? "up",
  checkedAfter: checkedAfter ?? null,
  timeout: Duration.seconds(timeoutSec ?? defaultWaitSec)
} as const)

type Unhandled = HttpApiBuilder.Handlers.FromGroup<typeof Api.errorSchema.Type, never, typeof Monitors>

/** Adds the handlers of monitors. */
const handleMonitors = Effect.fnUntraced(function*(handlers: Unhandled) {
  const reading = yield* ReadMonitors
  const managing = yield* ManageMonitors
  const running = yield* RunCheck
  const previewing = yield* PreviewCheck
  const waiting = yield* WaitForMonitor

  return handlers
    .handle("list_monitors", ({ urlParams }) =>
      Effect.flatMap(Access, (caller) =>
        reading.list(caller, {
          state: urlParams.state ?? null,
          kind: urlParams.kind ?? null,
          tag: urlParams.tag ?? null,
          region: urlParams.region ?? null,
          search: (urlParams.search ?? "") === "" ? null : urlParams.search ?? null,
          trend: urlParams.trend ?? false,
          counts: urlParams.counts ?? false,
          after: urlParams.after ?? "",
          limit: urlParams.limit ?? defaultLimit
        })).pipe(Effect.map(monitorList)))
    .handle(
      "create_monitor",
      ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => managing.create(workspaceId, payload))
    )
    .handle(
      "get_monitor",
      ({ path, urlParams }) => Effect.flatMap(Access, (caller) => reading.get(caller, path.id, urlParams.checks ?? defaultChecks))
    )
    .handle(
      "update_monitor",
      ({ path, payload }) => Effect.flatMap(Access, ({ workspaceId }) => managing.update(workspaceId, path.id, payload))
    )
    .handle(
      "delete_monitor",
      ({ path }) =>
        Effect.flatMap(Access, ({ workspaceId }) => managing.remove(workspaceId, path.id)).pipe(
          Effect.map((id) => ({ id, deleted: true as const }))
        )
    )
    .handle(
      "run_check",
      ({ path, payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) => running.run(workspaceId, path.id, payload.apply ?? false))
    )
    .handle(
      "preview_check",
      ({ payload: { id, ...input } }) =>
        Effect.flatMap(Access, ({ workspaceId }) => previewing.run(workspaceId, id ?? null, input))
    )
    .handle(
      "wait_for_monitor",
      ({ path, urlParams }) => Effect.flatMap(Access, ({ workspaceId }) => waiting.wait(workspaceId, path.id, waitOf(urlParams)))
    )
})

/** Adds the handlers of checks and regions. */
const handleChecks = Effect.fnUntraced(function*(handlers: Effect.Effect.Success<ReturnType<typeof handleMonitors>>) {
  const reading = yield* ReadMonitors
  const finding = yield* FindCheck
  const regions = yield* ListRegions
  const byRegion = yield* ReadMonitorRegions
  const history = yield* ReadMonitorHistory

  return handlers
    .handle("list_checks", ({ path, urlParams }) =>
      Effect.gen(function*() {
        const { workspaceId } = yield* Access
        return yield* reading.history(workspaceId, path.id, {
          outcome: urlParams.outcome ?? null,
          before: urlParams.before ?? null,
          limit: urlParams.limit ?? defaultLimit,
          evidence: urlParams.evidence ?? false
        })
      }))
    .handle("get_check", ({ path }) => Effect.flatMap(Access, ({ workspaceId }) => finding.get(workspaceId, path.id)))
    .handle(
      "list_regions",
      ({ urlParams }) =>
        Effect.flatMap(Access, ({ workspaceId }) => regions.list(workspaceId, urlParams.results ?? true)).pipe(
          Effect.map((data) => ({ data, next: null }))
        )
    )
    .handle(
      "get_monitor_regions",
      ({ path, urlParams }) =>
        Effect.flatMap(Access, ({ workspaceId }) => byRegion.read(workspaceId, path.id, urlParams.hours ?? defaultHours)).pipe(
          Effect.map((data) => ({ data, next: null }))
        )
    )
    .handle(
      "get_monitor_history",
      ({ path, urlParams }) =>
        Effect.flatMap(Access, ({ workspaceId }) => history.read(workspaceId, path.id, urlParams.range ?? "24h"))
    )
})

export const MonitorsLive = operationGroup(
  Api,
  "Monitors",
  (handlers) => Effect.flatMap(handleMonitors(handlers), handleChecks)
)
