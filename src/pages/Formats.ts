/** Formats dates, numbers and durations for a language and a time zone. */
import { DateTime } from "effect"
import type { Language } from "../../schema/page/Page.ts"
import { durationInLanguage } from "../domain/page/Languages.ts"

export interface Formats {
  /** `20 Nov 2026, 10:33 UTC` */
  readonly moment: (at: DateTime.Utc) => string
  /** A time range; parts that both ends share appear once: `20 Nov 2026, 09:30 – 12:00 UTC`. */
  readonly period: (from: DateTime.Utc, to: DateTime.Utc) => string
  /** `20 November 2026` */
  readonly date: (at: DateTime.Utc) => string
  /** A calendar day, given as YYYY-MM-DD: `20 Nov 2026`. */
  readonly day: (date: string) => string
  /** A calendar month, given as YYYY-MM: `November 2026`. */
  readonly month: (month: string) => string
  /** A percentage from 0 to 100, rounded down: `99.98%`. */
  readonly percent: (figure: number) => string
  /** A response time in milliseconds: `142 ms`, `1.2 sec`. */
  readonly millis: (figure: number) => string
  /** The present moment in a word. */
  readonly now: string
  readonly count: (figure: number) => string
  /** A duration in seconds, in its two largest units: `1 hr 12 min`. */
  readonly duration: (seconds: number) => string
  /** Names joined for a sentence: `A, B and C`. */
  readonly list: (names: ReadonlyArray<string>) => string
}

export const makeFormats = (language: Language, timeZone: string): Formats => {
  const moment = new Intl.DateTimeFormat(language, {
    timeZone,
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short"
  })
  const date = new Intl.DateTimeFormat(language, { timeZone, dateStyle: "long" })
  const day = new Intl.DateTimeFormat(language, { timeZone: "UTC", dateStyle: "medium" })
  const month = new Intl.DateTimeFormat(language, { timeZone: "UTC", month: "long", year: "numeric" })
  const whole = new Intl.NumberFormat(language, { style: "percent" })
  const percent = new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const millis = new Intl.NumberFormat(language, { style: "unit", unit: "millisecond", maximumFractionDigits: 0 })
  const seconds = new Intl.NumberFormat(language, { style: "unit", unit: "second", maximumFractionDigits: 1 })
  const count = new Intl.NumberFormat(language)
  const list = new Intl.ListFormat(language, { style: "long", type: "conjunction" })
  return {
    moment: (at) => moment.format(DateTime.toDateUtc(at)),
    period: (from, to) => moment.formatRange(DateTime.toDateUtc(from), DateTime.toDateUtc(to)),
    date: (at) => date.format(DateTime.toDateUtc(at)),
    day: (iso) => day.format(DateTime.toDateUtc(DateTime.unsafeMake(iso))),
    month: (iso) => month.format(DateTime.toDateUtc(DateTime.unsafeMake(`${iso}-01`))),
    // Rounded down: only a component without any downtime shows 100%.
    percent: (figure) => figure >= 100 ? whole.format(1) : percent.format(Math.floor(figure * 100 + 1e-6) / 10_000),
    millis: (figure) => figure < 1000 ? millis.format(figure) : seconds.format(figure / 1000),
    now: new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(0, "second"),
    count: (figure) => count.format(figure),
    duration: durationInLanguage(language),
    list: (names) => list.format(names)
  }
}
