import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import type { ServerResponse } from "node:http"
import { mask } from "../../../schema/Mask.ts"
import { telegram } from "../../../src/notify/alert/channels/telegram.ts"
import { acknowledged, attempt, awkward, down, ping, up } from "./ChannelAttempt.ts"
import { type Received, receiver } from "./Receiver.ts"

/** The entities that the messages use, then characters that MarkdownV2 reserves and a message must escape. */
const isMarkdownV2 = (text: string): boolean => {
  const plain = text.replace(/\\[!-/:-@[-`{-~]/g, "").replace(/\[[^[\]]+\]\([^()\s]+\)/g, "").replace(/\*[^*]+\*/g, "")
  return !/[\\_*[\]()~`>#+\-=|{}.!]/.test(plain)
}

/** The Bot API: one known bot, one chat that it is a member of. */
const botApi = (response: ServerResponse, _: number, { body, path }: Received): void => {
  const answer = (status: number, more: object) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ ok: status === 200, ...more }))
  if (path !== "/bot123:good/sendMessage") return answer(401, { error_code: 401, description: "Unauthorized" })
  const { chat_id: chat, parse_mode: mode, text } = JSON.parse(body)
  if (chat === "busy") return answer(429, { error_code: 429, description: "Too Many Requests", parameters: { retry_after: 70 } })
  if (chat === "left") return answer(403, { error_code: 403, description: "Forbidden: bot was kicked from the group chat" })
  if (chat !== "-100") return answer(400, { error_code: 400, description: "Bad Request: chat not found" })
  if (mode !== "MarkdownV2" || !isMarkdownV2(text)) return answer(400, { error_code: 400, description: "can't parse entities" })
  return answer(200, { result: { message_id: 1 } })
}

const sendTo = (base: string, chatId: string, event = down, botToken = "123:good") =>
  attempt(telegram, { botToken, chatId }, event, { telegram: base })

describe("a Telegram channel", () => {
  it.scopedLive("sends MarkdownV2 that Telegram can parse, whatever the names hold", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(botApi)
      const base = new URL(url).origin
      for (const event of [down, up, ping, acknowledged]) {
        expect((yield* sendTo(base, "-100", event)).verdict).toMatchObject({ _tag: "Delivered" })
      }
      const { text } = JSON.parse(seen[0]?.body ?? "")
      expect(text.replace(/\\(.)/g, "$1")).toContain(`${awkward} is down`)
    }))

  it.scopedLive("waits as long as the body of a 429 asks", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(botApi)
      const { answer, verdict } = yield* sendTo(new URL(url).origin, "busy")
      expect(answer._tag === "Answered" ? Option.getOrNull(answer.retryAfter) : null).toEqual(Duration.seconds(70))
      expect(verdict).toMatchObject({ _tag: "Again", at: { epochMillis: Date.parse("2026-11-20T08:01:10Z") } })
    }))

  it.scopedLive("gives up on a wrong token, an unknown chat and a chat that removed the bot, and says which", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(botApi)
      const base = new URL(url).origin
      const error = (work: ReturnType<typeof sendTo>) =>
        Effect.map(work, ({ verdict }) => (verdict._tag === "Dead" ? verdict.error : verdict._tag))
      expect(yield* error(sendTo(base, "-100", down, "123:bad"))).toContain("does not know the bot token")
      expect(yield* error(sendTo(base, "-200"))).toContain("check chatId")
      expect(yield* error(sendTo(base, "left"))).toContain("removed the bot")
    }))

  it.scopedLive("stores its token sealed and shows a mask, and refuses a token that would change the path", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(botApi)
      const { body, stored } = yield* sendTo(new URL(url).origin, "-100")
      expect(stored).toMatchObject({ shown: { botToken: mask, chatId: "-100" }, sealed: { botToken: "123:good" } })
      expect(body).not.toContain("123:good")
      expect(yield* Effect.flip(sendTo(new URL(url).origin, "-100", down, "1/../x"))).toMatchObject([{ path: "botToken" }])
    }))
})
