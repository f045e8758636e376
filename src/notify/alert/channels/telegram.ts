/** Telegram channels: a message by the Bot API (https://core.telegram.org/bots/api#sendmessage). */
import { Duration, Effect, Option, Schema } from "effect"
import { channelSetting } from "../../../../schema/alert/Channel.ts"
import { mask } from "../../../../schema/Mask.ts"
import { alertMessage } from "../../../domain/alert/AlertMessage.ts"
import { telegramMessage } from "../../../domain/alert/TelegramMessage.ts"
import { ChannelAddresses } from "../ChannelAddresses.ts"
import { makeChannelKind } from "../ChannelKind.ts"
import { deliveryHeaders, formProblems, postDelivery, withFields } from "../PostDelivery.ts"

const Settings = Schema.Struct({ botToken: channelSetting.botToken, chatId: channelSetting.chatId })
type Settings = typeof Settings.Type

const meanings: Readonly<Record<number, string>> = {
  400: "Telegram refuses the message; check chatId, and that the bot is a member of the chat",
  401: "Telegram does not know the bot token",
  403: "The chat has blocked or removed the bot",
  404: "Telegram does not know the bot token",
  429: "Telegram limits how often this bot may post"
}

const Refusal = Schema.parseJson(Schema.Struct({ parameters: Schema.Struct({ retry_after: Schema.NonNegative }) }))

/** Telegram asks for a wait in its body, not in a header (https://core.telegram.org/bots/api#responseparameters). */
const retryAfterOf = (body: string): Option.Option<Duration.Duration> =>
  Option.map(Schema.decodeUnknownOption(Refusal)(body), ({ parameters }) => Duration.seconds(parameters.retry_after))

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
  send: ({ body, timeoutMs }, { botToken, chatId }) =>
    Effect.flatMap(ChannelAddresses, ({ telegram: base }) =>
      postDelivery(
        {
          url: new URL(`${base}/bot${botToken}/sendMessage`),
          headers: deliveryHeaders,
          body: withFields(body, { chat_id: chatId }),
          timeoutMs
        },
        { meanings, retryAfterOf }
      ))
})
