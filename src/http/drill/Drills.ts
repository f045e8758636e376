/** Serves drills. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { RunDrills } from "../../operations/drill/RunDrills.ts"
import { inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const DrillsLive = operationGroup(Api, "Drills", (handlers) =>
  Effect.map(RunDrills, (drills) =>
    handlers
      .handle("create_drill", ({ payload }) => inWorkspace((workspaceId) => drills.start(workspaceId, payload)))
      .handle("get_drill", ({ path }) => inWorkspace((workspaceId) => drills.get(workspaceId, path.id)))))
