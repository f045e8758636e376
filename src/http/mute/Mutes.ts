/** Serves mutes. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ManageMutes } from "../../operations/mute/ManageMutes.ts"
import { asCaller, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 50

export const MutesLive = operationGroup(Api, "Mutes", (handlers) =>
  Effect.map(ManageMutes, (manage) =>
    handlers
      .handle("create_mute", ({ payload }) => asCaller((caller) => manage.create(caller, payload)))
      .handle("list_mutes", ({ urlParams: { active = false, before = null, limit = defaultLimit } }) =>
        inWorkspace((id) => manage.list(id, { active, before, limit })))
      .handle("get_mute", ({ path }) =>
        inWorkspace((id) => manage.get(id, path.id)))
      .handle("end_mute", ({ path }) => inWorkspace((id) => manage.end(id, path.id)))))
