/** Telegram channels: a message by the Bot API (https://core.telegram.org/bots/api#sendmessage), with buttons if its bot reports here. */
import { Effect, Schema } from "effect"
import { channelSetting } from "../../../../schema/alert/Channel.ts"
import { optional } from "../../../../schema/Fields.ts"
import { mask } from "../../../../schema/Mask.ts"
import { alertMessage } from "../../../domain/alert/AlertMessage.ts"
import { telegramMessage } from "../../../domain/alert/TelegramMessage.ts"
import { withoutTelegramButtons } from "../../../domain/chat/TelegramUpdates.ts"
import { sendTelegram } from "../../chat/TelegramApi.ts"
import { makeChannelKind } from "../ChannelKind.ts"
import { formProblems } from "../PostDelivery.ts"

const Settings = Schema.Struct({
  botToken: channelSetting.botToken,
  chatId: channelSetting.chatId,
  buttons: optional(channelSetting.buttons)
})
type Settings = typeof Settings.Type

/** The token is part of the path. */
const problems = ({ botToken, chatId }: Partial<Settings>) =>
  Effect.succeed([
    ...formProblems("botToken", botToken, /^[\w:-]+$/, "Expected a bot token such as 123456:ABC-DEF, as @BotFather gives it"),
    ...formProblems("chatId", chatId, /\S/, "Expected the id of a chat")
  ])

export const telegram = makeChannelKind({
  type: "telegram",
  settings: Settings,
  sealed: { botToken: () => mask },
  signs: false,
  problems,
  render: (event, acknowledge) => JSON.stringify(telegramMessage(alertMessage(event, acknowledge))),
  send: ({ body, timeoutMs }, { botToken, buttons, chatId }) =>
    sendTelegram({ botToken, chatId, body: buttons === true ? body : withoutTelegramButtons(body), timeoutMs })
})
