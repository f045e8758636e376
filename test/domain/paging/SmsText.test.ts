/** The text of an SMS: its alphabet, the messages it is sent as, and what is cut. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { fittingSms, plainSms, smsSize } from "../../../src/domain/paging/SmsText.ts"

const link = "https://belltower.example.com/ack/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
const rest = `. Since 03:12 UTC. Acknowledge: ${link}`

/** What names are made of that is hard: other scripts, halves of pairs, signs of two places, line breaks. */
const signs = FastCheck.constantFrom(..."abc XYZ.€~[яŁé…“🔥👩‍💻漢\n\t\u0000\u200f", "\ud83d", "\udd25")
const titles = FastCheck.array(signs, { maxLength: 300 }).map((parts) => parts.join(""))

describe("an SMS", () => {
  it("has 160 characters of the 7-bit alphabet, or 70 of any other, and several share a header", () => {
    expect(smsSize("a".repeat(160))).toEqual({ alphabet: "GSM-7", units: 160, messages: 1 })
    expect(smsSize("a".repeat(161))).toEqual({ alphabet: "GSM-7", units: 161, messages: 2 })
    expect(smsSize("a".repeat(306)).messages).toBe(2)
    expect(smsSize("a".repeat(307)).messages).toBe(3)
    expect(smsSize("я".repeat(70))).toEqual({ alphabet: "UCS-2", units: 70, messages: 1 })
    expect(smsSize("я".repeat(71)).messages).toBe(2)
    expect(smsSize("я".repeat(135)).messages).toBe(3)
  })

  it("counts signs of the second table twice, pairs of UTF-16 as two, and splits neither", () => {
    expect(smsSize("€".repeat(80))).toEqual({ alphabet: "GSM-7", units: 160, messages: 1 })
    expect(smsSize("€".repeat(81)).messages).toBe(2)
    // 153 places hold 76 of them.
    expect(smsSize("€".repeat(152)).messages).toBe(2)
    expect(smsSize("€".repeat(153)).messages).toBe(3)
    expect(smsSize("😀".repeat(35))).toEqual({ alphabet: "UCS-2", units: 70, messages: 1 })
    expect(smsSize("😀".repeat(67)).messages).toBe(3)
  })

  it("loses accents and signs, and keeps letters of other scripts", () => {
    expect(plainSms("Zażółć “API” – naïve…\n🔥 down")).toBe("Zazolc \"API\" - naive... down")
    expect(plainSms("Größe für £5 @ Øre")).toBe("Größe für £5 @ Øre")
    expect(plainSms("Платёж недоступен 🔥")).toBe("Платёж недоступен 🔥")
  })

  it("about a page is one message with its whole link, also with an accent, and the title is cut for that", () => {
    expect(fittingSms("Checkout is down", rest)).toBe(`Checkout is down${rest}`)
    expect(smsSize(fittingSms("Café “Łódź” is down", rest))).toMatchObject({ alphabet: "GSM-7", messages: 1 })
    const long = fittingSms(`Checkout in the shop of ${"a customer ".repeat(20)}is down`, rest)
    expect(smsSize(long).messages).toBe(1)
    expect(long).toMatch(/^Checkout in the shop of a customer/)
    expect(long.endsWith(`...${rest}`)).toBe(true)
  })

  it("in another script is as few messages as leave the title readable", () => {
    const text = fittingSms("Платёжный шлюз недоступен", rest)
    expect(smsSize(text)).toMatchObject({ alphabet: "UCS-2", messages: 2 })
    expect(text).toContain("Платёжный шлюз недоступен")
  })

  it("never loses a part of its link, and is at most three messages", () => {
    FastCheck.assert(FastCheck.property(titles, (title) => {
      const text = fittingSms(title, rest)
      return text.endsWith(rest) && smsSize(text).messages <= 3 && !/[\r\n]/.test(text)
    }))
  })
})
