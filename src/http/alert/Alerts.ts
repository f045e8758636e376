/** Serves the operations on alert channels. */
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ManageChannels } from "../../operations/alert/ManageChannels.ts"
import { ManageDeliveries } from "../../operations/alert/ManageDeliveries.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 50

export const AlertsLive = operationGroup(Api, "Alerts", (handlers) =>
  Effect.gen(function*() {
    const manage = yield* ManageChannels
    const deliveries = yield* ManageDeliveries
    return handlers
      .handle(
        "list_channels",
        () => Effect.flatMap(Access, ({ workspaceId }) => Effect.map(manage.list(workspaceId), (data) => ({ data, next: null })))
      )
      .handle("create_channel", ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => manage.create(workspaceId, payload)))
      .handle(
        "update_channel",
        ({ path, payload }) => Effect.flatMap(Access, ({ workspaceId }) => manage.update(workspaceId, path.id, payload))
      )
      .handle(
        "delete_channel",
        ({ path }) =>
          Effect.flatMap(
            Access,
            ({ workspaceId }) => Effect.as(manage.remove(workspaceId, path.id), { id: path.id, deleted: true as const })
          )
      )
      .handle("test_channel", ({ path }) => Effect.flatMap(Access, ({ workspaceId }) => manage.test(workspaceId, path.id)))
      .handle("list_deliveries", ({ urlParams: { before, channelId, limit, status } }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          deliveries.list(workspaceId, {
            channelId: channelId ?? null,
            status: status ?? null,
            before: before ?? null,
            limit: limit ?? defaultLimit
          })))
      .handle(
        "replay_delivery",
        ({ path }) =>
          Effect.flatMap(Access, ({ workspaceId }) =>
            deliveries.replay(workspaceId, path.id))
      )
      .handle(
        "replay_deliveries",
        ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => deliveries.replaySince(workspaceId, payload))
      )
  }))
