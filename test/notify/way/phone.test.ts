/** Texts and calls at their providers: what is sent, who takes over, and what no error says. */
import { describe, expect, it } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import { PagingId } from "../../../schema/Ids.ts"
import { judge } from "../../../src/domain/alert/DeliveryVerdict.ts"
import { everyAddress } from "../../../src/domain/check/address/Egress.ts"
import { EgressGuard } from "../../../src/egress/EgressGuard.ts"
import type { PhoneMessage } from "../../../src/notify/way/phone/PhoneProvider.ts"
import { makePhoneWebhook } from "../../../src/notify/way/phone/PhoneWebhook.ts"
import { makeTwilio, type TwilioSettings } from "../../../src/notify/way/phone/Twilio.ts"
import { Phones } from "../../../src/notify/way/Phones.ts"
import { sms } from "../../../src/notify/way/ways/sms.ts"
import { voice } from "../../../src/notify/way/ways/voice.ts"
import { type LocalTwilio, localTwilio, spokenIn, twilioAccount } from "../../support/services/LocalTwilio.ts"
import { receiver } from "../alert/Receiver.ts"

const number = "+4930123456"
const startedAt = DateTime.unsafeMake("2026-11-20T03:00:00Z")
const pagingId = PagingId.make("pgn_01jd3k5m7n9q1s3v5x7z9b1d3f")
const callbacks = {
  news: (id: string) => `https://belltower.test/phone/twilio/${id}`,
  keys: (id: string) => `https://belltower.test/phone/twilio/${id}/keys`
}
const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`

const guard = Effect.map(Layer.build(EgressGuard.Default({ allow: everyAddress })), Context.get(EgressGuard))

const twilioAt = ({ url }: Pick<LocalTwilio, "url">, more: Partial<TwilioSettings> = {}) =>
  Effect.map(guard, (own) =>
    makeTwilio(
      {
        accountSid: twilioAccount.sid,
        authToken: Redacted.make(twilioAccount.token),
        from: "+15005550006",
        caller: null,
        url,
        ...more
      },
      callbacks,
      own
    ))

const message = (by: PhoneMessage["by"], id: PagingId | null = pagingId): PhoneMessage => ({
  by,
  pagingId: id,
  to: number,
  text: "Checkout is down",
  timeoutMs: 3000
})

describe("Twilio", () => {
  it.scopedLive("takes a text with where to report, and a call that speaks and asks for a key", () =>
    Effect.gen(function*() {
      const twilio = yield* localTwilio
      const { send } = yield* twilioAt(twilio)
      const [text, call] = [yield* send(message("sms")), yield* send(message("voice"))]
      expect(text).toMatchObject({ _tag: "Answered", statusCode: 201, reference: twilio.orders[0]?.sid })
      expect(call).toMatchObject({ _tag: "Answered", statusCode: 201, reference: twilio.orders[1]?.sid })
      expect(Object.fromEntries(twilio.orders[0]?.form ?? [])).toEqual({
        To: number,
        From: "+15005550006",
        Body: "Checkout is down",
        ValidityPeriod: "3600",
        StatusCallback: callbacks.news(pagingId)
      })
      expect(twilio.orders[1]?.form.getAll("StatusCallbackEvent")).toEqual(["initiated", "completed"])
      expect(Object.fromEntries(twilio.orders[1]?.form ?? [])).toMatchObject({
        MachineDetection: "Enable",
        AsyncAmd: "true",
        AsyncAmdStatusCallback: callbacks.news(pagingId)
      })
      expect(spokenIn(twilio.orders[1]?.content ?? "")[0]).toMatch(/^Checkout is down Press 1/)
    }))

  it.scopedLive("asks for no report about a code, and names a messaging service as one", () =>
    Effect.gen(function*() {
      const twilio = yield* localTwilio
      const service = `MG${"0".repeat(32)}`
      const { lacks, send } = yield* twilioAt(twilio, { from: service })
      yield* send(message("sms", null))
      expect(Object.fromEntries(twilio.orders[0]?.form ?? [])).toEqual({
        To: number,
        MessagingServiceSid: service,
        Body: "Checkout is down",
        ValidityPeriod: "3600"
      })
      expect([lacks("sms"), lacks("voice")]).toEqual([
        null,
        "This server has no number to call from. Set BELLTOWER_TWILIO_CALLER"
      ])
    }))

  it.scopedLive("says whether it has a text already, unless that reached nobody; of calls it cannot", () =>
    Effect.gen(function*() {
      const twilio = yield* localTwilio
      const { find = () => Effect.dieMessage("Twilio can be asked"), send } = yield* twilioAt(twilio)
      const other = { ...message("sms"), text: "Search is down" }
      yield* send(other)
      expect(yield* find(message("sms"))).toBe(null)
      yield* send(message("sms"))
      expect(yield* find(message("sms"))).toBe(twilio.orders[1]?.sid)
      yield* send(message("voice"))
      expect(yield* find(message("voice"))).toBe(null)
      twilio.orders.forEach(twilio.lose)
      expect(yield* find(message("sms"))).toBe(null)
    }))

  it.scopedLive("says what is wrong without the number, the account and the token", () =>
    Effect.gen(function*() {
      const twilio = yield* localTwilio
      const verdict = Effect.fnUntraced(function*(settings: Partial<TwilioSettings> = {}) {
        const { send } = yield* twilioAt(twilio, settings)
        return judge(yield* send(message("sms")), 1, startedAt)
      })
      twilio.refuse(number, {
        status: 400,
        code: 21610,
        message: `${number} has stopped ${twilioAccount.sid} (${number.slice(1)})`
      })
      const stopped = yield* verdict()
      expect(stopped).toMatchObject({ _tag: "Dead", isProblem: true })
      twilio.refuse(number, { status: 429, code: 20429, message: "Too many requests" })
      expect(yield* verdict()).toMatchObject({ _tag: "Again", statusCode: 429 })
      const strange = yield* verdict({ authToken: Redacted.make("token-of-nobody-at-all") })
      expect(strange).toMatchObject({ _tag: "Dead", statusCode: 401 })
      const all = JSON.stringify([stopped, strange])
      for (const hidden of [number.slice(1), twilioAccount.sid, "token-of-nobody-at-all"]) expect(all).not.toContain(hidden)
    }))
})

describe("the phone webhook", () => {
  it.scopedLive("is signed as our webhooks are, with one id for all attempts of a page", () =>
    Effect.gen(function*() {
      const hook = yield* receiver((response) => void response.writeHead(200).end("{\"id\":\"their-1\"}"))
      const { send } = makePhoneWebhook(
        { url: hook.url, secret: Redacted.make(secret) },
        "https://belltower.test/phone/news",
        yield* guard
      )
      const first = yield* send(message("voice"))
      yield* send(message("voice"))
      yield* send(message("sms", null))
      yield* send(message("sms", null))
      expect(first).toMatchObject({ _tag: "Answered", reference: "their-1" })
      const bodies = hook.seen.map(({ body, headers }) =>
        new Webhook(secret).verify(body, {
          "webhook-id": String(headers["webhook-id"]),
          "webhook-timestamp": String(headers["webhook-timestamp"]),
          "webhook-signature": String(headers["webhook-signature"])
        })
      )
      expect(bodies[0]).toEqual({
        type: "voice",
        id: pagingId,
        to: number,
        text: "Checkout is down",
        newsUrl: "https://belltower.test/phone/news"
      })
      const ids = hook.seen.map(({ headers }) => headers["webhook-id"])
      expect([ids[0] === ids[1], ids[2] === ids[3]]).toEqual([true, false])
      expect(bodies[2]).not.toHaveProperty("newsUrl")
    }))
})

describe("a server without a provider", () => {
  it.effect("says which setting helps, and sends nothing", () =>
    Effect.gen(function*() {
      expect(yield* sms.missing).toMatch(/BELLTOWER_TWILIO_ACCOUNT_SID or BELLTOWER_PHONE_WEBHOOK_URL/)
      expect(yield* voice.missing).toBe(yield* sms.missing)
      expect(yield* Phones).toBeNull()
    }))
})
