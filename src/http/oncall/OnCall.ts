/** Serves on-call schedules, their calendars, escalation policies and drills. */
import { HttpApiBuilder, HttpRouter, HttpServerResponse } from "@effect/platform"
import { Effect, type Layer } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { RunDrills } from "../../operations/drill/RunDrills.ts"
import { ManagePolicies } from "../../operations/oncall/ManagePolicies.ts"
import { ManageSchedules } from "../../operations/oncall/ManageSchedules.ts"
import { ManageShifts } from "../../operations/oncall/ManageShifts.ts"
import { ReadOnCall, type ReadSchedule } from "../../operations/oncall/ReadOnCall.ts"
import { WarnOfDuplicates } from "../../operations/WarnOfDuplicates.ts"
import { all, asCaller, deleted, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const DrillsLive = operationGroup(Api, "Drills", (handlers) =>
  Effect.map(RunDrills, (drills) =>
    handlers
      .handle("create_drill", ({ payload }) => inWorkspace((id) => drills.start(id, payload)))
      .handle("get_drill", ({ path }) => inWorkspace((id) => drills.get(id, path.id)))))

const feed = ({ feed }: ReadOnCall) =>
  Effect.gen(function*() {
    const { file = "", id = "" } = yield* HttpRouter.params
    const text = yield* feed(id, file.endsWith(".ics") ? file.slice(0, -".ics".length) : "")
    return HttpServerResponse.text(text, {
      contentType: "text/calendar; charset=utf-8",
      // The address is a credential: shared caches must not keep the response.
      headers: { "cache-control": "private, max-age=300", "x-content-type-options": "nosniff", "x-robots-tag": "noindex" }
    })
  })

/** The iCalendar feeds of schedules at GET /oncall/{id}/{token}.ics, outside the registry. */
export const calendarFeeds: Layer.Layer<never, never, ReadOnCall> = HttpApiBuilder.Router.use((router) =>
  Effect.flatMap(ReadOnCall, (reading) => router.get("/oncall/:id/:file", feed(reading)))
)

export const OnCallLive = operationGroup(Api, "On-call", (handlers) =>
  Effect.gen(function*() {
    const reading = yield* ReadOnCall
    const schedules = yield* ManageSchedules
    const shifts = yield* ManageShifts
    const policies = yield* ManagePolicies
    const warn = yield* WarnOfDuplicates

    const addressed = <E, R>(read: (workspaceId: WorkspaceId) => Effect.Effect<ReadSchedule, E, R>) =>
      asCaller((caller) => Effect.map(read(caller.workspaceId), reading.addressed(caller)))

    return handlers
      .handle("get_current_oncall", ({ urlParams: { at = null, scheduleId = null } }) =>
        all(inWorkspace((id) => reading.current(id, scheduleId, at))))
      .handle("list_oncall_schedules", ({ urlParams: { days = 0 } }) =>
        all(asCaller((caller) =>
          Effect.map(reading.list(caller.workspaceId, days), (found) =>
            found.map(reading.addressed(caller)))
        )))
      .handle("get_oncall_schedule", ({ path, urlParams }) =>
        addressed((id) =>
          reading.get(id, path.id, urlParams.days, urlParams.from)
        ))
      .handle("create_oncall_schedule", ({ payload }) =>
        addressed((id) =>
          warn.after("schedule", id, schedules.create(id, payload))
        ))
      .handle("update_oncall_schedule", ({ path, payload }) =>
        addressed((id) =>
          schedules.update(id, path.id, payload)
        ))
      .handle("delete_oncall_schedule", ({ path }) => deleted(path.id, inWorkspace((id) => schedules.remove(id, path.id))))
      .handle("create_oncall_override", ({ path, payload }) =>
        asCaller((caller) =>
          Effect.flatMap(shifts.standIn(caller, path.id, payload), (override) =>
            reading.warned(caller.workspaceId, override))
        ))
      .handle("swap_oncall_shifts", ({ path, payload }) =>
        all(asCaller((caller) =>
          shifts.swap(caller, path.id, payload)
        )))
      .handle("import_oncall_calendar", ({ path, payload }) => inWorkspace((id) => shifts.takeCalendar(id, path.id, payload)))
      .handle("delete_oncall_override", ({ path }) =>
        deleted(
          path.overrideId,
          asCaller((caller) => shifts.removeOverride(caller, path.id, path.overrideId))
        ))
      .handle("list_oncall_members", () => all(inWorkspace(reading.members)))
      .handle("list_escalation_policies", () => all(inWorkspace(policies.list)))
      .handle("create_escalation_policy", ({ payload }) =>
        inWorkspace((id) => warn.after("policy", id, policies.create(id, payload))))
      .handle("update_escalation_policy", ({ path, payload }) =>
        inWorkspace((id) => policies.update(id, path.id, payload)))
      .handle("delete_escalation_policy", ({ path }) => deleted(path.id, inWorkspace((id) => policies.remove(id, path.id))))
  }))
