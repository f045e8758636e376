/** Serves drills. */
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { RunDrills } from "../../operations/drill/RunDrills.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const DrillsLive = operationGroup(Api, "Drills", (handlers) =>
  Effect.map(RunDrills, (drills) =>
    handlers
      .handle("create_drill", ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => drills.start(workspaceId, payload)))
      .handle("get_drill", ({ path }) => Effect.flatMap(Access, ({ workspaceId }) => drills.get(workspaceId, path.id)))))
