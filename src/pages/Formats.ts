/** Formats dates, numbers and durations for a language and a time zone. */
import { DateTime } from "effect"
import type { Language } from "../../schema/page/Page.ts"
import { durationInLanguage } from "../domain/page/Languages.ts"
import { isolated } from "../domain/tools/Direction.ts"

export const makeFormats = (language: Language, timeZone: string) => {
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
    /** `20 Nov 2026, 10:33 UTC` */
    moment: (at: DateTime.Utc): string => moment.format(DateTime.toDateUtc(at)),
    /** A time range; parts that both ends share appear once: `20 Nov 2026, 09:30 – 12:00 UTC`. */
    period: (from: DateTime.Utc, to: DateTime.Utc): string =>
      moment.formatRange(DateTime.toDateUtc(from), DateTime.toDateUtc(to)),
    /** `20 November 2026` */
    date: (at: DateTime.Utc): string => date.format(DateTime.toDateUtc(at)),
    /** A calendar day, given as YYYY-MM-DD: `20 Nov 2026`. */
    day: (iso: string): string => day.format(DateTime.toDateUtc(DateTime.unsafeMake(iso))),
    /** A calendar month, given as YYYY-MM: `November 2026`. */
    month: (iso: string): string => month.format(DateTime.toDateUtc(DateTime.unsafeMake(`${iso}-01`))),
    /** From 0 to 100, rounded down: only a component without any downtime shows 100%. */
    percent: (figure: number): string =>
      figure >= 100 ? whole.format(1) : percent.format(Math.floor(figure * 100 + 1e-6) / 10_000),
    /** A response time in milliseconds: `142 ms`, `1.2 sec`. */
    millis: (figure: number): string => figure < 1000 ? millis.format(figure) : seconds.format(figure / 1000),
    /** The present moment in a word. */
    now: new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(0, "second"),
    count: (figure: number): string => count.format(figure),
    /** A duration in seconds, in its two largest units: `1 hr 12 min`. */
    duration: durationInLanguage(language),
    /** Names joined for a sentence: `A, B and C`. */
    list: (names: ReadonlyArray<string>): string => list.format(names.map(isolated))
  }
}
