/** Serves the operations on alert channels. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ManageChannels } from "../../operations/alert/ManageChannels.ts"
import { ManageDeliveries } from "../../operations/alert/ManageDeliveries.ts"
import { all, deleted, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 50

export const AlertsLive = operationGroup(Api, "Alerts", (handlers) =>
  Effect.gen(function*() {
    const manage = yield* ManageChannels
    const deliveries = yield* ManageDeliveries
    return handlers
      .handle("list_channels", () => all(inWorkspace(manage.list)))
      .handle("create_channel", ({ payload }) => inWorkspace((workspaceId) => manage.create(workspaceId, payload)))
      .handle("update_channel", ({ path, payload }) => inWorkspace((workspaceId) => manage.update(workspaceId, path.id, payload)))
      .handle("delete_channel", ({ path: { id } }) => deleted(id, inWorkspace((workspaceId) => manage.remove(workspaceId, id))))
      .handle("test_channel", ({ path }) => inWorkspace((workspaceId) => manage.test(workspaceId, path.id)))
      .handle(
        "list_deliveries",
        ({ urlParams: { before = null, channelId = null, limit = defaultLimit, status = null } }) =>
          inWorkspace((workspaceId) => deliveries.list(workspaceId, { channelId, status, before, limit }))
      )
      .handle("replay_delivery", ({ path }) => inWorkspace((workspaceId) => deliveries.replay(workspaceId, path.id)))
      .handle("replay_deliveries", ({ payload }) => inWorkspace((workspaceId) => deliveries.replaySince(workspaceId, payload)))
  }))
