/** Messages of the workspace's Telegram bot to a person, with buttons. The person starts the bot, because bots write to nobody first. */
import { Effect, Option, Schema } from "effect"
import { optional } from "../../../../schema/Fields.ts"
import { wayAddress } from "../../../../schema/oncall/Way.ts"
import { Answer } from "../../../domain/alert/DeliveryVerdict.ts"
import { telegramMessage } from "../../../domain/alert/TelegramMessage.ts"
import { chatPage, codeText, testText } from "../../../domain/chat/ChatPage.ts"
import { withoutTelegramButtons } from "../../../domain/chat/TelegramUpdates.ts"
import type { Message } from "../../alert/ChannelKind.ts"
import { formProblems } from "../../alert/PostDelivery.ts"
import { noTelegramBot, telegramBotOf } from "../../chat/ChatBots.ts"
import { botName, sendTelegram } from "../../chat/TelegramApi.ts"
import { makeWayKind, type WayMessage } from "../WayKind.ts"

/** A way without a chat waits for the person, who starts the bot by its link. */
const Address = Schema.Struct({ chatId: optional(wayAddress.chatId) })
type Address = typeof Address.Type

const body = (message: WayMessage): object => {
  switch (message._tag) {
    case "Page":
      return telegramMessage(chatPage(message))
    case "Code":
      return { text: codeText(message.code) }
    case "Test":
      return { text: testText }
  }
}

const send = Effect.fnUntraced(function*({ body, timeoutMs, workspaceId }: Message, { chatId }: Address) {
  const bot = yield* telegramBotOf(workspaceId)
  if (Option.isNone(bot)) return Answer.Impossible({ reason: noTelegramBot })
  if (chatId === undefined) return Answer.Impossible({ reason: "The person has not started the bot yet" })
  const { botToken, buttons } = bot.value
  const answer = yield* sendTelegram({ botToken, chatId, body: buttons ? body : withoutTelegramButtons(body), timeoutMs })
  // A token that Telegram does not know concerns everybody, and ends once it is replaced; the way to the person stays.
  return answer._tag === "Answered" && (answer.statusCode === 401 || answer.statusCode === 404)
    ? Answer.Answered({ ...answer, fate: "final" })
    : answer
})

const noUpdates =
  "The Telegram channel of the workspace has no buttons, so that its bot reports nothing here. Switch them on, or give chatId"

/** `payload` comes back when the person presses Start. */
const startLink = Effect.fn("telegram.startLink")(function*(workspaceId: Message["workspaceId"], payload: string) {
  const bot = yield* telegramBotOf(workspaceId)
  if (Option.isNone(bot)) return yield* Effect.fail(noTelegramBot)
  if (!bot.value.buttons) return yield* Effect.fail(noUpdates)
  return `https://t.me/${yield* botName(bot.value.botToken)}?start=${payload}`
})

export const telegram = makeWayKind({
  kind: "telegram",
  address: Address,
  shown: ({ chatId }) => chatId ?? "Not linked yet",
  label: "Telegram",
  proof: "code",
  isPersonal: true,
  problems: ({ chatId }) =>
    Effect.succeed(formProblems("chatId", chatId, /^\d{1,20}$/, "Expected the id of a person's chat with the bot: digits only")),
  missing: Effect.succeed(null),
  missingIn: (workspaceId) => Effect.map(telegramBotOf(workspaceId), (bot) => Option.isNone(bot) ? noTelegramBot : null),
  startLink,
  compose: (message) => JSON.stringify(body(message)),
  send
})
