/** Serves on-call schedules and escalation policies. */
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { ManagePolicies } from "../../operations/oncall/ManagePolicies.ts"
import { ManageSchedules } from "../../operations/oncall/ManageSchedules.ts"
import { ReadOnCall } from "../../operations/oncall/ReadOnCall.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const withWorkspace = <A, E, R>(use: (workspaceId: WorkspaceId) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Access, ({ workspaceId }) => use(workspaceId))

const all = <A, E, R>(listing: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<A>, E, R>) =>
  Effect.map(withWorkspace(listing), (data) => ({ data, next: null }))

const gone = <Id, E, R>(id: Id, removing: (workspaceId: WorkspaceId) => Effect.Effect<void, E, R>) =>
  Effect.as(withWorkspace(removing), { id, deleted: true as const })

export const OnCallLive = operationGroup(Api, "On-call", (handlers) =>
  Effect.gen(function*() {
    const reading = yield* ReadOnCall
    const schedules = yield* ManageSchedules
    const policies = yield* ManagePolicies

    return handlers
      .handle("get_current_oncall", ({ urlParams }) => all((id) => reading.current(id, urlParams.scheduleId ?? null)))
      .handle("list_oncall_schedules", ({ urlParams }) => all((id) => reading.list(id, urlParams.days ?? 0)))
      .handle("get_oncall_schedule", ({ path, urlParams }) => withWorkspace((id) => reading.get(id, path.id, urlParams.days)))
      .handle("create_oncall_schedule", ({ payload }) => withWorkspace((id) => schedules.create(id, payload)))
      .handle("update_oncall_schedule", ({ path, payload }) => withWorkspace((id) => schedules.update(id, path.id, payload)))
      .handle("delete_oncall_schedule", ({ path }) => gone(path.id, (id) => schedules.remove(id, path.id)))
      .handle("create_oncall_override", ({ path, payload }) => withWorkspace((id) => schedules.addOverride(id, path.id, payload)))
      .handle("delete_oncall_override", ({ path }) =>
        gone(path.overrideId, (id) => schedules.removeOverride(id, path.id, path.overrideId)))
      .handle("list_oncall_members", () =>
        all(reading.members))
      .handle("list_escalation_policies", () => all(policies.list))
      .handle("create_escalation_policy", ({ payload }) => withWorkspace((id) => policies.create(id, payload)))
      .handle("update_escalation_policy", ({ path, payload }) => withWorkspace((id) => policies.update(id, path.id, payload)))
      .handle("delete_escalation_policy", ({ path }) => gone(path.id, (id) => policies.remove(id, path.id)))
  }))
