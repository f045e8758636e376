/** Serves monitors, their checks and the regions, and the explanations and simulations of monitors. */
import { HttpServerResponse } from "@effect/platform"
import { DateTime, Duration, Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { FindCheck } from "../../operations/check/FindCheck.ts"
import { PreviewCheck } from "../../operations/check/PreviewCheck.ts"
import { ReadMonitorHistory } from "../../operations/check/ReadMonitorHistory.ts"
import { ReadRegions } from "../../operations/check/ReadRegions.ts"
import { RunCheck } from "../../operations/check/RunCheck.ts"
import { ExplainMonitor } from "../../operations/monitor/ExplainMonitor.ts"
import { ManageMonitors } from "../../operations/monitor/ManageMonitors.ts"
import { ManyMonitors } from "../../operations/monitor/ManyMonitors.ts"
import { previewSchedule } from "../../operations/monitor/PreviewSchedule.ts"
import { type MonitorList, ReadMonitors } from "../../operations/monitor/ReadMonitors.ts"
import { ReadMonitorUptime } from "../../operations/monitor/ReadMonitorUptime.ts"
import { SimulateMonitor } from "../../operations/monitor/SimulateMonitor.ts"
import { WaitForMonitor } from "../../operations/monitor/WaitForMonitor.ts"
import { WarnOfDuplicates } from "../../operations/WarnOfDuplicates.ts"
import { all, asCaller, gone, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultChecks = 20
/** All monitors of most workspaces. */
const mostMonitors = 500

const defaultLimit = 100
const defaultTimes = 5
const defaultWaitSec = 30
const defaultHours = 24
const defaultDays = 90

/** The records are JSON already: encoding them by their schema would cost ten times as much. */
const listJson = ({ data, ...rest }: MonitorList): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(
    Buffer.concat([
      Buffer.from(`{"data":`),
      data,
      Buffer.from(`,${JSON.stringify(rest).slice(1)}`)
    ]),
    { contentType: "application/json" }
  )

export const MonitorsLive = operationGroup(Api, "Monitors", (handlers) =>
  Effect.gen(function*() {
    const warn = yield* WarnOfDuplicates
    const reading = yield* ReadMonitors
    const managing = yield* ManageMonitors
    const many = yield* ManyMonitors
    const running = yield* RunCheck
    const previewing = yield* PreviewCheck
    const waiting = yield* WaitForMonitor
    const finding = yield* FindCheck
    const regions = yield* ReadRegions
    const [history, uptime] = yield* Effect.all([ReadMonitorHistory, ReadMonitorUptime])

    return handlers
      .handle("list_monitors", ({ urlParams }) => {
        const { after = "", counts = false, kind = null, limit = mostMonitors, region = null } = urlParams
        const { search = "", sort = "created", state = null, tag = "", tags = false, trend = false } = urlParams
        const filter = { state, kind, tag: tag || null, region, search: search || null }
        const wanted = { ...filter, sort, trend, counts, tags, after, limit }
        return Effect.map(asCaller((caller) => reading.list(caller, wanted)), listJson)
      })
      .handle("create_monitor", ({ payload }) => inWorkspace((id) => warn.after("monitor", id, managing.create(id, payload))))
      .handle("get_monitor", ({ path, urlParams: { checks = defaultChecks } }) =>
        asCaller((caller) => reading.get(caller, path.id, checks)))
      .handle("update_monitor", ({ path, payload }) =>
        inWorkspace((id) => managing.update(id, path.id, payload)))
      .handle("delete_monitor", ({ path }) => Effect.map(inWorkspace((id) => managing.remove(id, path.id)), gone))
      .handle("update_monitors", ({ payload }) => inWorkspace((id) => many.update(id, payload)))
      .handle("delete_monitors", ({ payload }) => inWorkspace((id) => many.remove(id, payload)))
      .handle("run_check", ({ path, payload: { apply = false } }) => inWorkspace((id) => running.run(id, path.id, apply)))
      .handle("preview_check", ({ payload: { id: monitorId = null, ...input } }) =>
        inWorkspace((id) =>
          previewing.run(id, monitorId, input)
        ))
      .handle("preview_schedule", ({ urlParams: { limit = defaultTimes, schedule, timezone = "UTC" } }) =>
        previewSchedule({ schedule, timezone, limit }))
      .handle("wait_for_monitor", ({ path, urlParams }) => {
        const { checkedAfter = null, state = "up", timeoutSec = defaultWaitSec } = urlParams
        return inWorkspace((id) =>
          waiting.wait(id, path.id, { state, checkedAfter, timeout: Duration.seconds(timeoutSec) })
        )
      })
      .handle("list_checks", ({ path, urlParams }) => {
        const { before = null, evidence = false, limit = defaultLimit, outcome = null, since = null } = urlParams
        return inWorkspace((id) => reading.history(id, path.id, { outcome, before, since, limit, evidence }))
      })
      .handle("get_check", ({ path }) => inWorkspace((id) => finding.get(id, path.id)))
      .handle("list_regions", ({ urlParams: { results = true } }) => all(inWorkspace((id) => regions.list(id, results))))
      .handle("get_monitor_regions", ({ path, urlParams: { hours = defaultHours } }) =>
        all(inWorkspace((id) =>
          regions.ofMonitor(id, path.id, hours)
        )))
      .handle("get_monitor_history", ({ path, urlParams: { range = "24h", until } }) =>
        inWorkspace((id) =>
          history.read(id, path.id, range, until === undefined ? null : DateTime.toEpochMillis(until))
        ))
      .handle("get_monitor_uptime", ({ path, urlParams: { days = defaultDays, timezone = "UTC" } }) =>
        inWorkspace((id) =>
          uptime.read(id, path.id, timezone, days)
        ))
  }))

export const InsightLive = operationGroup(Api, "Insight", (handlers) =>
  Effect.gen(function*() {
    const explaining = yield* ExplainMonitor
    const simulating = yield* SimulateMonitor
    return handlers
      .handle("explain_monitor", ({ path }) => inWorkspace((id) => explaining.explain(id, path.id)))
      .handle("simulate_monitor", ({ payload }) => inWorkspace((id) => simulating.simulate(id, payload)))
  }))
