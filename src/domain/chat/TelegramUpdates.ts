/** Updates that Telegram sends to this server for a bot (https://core.telegram.org/bots/api#update), and the buttons of its messages. */
import { Option, Schema } from "effect"
import { fieldsOf } from "../alert/answers/ServiceAnswer.ts"
import { type Loose, recordOf, recordsOf, textAt } from "../import/Loose.ts"
import { cut } from "../tools/text/TrimText.ts"
import { actionLabels, actionsLeft, ChatAction, everyAction } from "./ChatActions.ts"

type Incident = Parameters<typeof actionsLeft>[0] & { readonly id: string }

/** At most 64 bytes. */
const dataOf = (action: ChatAction, incidentId: string): string => `${action} ${incidentId}`

const keyboard = (actions: ReadonlyArray<ChatAction>, incidentId: string): Loose => ({
  inline_keyboard: actions.length === 0
    ? []
    : [actions.map((action) => ({ text: actionLabels[action], callback_data: dataOf(action, incidentId) }))]
})

/** The buttons below a message about an incident. */
export const telegramButtons = (incidentId: string): Loose => keyboard(everyAction, incidentId)

/** A message for a bot that takes no presses. */
export const withoutTelegramButtons = (body: string): string => {
  if (!body.includes("\"reply_markup\":")) return body
  const { reply_markup: _, ...message } = fieldsOf({ statusCode: 200, body })
  return JSON.stringify(message)
}

/** A pressed button. A client can send any data, so nothing is believed but who pressed. */
export interface TelegramPress {
  readonly _tag: "Press"
  readonly id: string
  readonly action: ChatAction
  readonly incidentId: string
  /** The person. Their chat with the bot has the same id. */
  readonly from: string
  /** The bot, by the number that its token begins with; null in a broadcast channel, which hides it. */
  readonly botId: string | null
  readonly message: Loose
}

/** A person has started the bot, with what the link of a contact way gave them. */
export interface TelegramStart {
  readonly _tag: "Start"
  readonly chatId: string
  /** Empty without a link. */
  readonly payload: string
}

const decodeAction = Schema.decodeUnknownOption(ChatAction)

const pressOf = (query: Loose): Option.Option<TelegramPress> => {
  const [action, incidentId = ""] = (textAt(query, "data") ?? "").split(" ")
  const message = recordOf(query["message"])
  const [id, from] = [textAt(query, "id"), textAt(recordOf(query["from"]), "id")]
  const botId = textAt(recordOf(message["from"]), "id")
  return id === null || from === null
    ? Option.none()
    : Option.map(decodeAction(action), (known) => ({ _tag: "Press", id, action: known, incidentId, from, botId, message }))
}

const startOf = (message: Loose): Option.Option<TelegramStart> => {
  const chat = recordOf(message["chat"])
  const started = /^\/start(?: ([\w-]{1,64}))?$/.exec(textAt(message, "text") ?? "")
  const chatId = textAt(chat, "id")
  // A group would be paged in the name of one person.
  return chatId === null || chat["type"] !== "private" || started === null
    ? Option.none()
    : Option.some({ _tag: "Start", chatId, payload: started[1] ?? "" })
}

/** The update in a body; none for those that this server does not follow. */
export const telegramUpdate = (body: string): Option.Option<TelegramPress | TelegramStart> => {
  const update = fieldsOf({ statusCode: 200, body })
  const query = recordOf(update["callback_query"])
  return "id" in query ? pressOf(query) : startOf(recordOf(update["message"]))
}

/** Telegram's limit of a message. */
const longestText = 4096

/** Begins what this server adds to a message. */
const mark = "\n\n➜ "

/** An edit of the message: its text as it was, then `line`, which says how its incident stands, and the buttons that are left. */
export const telegramStanding = ({ message }: TelegramPress, incident: Incident, line: string): Loose => {
  const text = typeof message["text"] === "string" ? message["text"] : ""
  const before = text.split(mark)[0] ?? ""
  const said = `${mark}${cut(line, 500)}`
  const kept = cut(before, longestText - said.length)
  const entities = recordsOf(message["entities"]).filter(({ length, offset }) =>
    typeof length === "number" && typeof offset === "number" && offset + length <= kept.length
  )
  return {
    chat_id: recordOf(message["chat"])["id"],
    message_id: message["message_id"],
    text: `${kept}${said}`,
    entities,
    link_preview_options: { is_disabled: true },
    reply_markup: keyboard(actionsLeft(incident), incident.id)
  }
}

/** The answer to a press, which is shown above the chat: to the presser only. As the answer to the update, it needs no token. */
export const telegramAnswer = ({ id }: TelegramPress, text: string, isAlert: boolean): Loose => ({
  method: "answerCallbackQuery",
  callback_query_id: id,
  text: cut(text, 200),
  show_alert: isAlert
})

export const telegramReply = (chatId: string, text: string): Loose => ({ method: "sendMessage", chat_id: chatId, text })
