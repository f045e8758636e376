/** Serves the alert channels. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect, Option } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { NotFound } from "../../../schema/Errors.ts"
import type { ChannelId } from "../../../schema/Ids.ts"
import { createChannel, testChannel, updateChannel } from "../../notify/alert/ManageChannels.ts"
import { Channels } from "../../store/alert/Channels.ts"

const notFound = (id: ChannelId) =>
  new NotFound({
    message: `There is no alert channel ${id} in this workspace`,
    hint: "GET /channels lists the alert channels"
  })

export const AlertsLive = HttpApiBuilder.group(Api, "Alerts", (handlers) =>
  Effect.map(Channels, (channels) =>
    handlers
      .handle("list_channels", () =>
        Effect.flatMap(Access, ({ workspaceId }) => channels.list(workspaceId)).pipe(
          Effect.map((data) => ({ data, next: null }))
        ))
      .handle("create_channel", ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => createChannel(workspaceId, payload)))
      .handle("update_channel", ({ path, payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) => updateChannel(workspaceId, path.id, payload)).pipe(
          Effect.flatMap(Option.match({ onNone: () => Effect.fail(notFound(path.id)), onSome: Effect.succeed }))
        ))
      .handle("delete_channel", ({ path }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          channels.remove(workspaceId, path.id)).pipe(
            Effect.filterOrFail((deleted) => deleted, () => notFound(path.id)),
            Effect.as({ id: path.id, deleted: true as const })
          ))
      .handle("test_channel", ({ path }) =>
        Effect.flatMap(Access, ({ workspaceId }) => testChannel(workspaceId, path.id)).pipe(
          Effect.flatMap(Option.match({ onNone: () => Effect.fail(notFound(path.id)), onSome: Effect.succeed }))
        ))))
