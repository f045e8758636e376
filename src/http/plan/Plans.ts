/** Serves the operations on documents: plan, apply, export. */
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ExportWorkspace } from "../../operations/plan/ExportWorkspace.ts"
import { ManagePlans } from "../../operations/plan/ManagePlans.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const PlansLive = operationGroup(Api, "Plans", (handlers) =>
  Effect.gen(function*() {
    const plans = yield* ManagePlans
    const exports = yield* ExportWorkspace
    return handlers
      .handle("plan_changes", ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => plans.plan(workspaceId, payload)))
      .handle("apply_plan", ({ path }) => Effect.flatMap(Access, ({ workspaceId }) => plans.apply(workspaceId, path.id)))
      .handle("export_workspace", () => Effect.flatMap(Access, (caller) => exports.export(caller)))
  }))
