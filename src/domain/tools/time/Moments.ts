/** Dates and times as people read them: one form for each purpose, in a locale and a zone. */
import { DateTime } from "effect"
import { keeping } from "./KeptFormats.ts"

const minute = { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" } as const
const date = { year: "numeric", month: "short", day: "numeric" } as const

const styles = {
  /** `22 Nov, 11:34`, of this year. */
  short: minute,
  /** `22 Nov, 11:34:05`, of this year: some things happen several times a minute. */
  second: { ...minute, second: "2-digit" },
  /** `22 Nov 2026, 11:34` */
  dated: { year: "numeric", ...minute },
  /** To the second, with its zone: what a moment shows when it is pointed at. */
  full: { ...date, hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
  /** As `short` and `dated`, for readers whose zone nobody knows. */
  zoned: { ...minute, timeZoneName: "short" },
  zonedDated: { year: "numeric", ...minute, timeZoneName: "short" },
  /** The same in 24 hours, in texts that are English for everybody. */
  neutral: { ...date, hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" },
  /** With the name of its weekday. */
  announced: { dateStyle: "full", timeStyle: "short" },
  day: { ...date, weekday: "short" },
  date,
  dayAndMonth: { day: "numeric", month: "short" },
  longDate: { dateStyle: "long" },
  longDayAndMonth: { day: "numeric", month: "long" },
  month: { month: "long", year: "numeric" },
  year: { year: "numeric" },
  hour: { hour: "numeric", minute: "2-digit" },
  weekday: { weekday: "short", day: "numeric", month: "short" },
  weekdayName: { weekday: "short" },
  longWeekdayName: { weekday: "long" },
  dayOfMonth: { day: "numeric" }
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>

export type MomentStyle = keyof typeof styles

const kept = keeping<Intl.DateTimeFormat>()

/** `locale` is a BCP 47 tag, `zone` an IANA name. */
const made = (locale: string, zone: string, style: MomentStyle) =>
  new Intl.DateTimeFormat(locale, { timeZone: zone, ...styles[style] })

export const momentsIn = (locale: string, zone: string, style: MomentStyle): Intl.DateTimeFormat =>
  kept(`${locale} ${zone} ${style}`, () => made(locale, zone, style))

/** All dates of a year as a locale writes them: locales with the same text write alike. */
export const yearIn = (locale: string): string =>
  (["zoned", "full", "longDate", "longDayAndMonth"] as const).map((style) => {
    const format = made(locale, "UTC", style)
    return Array.from({ length: 12 }, (_, month) => format.format(Date.UTC(2026, month, 22, 15, 5))).join()
  }).join()

/** The forms of a moment of this year, each with the one that says another year. */
const withYear = {
  short: "dated",
  second: "full",
  zoned: "zonedDated",
  dayAndMonth: "date",
  longDayAndMonth: "longDate",
  weekday: "day"
} as const satisfies Partial<
  Record<MomentStyle, MomentStyle>
>

/** The form for moments that are all of this year, or the one that says their year. */
export const formOf = (
  style: keyof typeof withYear,
  zone: string,
  now: DateTime.Utc,
  moments: ReadonlyArray<DateTime.Utc>
): MomentStyle => {
  const yearOf = (at: DateTime.Utc): string => momentsIn("en", zone, "year").format(DateTime.toEpochMillis(at))
  const thisYear = yearOf(now)
  return moments.every((at) => yearOf(at) === thisYear) ? style : withYear[style]
}

/** `Nov 22, 2026, 16:05 GMT+2`, for texts of the service that are English for everybody. */
export const momentText = (at: DateTime.Utc, zone: string): string =>
  momentsIn("en", zone, "neutral").format(DateTime.toEpochMillis(at))
