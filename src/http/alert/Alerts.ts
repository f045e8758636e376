/** Serves the operations on alert channels. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ManageChannels } from "../../operations/alert/ManageChannels.ts"

export const AlertsLive = HttpApiBuilder.group(Api, "Alerts", (handlers) =>
  Effect.map(ManageChannels, (manage) =>
    handlers
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
      .handle("test_channel", ({ path }) => Effect.flatMap(Access, ({ workspaceId }) => manage.test(workspaceId, path.id)))))
