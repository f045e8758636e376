/**
 * Discord channels: a message with an embed, posted to a webhook
 * (https://discord.com/developers/docs/resources/webhook#execute-webhook), or by an application with its bot token. With the
 * application's public key, messages have buttons. Discord ignores the buttons of webhooks that no application owns.
 */
import { Effect, Schema } from "effect"
import { channelSetting } from "../../../../schema/alert/Channel.ts"
import { optional } from "../../../../schema/Fields.ts"
import { mask } from "../../../../schema/Mask.ts"
import { alertMessage } from "../../../domain/alert/AlertMessage.ts"
import { readDiscord } from "../../../domain/alert/answers/DiscordAnswer.ts"
import { discordMessage } from "../../../domain/alert/DiscordMessage.ts"
import { isDiscordKey } from "../../../domain/chat/DiscordRequests.ts"
import { postDiscordMessage } from "../../chat/DiscordApi.ts"
import { makeChannelKind, type Message, type Problem } from "../ChannelKind.ts"
import { blockedProblems, formProblems, postToWebhook, shownUrl } from "../PostDelivery.ts"

const Settings = Schema.Struct({
  url: optional(channelSetting.url),
  botToken: optional(channelSetting.botToken),
  chatId: optional(channelSetting.chatId),
  appSecret: optional(channelSetting.appSecret)
})
type Settings = typeof Settings.Type

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes */
const meanings: Readonly<Record<number, string>> = {
  400: "Discord refuses the message",
  401: "Discord does not know this webhook; create a new one",
  403: "Discord does not let this webhook post",
  404: "Discord does not know this webhook; create a new one",
  429: "Discord limits how often this webhook may post"
}

export const discordRules = { meanings, read: readDiscord }

const problems = ({ appSecret, botToken, chatId, url }: Partial<Settings>) =>
  Effect.map(blockedProblems(url), (blocked): ReadonlyArray<Problem> => [
    ...blocked,
    ...formProblems("botToken", botToken, /^[\w.-]+$/, "Expected the bot token of a Discord application"),
    ...formProblems("chatId", chatId, /^\d{15,20}$/, "Expected the id of a Discord channel: digits only"),
    ...(appSecret === undefined || isDiscordKey(appSecret)
      ? []
      : [{ path: "appSecret", message: "Expected the public key of a Discord application: 64 hexadecimal digits" }])
  ])

const lacks = ({ appSecret, botToken, chatId, url }: Settings): ReadonlyArray<Problem> => [
  ...(url === undefined && botToken === undefined && chatId === undefined
    ? [{ path: "url", message: "url is required for discord channels, or botToken and chatId" }]
    : (botToken === undefined) !== (chatId === undefined)
    ? [{ path: botToken === undefined ? "botToken" : "chatId", message: "botToken and chatId belong together" }]
    : []),
  ...(appSecret !== undefined && botToken === undefined
    ? [{ path: "botToken", message: "Only messages of an application have buttons: give its botToken and chatId, too" }]
    : [])
]

/** By the application where it has a channel, else by the webhook. */
const send = (message: Message, { appSecret, botToken, chatId, url }: Settings) => {
  if (botToken !== undefined && chatId !== undefined) {
    return postDiscordMessage(message, { botToken, chatId, appSecret: appSecret ?? null })
  }
  return postToWebhook(url, { body: message.body, timeoutMs: message.timeoutMs }, discordRules)
}

export const discord = makeChannelKind({
  type: "discord",
  settings: Settings,
  // Anyone who knows the URL can post.
  sealed: { url: shownUrl, botToken: () => mask, appSecret: () => mask },
  signs: false,
  problems,
  lacks,
  render: (event, acknowledge) => JSON.stringify(discordMessage(alertMessage(event, acknowledge))),
  send
})
