/** Serves the operations on alert channels. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { admitDeletion } from "../../operations/AdmitDeletion.ts"
import { ManageChannels } from "../../operations/alert/ManageChannels.ts"
import { ManageDeliveries } from "../../operations/alert/ManageDeliveries.ts"
import { WarnOfDuplicates } from "../../operations/WarnOfDuplicates.ts"
import { all, asCaller, deleted, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 50

export const AlertsLive = operationGroup(Api, "Alerts", (handlers) =>
  Effect.gen(function*() {
    const warn = yield* WarnOfDuplicates
    const manage = yield* ManageChannels
    const deliveries = yield* ManageDeliveries
    return handlers
      .handle("list_channels", () => all(inWorkspace(manage.list)))
      .handle("create_channel", ({ payload }) => inWorkspace((id) => warn.after("channel", id, manage.create(id, payload))))
      .handle("update_channel", ({ path, payload }) => inWorkspace((id) => manage.update(id, path.id, payload)))
      .handle("delete_channel", ({ path, urlParams }) =>
        deleted(
          path.id,
          asCaller((caller) => manage.remove(caller.workspaceId, path.id, admitDeletion(caller, urlParams.count)))
        ))
      .handle("test_channel", ({ path }) => inWorkspace((id) => manage.test(id, path.id)))
      .handle("list_deliveries", ({ urlParams: { before = null, channelId = null, limit = defaultLimit, status = null } }) =>
        inWorkspace((id) =>
          deliveries.list(id, { channelId, status, before, limit })
        ))
      .handle("replay_delivery", ({ path }) => inWorkspace((id) => deliveries.replay(id, path.id)))
      .handle("replay_deliveries", ({ payload }) => inWorkspace((id) => deliveries.replaySince(id, payload)))
  }))
