/** Discord channels: a message with an embed, posted to a webhook (https://discord.com/developers/docs/resources/webhook#execute-webhook). */
import { Effect, Schema } from "effect"
import { channelSetting } from "../../../../schema/alert/Channel.ts"
import { alertMessage } from "../../../domain/alert/AlertMessage.ts"
import { discordMessage } from "../../../domain/alert/DiscordMessage.ts"
import type { Message } from "../ChannelKind.ts"
import { makeChannelKind } from "../MakeChannelKind.ts"
import { blockedProblems, deliveryHeaders, postDelivery, shownUrl } from "../PostDelivery.ts"
import { discordMeanings } from "../ServiceMeanings.ts"

const Settings = Schema.Struct({ url: channelSetting.url })
type Settings = typeof Settings.Type

export const discord = makeChannelKind({
  type: "discord",
  settings: Settings,
  // Anyone who knows the URL can post.
  sealed: { url: shownUrl },
  signs: false,
  problems: ({ url }) => url === undefined ? Effect.succeed([]) : blockedProblems("url", new URL(url)),
  render: (event, acknowledge) => JSON.stringify(discordMessage(alertMessage(event, acknowledge))),
  send: ({ body, timeoutMs }: Message, { url }: Settings) =>
    postDelivery({ url: new URL(url), headers: deliveryHeaders, body, timeoutMs }, { meanings: discordMeanings })
})
