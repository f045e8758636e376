/** Microsoft Teams channels: an Adaptive Card, posted to the webhook of a workflow (https://learn.microsoft.com/connectors/teams/#microsoft-teams-webhook). */
import { Effect, Schema } from "effect"
import { channelSetting } from "../../../../schema/alert/Channel.ts"
import { alertMessage } from "../../../domain/alert/AlertMessage.ts"
import { teamsMessage } from "../../../domain/alert/TeamsMessage.ts"
import type { Message } from "../ChannelKind.ts"
import { makeChannelKind } from "../MakeChannelKind.ts"
import { blockedProblems, deliveryHeaders, postDelivery, shownUrl } from "../PostDelivery.ts"

const Settings = Schema.Struct({ url: channelSetting.url })
type Settings = typeof Settings.Type

const meanings: Readonly<Record<number, string>> = {
  400: "Teams refuses the message; check that the workflow starts with \"When a Teams webhook request is received\"",
  401: "The signature in the URL is not valid; copy the URL of the workflow again",
  404: "Teams does not know this workflow; create a new one",
  410: "The workflow is gone; create a new one"
}

export const teams = makeChannelKind({
  type: "teams",
  settings: Settings,
  // Anyone who knows the URL can post.
  sealed: { url: shownUrl },
  signs: false,
  problems: ({ url }) => url === undefined ? Effect.succeed([]) : blockedProblems("url", new URL(url)),
  render: (event, acknowledge) => JSON.stringify(teamsMessage(alertMessage(event, acknowledge))),
  send: ({ body, timeoutMs }: Message, { url }: Settings) =>
    postDelivery({ url: new URL(url), headers: deliveryHeaders, body, timeoutMs }, { meanings })
})
