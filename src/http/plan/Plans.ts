/** Serves the operations on documents: plan, apply, export. */
import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { exportedText } from "../../../schema/api/Plans.ts"
import { admitDeletion } from "../../operations/AdmitDeletion.ts"
import { ExportWorkspace } from "../../operations/plan/ExportWorkspace.ts"
import { ManagePlans } from "../../operations/plan/ManagePlans.ts"
import { asCaller } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const PlansLive = operationGroup(Api, "Plans", (handlers) =>
  Effect.gen(function*() {
    const plans = yield* ManagePlans
    const exports = yield* ExportWorkspace
    return handlers
      .handle("plan_changes", ({ payload }) => asCaller((caller) => plans.plan(caller, payload)))
      .handle("apply_plan", ({ path, payload }) =>
        asCaller((caller) => plans.apply(caller.workspaceId, path.id, admitDeletion(caller, payload.count))))
      .handle("export_workspace", ({ urlParams }) =>
        urlParams.format === "yaml"
          ? Effect.map(
            asCaller((caller) =>
              exports.yaml(caller, urlParams.search)
            ),
            (text) => HttpServerResponse.text(text, { contentType: exportedText })
          )
          : asCaller((caller) => exports.export(caller, urlParams.search)))
  }))
