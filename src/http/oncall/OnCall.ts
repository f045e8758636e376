/** Serves on-call schedules and escalation policies. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ManagePolicies } from "../../operations/oncall/ManagePolicies.ts"
import { ManageSchedules } from "../../operations/oncall/ManageSchedules.ts"
import { ReadOnCall } from "../../operations/oncall/ReadOnCall.ts"
import { all, deleted, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const OnCallLive = operationGroup(Api, "On-call", (handlers) =>
  Effect.gen(function*() {
    const reading = yield* ReadOnCall
    const schedules = yield* ManageSchedules
    const policies = yield* ManagePolicies

    return handlers
      .handle("get_current_oncall", ({ urlParams: { scheduleId = null } }) =>
        all(inWorkspace((id) => reading.current(id, scheduleId))))
      .handle("list_oncall_schedules", ({ urlParams: { days = 0 } }) =>
        all(inWorkspace((id) => reading.list(id, days))))
      .handle("get_oncall_schedule", ({ path, urlParams }) => inWorkspace((id) => reading.get(id, path.id, urlParams.days)))
      .handle("create_oncall_schedule", ({ payload }) => inWorkspace((id) => schedules.create(id, payload)))
      .handle("update_oncall_schedule", ({ path, payload }) => inWorkspace((id) => schedules.update(id, path.id, payload)))
      .handle("delete_oncall_schedule", ({ path }) => deleted(path.id, inWorkspace((id) => schedules.remove(id, path.id))))
      .handle("create_oncall_override", ({ path, payload }) => inWorkspace((id) => schedules.addOverride(id, path.id, payload)))
      .handle("delete_oncall_override", ({ path }) =>
        deleted(
          path.overrideId,
          inWorkspace((id) => schedules.removeOverride(id, path.id, path.overrideId))
        ))
      .handle("list_oncall_members", () => all(inWorkspace(reading.members)))
      .handle("list_escalation_policies", () => all(inWorkspace(policies.list)))
      .handle("create_escalation_policy", ({ payload }) => inWorkspace((id) => policies.create(id, payload)))
      .handle("update_escalation_policy", ({ path, payload }) => inWorkspace((id) => policies.update(id, path.id, payload)))
      .handle("delete_escalation_policy", ({ path }) => deleted(path.id, inWorkspace((id) => policies.remove(id, path.id))))
  }))
