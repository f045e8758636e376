/** Serves monitors, their checks and the regions. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { FindCheck } from "../../operations/check/FindCheck.ts"
import { ListRegions } from "../../operations/check/ListRegions.ts"
import { RunCheck } from "../../operations/check/RunCheck.ts"
import { ManageMonitors } from "../../operations/monitor/ManageMonitors.ts"
import { ReadMonitors } from "../../operations/monitor/ReadMonitors.ts"
import { monitorList } from "./MonitorList.ts"

const defaultChecks = 20
const defaultLimit = 100

export const MonitorsLive = HttpApiBuilder.group(Api, "Monitors", (handlers) =>
  Effect.gen(function*() {
    const reading = yield* ReadMonitors
    const managing = yield* ManageMonitors
    const running = yield* RunCheck
    const finding = yield* FindCheck
    const regions = yield* ListRegions

    return handlers
      .handle("list_monitors", ({ urlParams }) =>
        Effect.flatMap(Access, (caller) =>
          reading.list(caller, {
            state: urlParams.state ?? null,
            tag: urlParams.tag ?? null,
            after: urlParams.after ?? "",
            limit: urlParams.limit ?? defaultLimit
          })).pipe(Effect.flatMap(monitorList)))
      .handle(
        "create_monitor",
        ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => managing.create(workspaceId, payload))
      )
      .handle(
        "get_monitor",
        ({ path, urlParams }) =>
          Effect.flatMap(Access, (caller) => reading.get(caller, path.id, urlParams.checks ?? defaultChecks))
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
      .handle("list_checks", ({ path, urlParams }) =>
        Effect.gen(function*() {
          const { workspaceId } = yield* Access
          const limit = urlParams.limit ?? defaultLimit
          const data = yield* reading.history(workspaceId, path.id, {
            outcome: urlParams.outcome ?? null,
            before: urlParams.before ?? null,
            limit,
            evidence: urlParams.evidence ?? false
          })
          // With evidence, a page may be short although others follow; the last one is empty.
          const ends = data.length < limit && urlParams.evidence !== true
          return { data, next: ends ? null : data.at(-1)?.at ?? null }
        }))
      .handle("get_check", ({ path }) => Effect.flatMap(Access, ({ workspaceId }) => finding.get(workspaceId, path.id)))
      .handle("list_regions", () => Effect.map(regions.list, (data) => ({ data, next: null })))
  }))
