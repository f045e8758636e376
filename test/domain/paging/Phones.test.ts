/** Numbers that are paged, what is spoken, and what a provider says. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Either, FastCheck } from "effect"
import { isSigned, makeSecret, signedHeaders } from "../../../src/domain/alert/Signature.ts"
import { hiddenNumber, numberRefusal, parsePhonePrefixes } from "../../../src/domain/paging/PhoneNumbers.ts"
import { askingTwiml, endingTwiml, spokenCode, spokenPage } from "../../../src/domain/paging/SpokenPage.ts"
import { isFromTwilio, twilioNews, twilioSignature } from "../../../src/domain/paging/TwilioRequests.ts"
import { keysAt, spokenIn } from "../../support/services/LocalTwilio.ts"

const signs = FastCheck.constantFrom(..."ab<>&\"'/é漢🔥\u0000\u001b\r\n\ufffe", "</Say>", "]]>", "<!--", "&amp;", "\ud83d")

describe("a number", () => {
  it("is paged in any country, unless calls there cost extra", () => {
    expect(["+4930123456", "+14155550100", "+447700900123", "+33612345678", "+3292345678"].map((one) => numberRefusal(one, [])))
      .toEqual([null, null, null, null, null])
    for (const costly of ["+19005550100", "+449098790000", "+447012345678", "+49900123456", "+97912345678", "+881612345678"]) {
      expect([costly, numberRefusal(costly, [])]).toEqual([costly, "Calls to this number cost extra; enter an ordinary one"])
    }
  })

  it("is paged only below the prefixes that the operator allows, which may name a costly network", () => {
    const allowed = Either.getOrThrow(parsePhonePrefixes(["+49", "+8816"]))
    expect(numberRefusal("+4930123456", allowed)).toBeNull()
    expect(numberRefusal("+881612345678", allowed)).toBeNull()
    expect(numberRefusal("+49900123456", allowed)).toMatch(/cost extra/)
    expect(numberRefusal("+14155550100", allowed)).toBe("This server pages only numbers that begin with +49, +8816")
    expect(Either.isLeft(parsePhonePrefixes(["49"]))).toBe(true)
  })

  it("is shown without its middle", () => expect(hiddenNumber("+4930123456")).toBe("+49 ••• 456"))
})

const startedAt = DateTime.unsafeMake("2026-11-20T03:12:00Z")

describe("a call", () => {
  it("speaks the page twice, and asks for one key", () => {
    const keys = "https://belltower.test/phone/twilio/pgn_1/keys"
    const twiml = askingTwiml(spokenPage({ title: "Checkout is down", startedAt }), keys)
    const page = "Alert from Belltower. Checkout is down. Since 03:12 UTC. " +
      "Press 1 to acknowledge. Press another key to hear it again."
    expect(spokenIn(twiml)).toEqual([page, page, "No key was pressed. Goodbye."])
    expect(twiml).toContain("numDigits=\"1\"")
    expect(keysAt(twiml)).toBe(keys)
  })

  it("cannot be changed by a name", () => {
    const title = "</Say><Dial>+19005550100</Dial><Say> & \"x\" '\u0000\ud800"
    const twiml = askingTwiml(spokenPage({ title, startedAt }), "https://belltower.test/?a=1&b=2")
    expect(twiml.match(/<\/?[A-Za-z]+/g)).toEqual(
      ["<Response", "<Gather", "<Say", "</Say", "<Pause", "<Say", "</Say", "</Gather", "<Say", "</Say", "</Response"]
    )
    expect(spokenIn(twiml)[0]).toContain("</Say><Dial>+19005550100</Dial>")
    const form = /^<\?xml [^<]*\?><Response><Say>[^<]*<\/Say><Hangup\/><\/Response>$/
    FastCheck.assert(FastCheck.property(FastCheck.array(signs, { maxLength: 40 }), (parts) => {
      const twiml = endingTwiml(parts.join(""))
      return form.test(twiml) && !/[\p{Cc}\p{Cs}]/u.test(twiml)
    }))
  })

  it("speaks the digits of a code one by one", () =>
    expect(spokenCode("012345")).toBe("Your code for Belltower is 0, 1, 2, 3, 4, 5."))
})

describe("a request of Twilio", () => {
  const url = "https://mycompany.com/myapp.php?foo=1&bar=2"
  const fields = new URLSearchParams({
    CallSid: "CA1234567890ABCDE",
    Caller: "+14158675309",
    Digits: "1234",
    From: "+14158675309",
    To: "+18005551212"
  })

  it("is signed over its address and its fields", () => {
    // The example of Twilio's own libraries.
    expect(twilioSignature("12345", url, fields)).toBe("RSOYDt4T1cUTdK1PDd93/VVr8B8=")
    expect(isFromTwilio("12345", url, fields, "RSOYDt4T1cUTdK1PDd93/VVr8B8=")).toBe(true)
    const others = new URLSearchParams({ ...Object.fromEntries(fields), Digits: "1" })
    expect([
      isFromTwilio("12346", url, fields, "RSOYDt4T1cUTdK1PDd93/VVr8B8="),
      isFromTwilio("12345", `${url}3`, fields, "RSOYDt4T1cUTdK1PDd93/VVr8B8="),
      isFromTwilio("12345", url, others, "RSOYDt4T1cUTdK1PDd93/VVr8B8="),
      isFromTwilio("12345", url, fields, "")
    ]).toEqual([false, false, false, false])
  })

  const stateOf = (given: Readonly<Record<string, string>>) => twilioNews(new URLSearchParams(given))

  it("says that a text arrived only when the phone has confirmed it, and a call only when a person answered", () => {
    expect(["accepted", "queued", "sending", "sent", "delivered"].map((MessageStatus) => stateOf({ MessageStatus })?.state))
      .toEqual(["handed_over", "handed_over", "handed_over", "handed_over", "received"])
    expect(["ringing", "in-progress", "completed"].map((CallStatus) => stateOf({ CallStatus })?.state))
      .toEqual(["handed_over", "handed_over", "handed_over"])
    expect(stateOf({ CallStatus: "in-progress", AnsweredBy: "human" })?.state).toBe("received")
    expect(stateOf({ AnsweredBy: "machine_end_beep" })).toEqual({ state: "failed", error: "An answering machine took the call" })
    expect(stateOf({ AnsweredBy: "unknown" })).toBeNull()
  })

  it("says why a text or a call failed", () => {
    expect(["busy", "no-answer", "canceled", "failed"].map((CallStatus) => stateOf({ CallStatus })?.error)).toEqual([
      "The line was busy",
      "Nobody answered the call",
      "The call was canceled",
      "Twilio could not hand it over"
    ])
    expect(stateOf({ MessageStatus: "undelivered", ErrorCode: "30003" })?.error)
      .toBe("The text was not delivered: the phone is off or out of reach")
    expect(stateOf({ MessageStatus: "failed", ErrorCode: "99" })?.error).toBe("Twilio could not hand it over: error 99")
  })
})

describe("a message of the phone webhook's receiver", () => {
  it("is believed for five minutes, and by its secret", () => {
    const [secret, other] = [makeSecret(new Uint8Array(24).fill(1)), makeSecret(new Uint8Array(24).fill(2))]
    const now = 1_800_000_000_000
    const body = "{\"id\":\"pgn_1\",\"state\":\"received\"}"
    const headers = signedHeaders([{ secret, until: null }], { id: "msg_1", body }, now)
    const given = {
      id: headers["webhook-id"],
      timestamp: headers["webhook-timestamp"],
      signatures: `v1,AAAA ${headers["webhook-signature"]}`
    }
    expect([
      isSigned(secret, given, body, now + 299_000),
      isSigned(secret, given, body, now + 301_000),
      isSigned(secret, given, body, now - 301_000),
      isSigned(other, given, body, now),
      isSigned(secret, given, `${body} `, now),
      isSigned(secret, { ...given, id: "msg_2" }, body, now),
      isSigned(secret, { ...given, signatures: "" }, body, now)
    ]).toEqual([true, false, false, false, false, false, false])
  })
})
