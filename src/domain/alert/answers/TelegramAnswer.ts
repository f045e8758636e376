/** Answers of Telegram's Bot API (https://core.telegram.org/bots/api#making-requests, #responseparameters). */
import { numberAt, recordOf, textAt } from "../../import/Loose.ts"
import { cut } from "../../tools/text/TrimText.ts"
import { fieldsOf, type ReadAnswer, type Refusal, refusalIn, type ServiceAnswer, waitIn } from "./ServiceAnswer.ts"

const refusals: ReadonlyArray<Refusal> = [
  {
    says: /bot was blocked|user is deactivated/i,
    means: "The person has blocked the bot or left Telegram; start the bot again in that chat, or use another chatId",
    fate: "gone"
  },
  { says: /bot was kicked|not a member/i, means: "The chat has removed the bot; add it again", fate: "gone" },
  { says: /chat was (?:deactivated|deleted)/i, means: "The group was deleted; use another chatId", fate: "gone" },
  {
    says: /chat not found|chat_id is empty|(?:PEER|CHAT)_ID_INVALID|can't initiate conversation/i,
    means: "Telegram does not know the chat; check chatId, and that the bot is a member of the chat or was started in it",
    fate: "gone"
  },
  {
    says: /TOPIC_(?:CLOSED|DELETED)|thread not found|thread is closed|topic (?:is )?(?:closed|deleted)/i,
    means: "The topic of the group is closed or deleted; reopen it, or use another chatId",
    fate: "gone"
  },
  {
    says: /not enough rights|no rights|administrator rights|WRITE_FORBIDDEN|CHAT_RESTRICTED|ADMIN_REQUIRED/i,
    means: "The bot may not write in the chat; give it the right to send messages",
    fate: "gone"
  },
  { says: /bots can't send messages to bots/i, means: "chatId is that of a bot; use the id of a chat with people", fate: "gone" }
]

const descriptionOf = (answer: ServiceAnswer): string | null => textAt(fieldsOf(answer), "description")

/** The answer with the status that its body says: `ok`, not the status, decides at Telegram. */
export const asTelegramSays = (answer: ServiceAnswer): ServiceAnswer => {
  const fields = fieldsOf(answer)
  return fields["ok"] !== false || answer.statusCode >= 400
    ? answer
    : { ...answer, statusCode: numberAt(fields, "error_code") ?? 500 }
}

const parametersOf = (answer: ServiceAnswer) => recordOf(fieldsOf(answer)["parameters"])

export const readTelegram: ReadAnswer = (answer) => {
  const words = descriptionOf(answer)
  switch (answer.statusCode) {
    case 401:
    case 404:
      return { words, fate: "gone" }
    case 429:
      return { words, ...waitIn(parametersOf(answer)) }
    default:
      return words === null ? {} : refusalIn(refusals, words) ?? { words }
  }
}

/** The chat that a group has become: a supergroup has another id. Null if the answer names none. */
export const migratedTo = (answer: ServiceAnswer): string | null => textAt(parametersOf(answer), "migrate_to_chat_id")

/** Whether a message is refused for its form, so that its plain text may be taken. */
export const refusesForm = (answer: ServiceAnswer): boolean =>
  answer.statusCode === 400 && /can't parse|entities|ENTITY|too long/i.test(descriptionOf(answer) ?? "")

/** Telegram's limit of a message. */
const longestText = 4096

/** A message without formatting. */
export const plainTelegram = (body: string): string => {
  const { parse_mode: _, text, ...others } = fieldsOf({ statusCode: 200, body })
  const plain = String(text).replace(/\\([!-/:-@[-`{-~])/g, "$1")
  return JSON.stringify({ ...others, text: cut(plain, longestText) })
}
