/** Telegram's Bot API (https://core.telegram.org/bots/api). The token of a bot is part of the path. */
import { Effect } from "effect"
import { fieldsOf } from "../../domain/alert/answers/ServiceAnswer.ts"
import {
  asTelegramSays,
  migratedTo,
  plainTelegram,
  readTelegram,
  refusesForm
} from "../../domain/alert/answers/TelegramAnswer.ts"
import { Answer } from "../../domain/alert/DeliveryVerdict.ts"
import { recordOf, textAt } from "../../domain/import/Loose.ts"
import { ChannelAddresses } from "../alert/ChannelAddresses.ts"
import { deliveryHeaders, postAndRead, withFields } from "../alert/PostDelivery.ts"

const meanings: Readonly<Record<number, string>> = {
  400: "Telegram refuses the message; check chatId, and that the bot is a member of the chat",
  401: "Telegram does not know the bot token",
  403: "The chat has blocked or removed the bot",
  404: "Telegram does not know the bot token",
  429: "Telegram limits how often this bot may post"
}

/** Calls a method with a JSON body. */
export const callTelegram = (botToken: string, method: string, body: string, timeoutMs: number) =>
  Effect.flatMap(ChannelAddresses, ({ telegram: base }) =>
    Effect.map(
      postAndRead(
        { url: new URL(`${base}/bot${botToken}/${method}`), headers: deliveryHeaders, body, timeoutMs },
        {
          meanings,
          read: (said) => readTelegram(asTelegramSays(said)),
          secrets: [botToken, botToken.replace(/^\d+:/, "")]
        }
      ),
      ({ answer, said: given }) => {
        const said = given === null ? null : asTelegramSays(given)
        return {
          said,
          answer: answer._tag === "Answered" && said !== null
            ? Answer.Answered({ ...answer, statusCode: said.statusCode })
            : answer
        }
      }
    ))

interface TelegramMessage {
  readonly botToken: string
  readonly chatId: string
  readonly body: string
  readonly timeoutMs: number
}

/**
 * Sends the message to the chat that a group has become, and as plain text if Telegram cannot read its formatting. Each is tried once, in
 * this attempt.
 */
export const sendTelegram = Effect.fnUntraced(function*({ body, botToken, chatId, timeoutMs }: TelegramMessage) {
  let text = body
  let chat = chatId
  while (true) {
    const { answer, said } = yield* callTelegram(botToken, "sendMessage", withFields(text, { chat_id: chat }), timeoutMs)
    const next = said === null ? null : migratedTo(said)
    if (next !== null && chat === chatId && next !== chat) chat = next
    else if (said !== null && text === body && refusesForm(said)) text = plainTelegram(body)
    else if (chat === chatId || answer._tag !== "Answered") return answer
    else {
      return Answer.Answered({
        ...answer,
        moved: { settings: { chatId: chat }, note: `Telegram turned the group into a supergroup; chatId is now ${chat}` }
      })
    }
  }
})

/** The failure in words for a person; null if there is none. */
const problemOf = (answer: Answer): string | null =>
  answer._tag === "Answered"
    ? answer.statusCode < 300 ? null : answer.meaning ?? `Telegram answered ${answer.statusCode}`
    : "reason" in answer
    ? answer.reason
    : null

/** Has Telegram report the presses of a bot's buttons, and those who start it, to an address. Returns why it does not; null if it does. */
export const followBot = (botToken: string, { secret, url }: { readonly url: string; readonly secret: string }) =>
  Effect.map(
    callTelegram(
      botToken,
      "setWebhook",
      JSON.stringify({ url, secret_token: secret, allowed_updates: ["message", "callback_query"], max_connections: 10 }),
      10_000
    ),
    ({ answer }) => problemOf(answer)
  )

/** Ends the reports. */
export const leaveBot = (botToken: string) => callTelegram(botToken, "deleteWebhook", "{\"drop_pending_updates\":false}", 10_000)

/** The user name of a bot, by which people find it. Fails with why it is not known. */
export const botName = Effect.fn("TelegramApi.botName")(function*(botToken: string) {
  const { answer, said } = yield* callTelegram(botToken, "getMe", "{}", 10_000)
  const name = said === null ? null : textAt(recordOf(fieldsOf(said)["result"]), "username")
  return name ?? (yield* Effect.fail(problemOf(answer) ?? "Telegram does not say the name of the bot"))
})
