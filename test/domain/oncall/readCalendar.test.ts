/** What is read of calendars: our own feed, series with exceptions, zones, and texts that are none. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc } from "effect"
import { calendarText } from "../../../src/domain/oncall/Calendar.ts"
import { namedIn, readCalendar } from "../../../src/domain/oncall/ReadCalendar.ts"

const at = (iso: string) => DateTime.unsafeMake(iso)
const range = { from: at("2026-03-20T00:00:00Z"), to: at("2026-06-20T00:00:00Z") }
const calendar = (...events: ReadonlyArray<ReadonlyArray<string>>) =>
  ["BEGIN:VCALENDAR", ...events.flatMap((lines) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"]), "END:VCALENDAR", ""].join("\r\n")
const read = (...events: ReadonlyArray<ReadonlyArray<string>>) => {
  const found = readCalendar(calendar(...events), "Europe/Berlin", range)
  return {
    times: found?.events.map(({ end, start }) => [start, end].map((one) => DateTime.formatIso(one).slice(0, 16)).join(" ")),
    reasons: found?.unread.map(({ reason }) => reason)
  }
}

describe("a calendar of others", () => {
  it("is what our own feed says, whatever the names are", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 1, max: 1e5 }), fc.string({ unit: "grapheme" }))),
        (shifts) => {
          const now = at("2026-03-20T00:00:00Z")
          const written = shifts.map(([from, minutes, name], index) => ({
            uid: String(index),
            start: DateTime.add(now, { minutes: from }),
            end: DateTime.add(now, { minutes: from + minutes }),
            summary: `x${name.replace(/[\p{Cc}\p{Cs}\\]/gu, "")}x`.slice(0, 150)
          }))
          const found = readCalendar(calendarText({ name: "Platform", shifts: written }, now), "UTC", range)
          expect(found?.unread).toEqual([])
          expect(found?.events.map(({ end, start, summary }) => [start, end, summary]))
            .toEqual(written.map(({ end, start, summary }) => [start, end, summary]))
        }
      ),
      { numRuns: 100 }
    )
  })

  it("has times of a zone, of the schedule's, in UTC, of whole days, and with a duration", () => {
    expect(read(
      ["DTSTART;TZID=America/New_York:20260401T090000", "DTEND;TZID=America/New_York:20260401T170000"],
      ["DTSTART;TZID=Eastern Standard Time:20260401T090000", "DTEND;TZID=Eastern Standard Time:20260401T170000"],
      ["DTSTART:20260401T090000", "DURATION:PT8H"],
      ["DTSTART:20260401T090000Z", "DTEND:20260401T170000Z"],
      ["DTSTART;VALUE=DATE:20260401"]
    )).toEqual({
      times: [
        "2026-04-01T13:00 2026-04-01T21:00",
        "2026-04-01T13:00 2026-04-01T21:00",
        "2026-04-01T07:00 2026-04-01T15:00",
        "2026-04-01T09:00 2026-04-01T17:00",
        "2026-03-31T22:00 2026-04-01T22:00"
      ],
      reasons: []
    })
  })

  it("has each time of a series, through a clock change, without those that are excepted or moved", () => {
    expect(read(
      [
        "UID:1",
        "DTSTART;TZID=Europe/Berlin:20260326T090000",
        "DTEND;TZID=Europe/Berlin:20260326T170000",
        "RRULE:FREQ=DAILY;COUNT=5",
        "EXDATE;TZID=Europe/Berlin:20260327T090000"
      ],
      ["UID:1", "RECURRENCE-ID;TZID=Europe/Berlin:20260329T090000", "DTSTART:20260329T120000Z", "DTEND:20260329T130000Z"],
      ["UID:2", "STATUS:CANCELLED", "DTSTART:20260329T120000Z", "DTEND:20260329T130000Z"]
    )).toEqual({
      times: [
        "2026-03-26T08:00 2026-03-26T16:00",
        "2026-03-28T08:00 2026-03-28T16:00",
        "2026-03-30T07:00 2026-03-30T15:00",
        "2026-03-29T12:00 2026-03-29T13:00"
      ],
      reasons: []
    })
  })

  it("says what cannot be read", () => {
    expect(read(
      ["DTSTART;TZID=Moon/Base:20260401T090000", "DURATION:PT8H"],
      ["DTSTART:20260401T090000"],
      ["DTSTART:20260401T090000", "DTEND:20260401T080000"],
      ["DTSTART:20260401T090000Z", "DURATION:PT8H", "RRULE:FREQ=YEARLY"],
      ["DTSTART:19700101T090000Z", "DURATION:PT8H", "RRULE:FREQ=DAILY"]
    )).toEqual({
      times: [],
      reasons: [
        "Its start, or the time zone of it, cannot be read",
        "It has no end",
        "It has no end",
        "FREQ must be DAILY, WEEKLY or MONTHLY",
        "It began more than ten years ago"
      ]
    })
    expect(readCalendar("hello", "UTC", range)).toBeNull()
  })

  it("takes hostile texts in bounded time, and never throws", () => {
    fc.assert(fc.property(fc.string({ maxLength: 2000 }), (text) => {
      readCalendar(`BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n${text}\r\nEND:VEVENT`, "UTC", range)
    }))
    const series = ["DTSTART:20170101T090000Z", "DURATION:PT1M", "RRULE:FREQ=DAILY"]
    const found = readCalendar(calendar(...Array.from({ length: 5000 }, () => series)), "UTC", range)
    expect(found?.unread).toHaveLength(1950)
    expect(found?.events.length).toBeLessThanOrEqual(50 * 200)
  })

  it("names one member: by an attendee, an address or a whole name", () => {
    const members = [
      { id: "1", name: "Sam", email: "sam@example.com" },
      { id: "2", name: "Sam Field", email: "sam.field@example.com" },
      { id: "3", name: "Álvaro Núñez", email: "al@example.com" }
    ]
    const event = (summary: string, ...attendees: ReadonlyArray<string>) => ({
      summary,
      attendees,
      start: range.from,
      end: range.to
    })
    const named = (summary: string, ...attendees: ReadonlyArray<string>) =>
      namedIn(event(summary, ...attendees), members)?.id ?? null
    expect(named("On call", "sam@example.com")).toBe("1")
    expect(named("On call: al@example.com")).toBe("3")
    expect(named("Álvaro Núñez on call: Platform")).toBe("3")
    expect(named("Samantha on call")).toBeNull()
    // Both names are in it.
    expect(named("Sam Field on call")).toBeNull()
    expect(named("Both", "sam@example.com", "al@example.com")).toBeNull()
  })
})
