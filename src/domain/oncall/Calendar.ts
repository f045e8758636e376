/** The shifts of a schedule as an iCalendar feed (RFC 5545), for the calendars of the people on call. */
import { DateTime } from "effect"

interface CalendarShift {
  /** Stays the same while the shift does, so that calendars update the event instead of adding one. */
  readonly uid: string
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
  readonly summary: string
}

/** RFC 5545, section 3.3.11. Control characters other than line breaks are not allowed. */
const escaped = (text: string): string =>
  text.replace(/\r\n?|\n/g, "\n").replace(/[^\P{Cc}\n\t]/gu, "").replace(/[\\;,]/g, "\\$&").replaceAll("\n", "\\n")

const stamp = (at: DateTime.Utc): string => DateTime.formatIso(at).slice(0, 19).replace(/[-:]/g, "") + "Z"

/** The most octets of a line (RFC 5545, section 3.1). The space that continues a line counts. */
const longestLine = 75

/** Folds a line after whole characters. */
const folded = (line: string): string => {
  let text = ""
  let octets = 0
  for (const char of line) {
    const size = Buffer.byteLength(char)
    if (octets + size > longestLine) {
      text += "\r\n "
      octets = 1
    }
    text += char
    octets += size
  }
  return text
}

const eventLines = ({ end, start, summary, uid }: CalendarShift, now: DateTime.Utc): ReadonlyArray<string> => [
  "BEGIN:VEVENT",
  `UID:${uid}`,
  `DTSTAMP:${stamp(now)}`,
  `DTSTART:${stamp(start)}`,
  `DTEND:${stamp(end)}`,
  `SUMMARY:${escaped(summary)}`,
  "TRANSP:TRANSPARENT",
  "END:VEVENT"
]

/** The feed as text. Calendars are asked to read it again after an hour. */
export const calendarText = (
  { name, shifts }: { readonly name: string; readonly shifts: ReadonlyArray<CalendarShift> },
  now: DateTime.Utc
): string =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Belltower//On-call//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    `NAME:${escaped(name)}`,
    `X-WR-CALNAME:${escaped(name)}`,
    "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    "X-PUBLISHED-TTL:PT1H",
    ...shifts.flatMap((shift) => eventLines(shift, now)),
    "END:VCALENDAR"
  ].map((line) => `${folded(line)}\r\n`).join("")
