/** The operations on monitors, their checks and regions. */
import { HttpApiBuilder } from "@effect/platform"
import { Clock, Effect, Option, Schedule } from "effect"
import { RegionHealth } from "../../../cluster/check/RegionHealth.ts"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { NotFound } from "../../../schema/Errors.ts"
import type { CheckId, WorkspaceId } from "../../../schema/Ids.ts"
import { idTime } from "../../domain/Id.ts"
import { RunCheck } from "../../operations/check/RunCheck.ts"
import { DefaultRegion, ManageMonitors } from "../../operations/monitor/ManageMonitors.ts"
import { Checks } from "../../store/check/Checks.ts"
import { monitorFor } from "../access/WritingUrls.ts"

/** A check this young may still be on its way to its row: the longest timeout, and a little, in ms. */
const justNow = 150_000

export const MonitorsLive = HttpApiBuilder.group(Api, "Monitors", (handlers) =>
  Effect.gen(function*() {
    const manage = yield* ManageMonitors
    const runs = yield* RunCheck
    const checks = yield* Checks
    const regions = yield* RegionHealth
    const defaultRegion = yield* DefaultRegion

    /** A check's row follows the event that names it by a moment: whoever asks at once is not told that it is not there. */
    const findSoon = (workspaceId: WorkspaceId, id: CheckId) =>
      Effect.gen(function*() {
        const made = idTime(id)
        const isNew = made !== null && Math.abs((yield* Clock.currentTimeMillis) - made) < justNow
        return yield* Effect.flatten(checks.find(workspaceId, id)).pipe(
          Effect.retry({ schedule: Schedule.spaced("50 millis"), times: isNew ? 20 : 0 }),
          Effect.option
        )
      })

    return handlers
      .handle("list_monitors", ({ urlParams }) =>
        Effect.gen(function*() {
          const caller = yield* Access
          const found = yield* manage.list(caller.workspaceId, urlParams.state ?? null, urlParams.tag ?? null)
          return { data: found.map((monitor) => monitorFor(caller, monitor)), next: null }
        }))
      .handle("create_monitor", ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => manage.create(workspaceId, payload)))
      .handle("get_monitor", ({ path, urlParams }) =>
        Effect.gen(function*() {
          const caller = yield* Access
          const { workspaceId } = caller
          const monitor = monitorFor(caller, yield* manage.record(workspaceId, path.id))
          const history = yield* manage.history(workspaceId, monitor.id, {
            outcome: null,
            before: null,
            limit: urlParams.checks ?? 20,
            evidence: false
          })
          return { ...monitor, checks: history, stats: yield* manage.stats(workspaceId, monitor.id) }
        }))
      .handle("update_monitor", ({ path, payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) => manage.update(workspaceId, path.id, payload)))
      .handle("delete_monitor", ({ path }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          Effect.map(manage.remove(workspaceId, path.id), (id) => ({ id, deleted: true as const }))))
      .handle("run_check", ({ path, payload }) =>
        Effect.gen(function*() {
          const { workspaceId } = yield* Access
          return yield* runs.run(workspaceId, yield* manage.row(workspaceId, path.id), payload.apply ?? false)
        }))
      .handle("list_checks", ({ path, urlParams }) =>
        Effect.gen(function*() {
          const { workspaceId } = yield* Access
          const limit = urlParams.limit ?? 100
          const data = yield* manage.history(workspaceId, path.id, {
            outcome: urlParams.outcome ?? null,
            before: urlParams.before ?? null,
            limit,
            evidence: urlParams.evidence ?? false
          })
          return { data, next: data.length < limit ? null : data.at(-1)?.at ?? null }
        }))
      .handle("get_check", ({ path }) =>
        Effect.gen(function*() {
          const { workspaceId } = yield* Access
          const check = yield* findSoon(workspaceId, path.id)
          return yield* Option.match(check, {
            onNone: () =>
              new NotFound({ message: `No check ${path.id} in this workspace`, hint: "Raw checks are kept for 30 days" }),
            onSome: Effect.succeed
          })
        }))
      .handle("list_regions", () =>
        Effect.map(regions.all, (all) => ({
          data: all.map((region) => ({ ...region, isDefault: region.id === defaultRegion })),
          next: null
        })))
  }))
