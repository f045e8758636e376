import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck } from "effect"
import { calendarText } from "../../../src/domain/oncall/Calendar.ts"

const now = DateTime.unsafeMake("2026-11-20T08:00:00Z")
const shift = (summary: string) => ({ uid: "one@belltower", start: now, end: DateTime.add(now, { days: 7 }), summary })

/** The value of a property, as a reader of RFC 5545 sees it. */
const read = (text: string, name: string): string | undefined =>
  text.replaceAll("\r\n ", "").split("\r\n").find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1)
    .replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char))

describe("a calendar feed", () => {
  it("has lines of at most 75 octets that end in CRLF, whatever its texts are", () => {
    FastCheck.assert(FastCheck.property(FastCheck.string({ unit: "binary", maxLength: 300 }), (summary) => {
      const text = calendarText({ name: summary, shifts: [shift(summary)] }, now)
      expect(text.endsWith("END:VCALENDAR\r\n")).toBe(true)
      for (const line of text.slice(0, -2).split("\r\n")) {
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
        expect(line).not.toMatch(/[\r\n]/)
      }
      expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(summary.includes("BEGIN:VEVENT") ? 2 : 1)
    }))
  })

  it("gives texts back as they were", () => {
    FastCheck.assert(FastCheck.property(FastCheck.string({ unit: "grapheme", maxLength: 200 }), (summary) => {
      const text = calendarText({ name: "x", shifts: [shift(summary)] }, now)
      expect(read(text, "SUMMARY")).toBe(summary)
    }))
  })

  it("gives times in UTC", () => {
    const text = calendarText({ name: "Platform, \"A\"; B", shifts: [shift("Sam")] }, now)
    expect([read(text, "DTSTART"), read(text, "DTEND")]).toEqual(["20261120T080000Z", "20261127T080000Z"])
  })
})
