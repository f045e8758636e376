/** Telegram channels: a message by the Bot API (https://core.telegram.org/bots/api#sendmessage). */
import { Effect, Schema } from "effect"
import { channelSetting } from "../../../../schema/alert/Channel.ts"
import { mask } from "../../../../schema/Mask.ts"
import { alertMessage } from "../../../domain/alert/AlertMessage.ts"
import { migratedTo, plainTelegram, readTelegram, refusesForm } from "../../../domain/alert/answers/TelegramAnswer.ts"
import { telegramMessage } from "../../../domain/alert/TelegramMessage.ts"
import { ChannelAddresses } from "../ChannelAddresses.ts"
import { makeChannelKind, type Message } from "../ChannelKind.ts"
import { deliveryHeaders, formProblems, postAndRead, withFields } from "../PostDelivery.ts"

const Settings = Schema.Struct({ botToken: channelSetting.botToken, chatId: channelSetting.chatId })
type Settings = typeof Settings.Type

const meanings: Readonly<Record<number, string>> = {
  400: "Telegram refuses the message; check chatId, and that the bot is a member of the chat",
  401: "Telegram does not know the bot token",
  403: "The chat has blocked or removed the bot",
  404: "Telegram does not know the bot token",
  429: "Telegram limits how often this bot may post"
}

/** The token is part of the path. */
const problems = ({ botToken, chatId }: Partial<Settings>) =>
  Effect.succeed([
    ...formProblems("botToken", botToken, /^[\w:-]+$/, "Expected a bot token such as 123456:ABC-DEF, as @BotFather gives it"),
    ...formProblems("chatId", chatId, /\S/, "Expected the id of a chat")
  ])

/**
 * Sends the message to the chat that a group has become, and as plain text if Telegram cannot read its formatting. Each is tried once, in
 * this attempt.
 */
const send = Effect.fnUntraced(function*({ body, timeoutMs }: Message, { botToken, chatId }: Settings) {
  const { telegram: base } = yield* ChannelAddresses
  const url = new URL(`${base}/bot${botToken}/sendMessage`)
  const rules = { meanings, read: readTelegram, secrets: [botToken, botToken.replace(/^\d+:/, "")] }
  let text = body
  let chat = chatId
  while (true) {
    const post = { url, headers: deliveryHeaders, body: withFields(text, { chat_id: chat }), timeoutMs }
    const { answer, said } = yield* postAndRead(post, rules)
    const next = said === null ? null : migratedTo(said)
    if (next !== null && chat === chatId && next !== chat) chat = next
    else if (said !== null && text === body && refusesForm(said)) text = plainTelegram(body)
    else if (chat === chatId || answer._tag !== "Answered") return answer
    else {return {
        ...answer,
        moved: { settings: { chatId: chat }, note: `Telegram turned the group into a supergroup; chatId is now ${chat}` }
      }}
  }
})

export const telegram = makeChannelKind({
  type: "telegram",
  settings: Settings,
  sealed: { botToken: () => mask },
  signs: false,
  problems,
  render: (event, acknowledge) => JSON.stringify(telegramMessage(alertMessage(event, acknowledge))),
  send
})
