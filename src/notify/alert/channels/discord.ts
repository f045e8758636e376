/**
 * Discord channels: a message with an embed, posted to a webhook
 * (https://discord.com/developers/docs/resources/webhook#execute-webhook).
 */
import { readDiscord } from "../../../domain/alert/answers/DiscordAnswer.ts"
import { discordMessage } from "../../../domain/alert/DiscordMessage.ts"
import { makeChatWebhook } from "../ChatWebhook.ts"

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes */
const meanings: Readonly<Record<number, string>> = {
  400: "Discord refuses the message",
  401: "Discord does not know this webhook; create a new one",
  403: "Discord does not let this webhook post",
  404: "Discord does not know this webhook; create a new one",
  429: "Discord limits how often this webhook may post"
}

export const discordRules = { meanings, read: readDiscord }

export const discord = makeChatWebhook("discord", discordMessage, discordRules)
