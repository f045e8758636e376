/** A server with the part of Telegram's Bot API that the program uses, which reports to the bot's webhook what people press and write. */
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Json } from "../program/TestServer.ts"
import { answerDelay } from "./AnswerDelay.ts"
import { telegramProblem } from "./TelegramEntities.ts"
import { withBody } from "./WithBody.ts"

export const telegramBot = { id: "123456", token: "123456:token-of-the-local-bot", name: "acme_bot" }

interface Update {
  readonly path: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** The text that a chat shows, whose entities begin where they began. */
const plain = (text: string): string => text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/\\(.)|\*/g, "$1")

const labelsOf = ({ reply_markup: markup }: Json): ReadonlyArray<string> =>
  (markup?.inline_keyboard ?? []).flat().map(({ text }: Json) => text)

const dataOf = ({ reply_markup: markup }: Json, label: string): string =>
  (markup?.inline_keyboard ?? []).flat().find(({ text }: Json) => text === label)?.callback_data ?? ""

/** What Telegram refuses. */
const problemOf = ({ entities, parse_mode: mode, reply_markup: markup, text }: Json): string | null => {
  const buttons: ReadonlyArray<Json> = (markup?.inline_keyboard ?? []).flat()
  if (typeof text !== "string" || text === "" || text.length > 4096) return "message text is empty or too long"
  if (mode === "MarkdownV2" && telegramProblem(text) !== null) return "can't parse entities"
  if ((entities ?? []).some(({ length, offset }: Json) => offset + length > text.length)) return "ENTITY_BOUNDS_INVALID"
  return buttons.some(({ callback_data: data }) => Buffer.byteLength(data) > 64) ? "BUTTON_DATA_INVALID" : null
}

/** Runs until the scope closes. */
export const localTelegram = Effect.gen(function*() {
  const sent: Array<Json> = []
  const blocked = new Set<string>()
  const delay = answerDelay()
  const hook: { url: string; secret: string } = { url: "", secret: "" }

  const methods: Readonly<Record<string, (given: Json) => Json>> = {
    getMe: () => ({ result: { id: Number(telegramBot.id), is_bot: true, username: telegramBot.name } }),
    setWebhook: ({ secret_token: secret, url }) => {
      if (!url.startsWith("https://")) {
        return { error_code: 400, description: "Bad Request: bad webhook: An HTTPS URL must be provided" }
      }
      if (!/^[\w-]{1,256}$/.test(secret)) {
        return { error_code: 400, description: "Bad Request: secret token contains unallowed characters" }
      }
      Object.assign(hook, { url, secret })
      return { result: true }
    },
    deleteWebhook: () => {
      Object.assign(hook, { url: "", secret: "" })
      return { result: true }
    },
    sendMessage: (given) => {
      const problem = problemOf(given)
      if (problem !== null) return { error_code: 400, description: `Bad Request: ${problem}` }
      if (blocked.has(String(given.chat_id))) return { error_code: 403, description: "Forbidden: bot was blocked by the user" }
      sent.push({ ...given, shown: plain(given.text) })
      return { result: { message_id: sent.length } }
    },
    editMessageText: (given) => {
      const problem = problemOf(given)
      if (problem !== null) return { error_code: 400, description: `Bad Request: ${problem}` }
      sent[given.message_id - 1] = { ...given, shown: given.text }
      return { result: true }
    }
  }

  const answer = (path: string, body: string): Json => {
    const [, bot = "", method = ""] = path.split("/")
    if (bot !== `bot${telegramBot.token}`) return { error_code: 401, description: "Unauthorized" }
    return methods[method]?.(JSON.parse(body)) ?? { error_code: 404, description: "Not Found" }
  }

  const server = yield* Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((request, response) =>
        withBody(request, (body) => {
          const answered = answer(request.url ?? "", body)
          const status = answered.error_code ?? 200
          delay.then(() =>
            void response.writeHead(status, { "content-type": "application/json" }).end(
              JSON.stringify({ ok: status === 200, ...answered })
            )
          )
        })
      )
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        made.closeAllConnections()
        made.close()
      })
  )

  let updates = 0
  const update = (content: Json): Update => ({
    path: hook.url === "" ? "" : new URL(hook.url).pathname,
    body: JSON.stringify({ update_id: ++updates, ...content }),
    headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": hook.secret }
  })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The messages of all chats as they are now; a message's number is its place, from 1. */
    sent,
    /** People who have blocked the bot. */
    blocked,
    wait: delay.wait,
    hook,
    labels: (number: number) => labelsOf(sent[number - 1] ?? {}),
    /** What the bot's webhook gets when a person presses a button. */
    press: (number: number, label: string, from: number): Update => {
      const message = sent[number - 1] ?? {}
      return update({
        callback_query: {
          id: `press-${updates}`,
          from: { id: from, is_bot: false },
          data: dataOf(message, label),
          message: {
            message_id: number,
            from: { id: Number(telegramBot.id), is_bot: true },
            chat: { id: message.chat_id },
            text: message.shown,
            entities: [{ type: "bold", offset: 0, length: 2 }]
          }
        }
      })
    },
    /** What it gets when a person writes to the bot. */
    write: (from: number, text: string, type = "private"): Update =>
      update({ message: { message_id: 1, from: { id: from }, chat: { id: type === "private" ? from : -100, type }, text } })
  }
})
export type LocalTelegram = Effect.Effect.Success<typeof localTelegram>
