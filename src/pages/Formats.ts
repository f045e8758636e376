/** Formats dates, numbers and durations for a language and a time zone. */
import { DateTime } from "effect"
import type { Language } from "../../schema/page/Page.ts"
import { durationInLanguage } from "../domain/page/Languages.ts"
import { isolated } from "../domain/tools/text/Direction.ts"
import { formOf, momentsIn } from "../domain/tools/time/Moments.ts"

interface FormatOptions {
  readonly language: Language
  /** The language as in the visitor's region, for dates. */
  readonly locale: string
  readonly zone: string
  readonly now: DateTime.Utc
}

export const makeFormats = ({ language, locale, now, zone }: FormatOptions) => {
  const ms = DateTime.toEpochMillis
  // All components of a page have the same days.
  const days = new Map<string, string>()
  const whole = new Intl.NumberFormat(language, { style: "percent" })
  const percent = new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const millis = new Intl.NumberFormat(language, { style: "unit", unit: "millisecond", maximumFractionDigits: 0 })
  const seconds = new Intl.NumberFormat(language, { style: "unit", unit: "second", maximumFractionDigits: 1 })
  const count = new Intl.NumberFormat(language)
  const list = new Intl.ListFormat(language, { style: "long", type: "conjunction" })
  return {
    /** `20 Nov, 10:33 UTC`; with its year if that is not this year. */
    moment: (at: DateTime.Utc): string => momentsIn(locale, zone, formOf("zoned", zone, now, [at])).format(ms(at)),
    /** `20 Nov 2026, 10:33:07 UTC` */
    full: (at: DateTime.Utc): string => momentsIn(locale, zone, "full").format(ms(at)),
    /** A time range; parts that both ends share appear once: `20 Nov, 09:30 – 12:00 UTC`. */
    period: (from: DateTime.Utc, to: DateTime.Utc): string =>
      momentsIn(locale, zone, formOf("zoned", zone, now, [from, to])).formatRange(ms(from), ms(to)),
    /** `20 November` */
    date: (at: DateTime.Utc): string => momentsIn(locale, zone, formOf("longDayAndMonth", zone, now, [at])).format(ms(at)),
    /** A calendar day, given as YYYY-MM-DD: `20 Nov`. */
    day: (iso: string): string => {
      const known = days.get(iso)
      if (known !== undefined) return known
      const day = DateTime.unsafeMake(iso)
      const text = momentsIn(locale, "UTC", formOf("dayAndMonth", "UTC", now, [day])).format(ms(day))
      days.set(iso, text)
      return text
    },
    /** A calendar month, given as YYYY-MM: `November 2026`. */
    month: (iso: string): string => momentsIn(locale, "UTC", "month").format(ms(DateTime.unsafeMake(`${iso}-01`))),
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
