/** The buttons of messages in chats, and what Slack and Telegram report about them. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Option } from "effect"
import * as fc from "fast-check"
import { slackMessage } from "../../../src/domain/alert/SlackMessage.ts"
import { telegramMessage } from "../../../src/domain/alert/TelegramMessage.ts"
import { actionsLeft, standingText } from "../../../src/domain/chat/ChatActions.ts"
import { chatPage } from "../../../src/domain/chat/ChatPage.ts"
import { slackStanding, withSlackButtons } from "../../../src/domain/chat/SlackButtons.ts"
import { isFromSlack, slackPress, slackSignature } from "../../../src/domain/chat/SlackRequests.ts"
import { telegramStanding, telegramUpdate, withoutTelegramButtons } from "../../../src/domain/chat/TelegramUpdates.ts"
import { blocksOf, buttonsOf } from "../../support/services/LocalSlack.ts"

const id = "inc_01k9x2m4q8e7s9v3bthn5wza6c"
const at = DateTime.unsafeMake("2026-11-20T03:12:00Z")

const page = chatPage({
  title: "Checkout is down",
  text: "You are paged about it.",
  startedAt: at,
  incidentLink: `https://belltower.test/app/incidents/${id}`,
  acknowledgeLink: "https://belltower.test/ack/token"
})

const open = { id, status: "investigating", acknowledgement: null, resolvedAt: null } as const
const taken = { ...open, acknowledgement: { at, by: "ada@example.com", via: "slack" } } as const
const over = { ...taken, status: "resolved", resolvedAt: at } as const

describe("the buttons of an incident", () => {
  it("are those that still do something", () => {
    expect([open, taken, over].map(actionsLeft)).toEqual([["acknowledge", "resolve", "escalate"], ["resolve", "escalate"], []])
    expect(standingText(taken)).toMatch(/^Acknowledged by ada@example\.com, .*03:12/)
    expect(standingText(over)).toMatch(/^Resolved, .*03:12/)
  })

  it("take the place of the link in Slack, and one line says how it stands, however often that changes", () => {
    const plain = JSON.stringify(slackMessage(page))
    expect(buttonsOf(JSON.parse(plain))).toEqual(["Acknowledge"])
    const shown = JSON.parse(withSlackButtons(plain))
    expect(buttonsOf(shown)).toEqual(["Acknowledge", "Resolve", "Escalate", "Open"])
    const after = slackStanding(shown, taken, "Acknowledged by <ada>")
    const last = slackStanding(JSON.parse(JSON.stringify(after)), over, "Resolved")
    expect([buttonsOf(after), buttonsOf(last)]).toEqual([["Resolve", "Escalate", "Open"], ["Open"]])
    expect(JSON.stringify(after)).toContain("Acknowledged by &lt;ada&gt;")
    expect(blocksOf(last).filter(({ type }) => type === "context")).toHaveLength(1)
    // A button of another incident leaves the message as it is.
    expect(buttonsOf(slackStanding(shown, { ...over, id: "inc_other" }, "Resolved"))).toHaveLength(4)
  })

  it("fit below messages of Telegram, and can be left out", () => {
    const body = JSON.stringify(telegramMessage(page))
    const [row = []] = JSON.parse(body).reply_markup.inline_keyboard
    for (const { callback_data: data } of row) expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64)
    expect(JSON.parse(withoutTelegramButtons(body)).reply_markup).toBeUndefined()
  })
})

describe("a report of Slack", () => {
  it("is believed with the signature over its exact body, for five minutes", () => {
    const now = 1_800_000_000_000
    fc.assert(fc.property(fc.string(), fc.string({ minLength: 1 }), fc.integer({ min: -600, max: 600 }), (body, secret, late) => {
      const timestamp = String(now / 1000 - late)
      const signature = slackSignature(secret, timestamp, body)
      expect(isFromSlack(["other", secret], { timestamp, signature }, body, now)).toBe(Math.abs(late) <= 300)
      expect(isFromSlack([secret], { timestamp, signature }, `${body}x`, now)).toBe(false)
      expect(isFromSlack([`${secret}x`], { timestamp, signature }, body, now)).toBe(false)
      expect(isFromSlack([], { timestamp, signature }, body, now)).toBe(false)
      expect(isFromSlack([secret], { timestamp: `${timestamp}.0`, signature }, body, now)).toBe(false)
    }))
    // The example of its documentation.
    expect(slackSignature(
      "8f742231b10e8888abcd99yyyzzz85a5",
      "1531420618",
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar" +
        "&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com" +
        "%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121." +
        "803a0bc887a14d10d2c447fce8b6703c"
    )).toBe("v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503")
  })

  it("that is anything but the press of one of our buttons is none", () => {
    fc.assert(fc.property(fc.jsonValue(), (payload) => {
      expect(Option.isNone(slackPress(new URLSearchParams({ payload: JSON.stringify(payload) }).toString()))).toBe(true)
    }))
  })
})

describe("an update of Telegram", () => {
  it("that is neither a press nor a start in a private chat is none", () => {
    fc.assert(fc.property(fc.jsonValue(), (update) => {
      expect(Option.isNone(telegramUpdate(JSON.stringify(update)))).toBe(true)
    }))
    const written = (text: string, type = "private") =>
      telegramUpdate(JSON.stringify({ message: { text, chat: { id: 42, type } } }))
    expect(Option.getOrNull(written("/start abc_-1"))).toEqual({ _tag: "Start", chatId: "42", payload: "abc_-1" })
    expect(Option.getOrNull(written("/start"))).toMatchObject({ payload: "" })
    for (const one of [written("/start abc", "group"), written("hello"), written("/started"), written("/start a b")]) {
      expect(Option.isNone(one)).toBe(true)
    }
  })

  it("leads to an edit within Telegram's limits that replaces the line of the edit before", () => {
    const press = (text: string) => ({
      _tag: "Press",
      id: "1",
      action: "resolve",
      incidentId: id,
      from: "42",
      botId: "7",
      message: {
        message_id: 5,
        chat: { id: -100 },
        text,
        entities: [{ type: "bold", offset: 0, length: 4 }, { type: "bold", offset: 0, length: 9999 }]
      }
    } as const)
    const first = telegramStanding(press("Down"), taken, "Acknowledged by ada")
    expect(first).toMatchObject({
      chat_id: -100,
      message_id: 5,
      text: "Down\n\n➜ Acknowledged by ada",
      entities: [{ length: 4 }]
    })
    expect(telegramStanding(press(String(first["text"])), over, "Resolved")["text"]).toBe("Down\n\n➜ Resolved")
    expect(String(telegramStanding(press("x".repeat(5000)), over, "Resolved")["text"]).length).toBeLessThanOrEqual(4096)
  })
})
