/** Calendar months in a page's time zone. */
import { DateTime, Option } from "effect"
import { instant } from "../../../schema/Fields.ts"

/** YYYY-MM */
export type Month = string

export type MonthPeriod = Option.Option.Value<ReturnType<typeof monthPeriod>>

/** Every incident, also maintenance that is planned for later. */
export const allTime = { from: instant(0), before: instant(Date.UTC(9999, 0)) }

const zoneOf = (timezone: string): DateTime.TimeZone =>
  Option.getOrElse(DateTime.zoneMakeNamed(timezone), () => DateTime.zoneMakeOffset(0))

const nameOf = (year: number, month: number): Month => {
  const first = DateTime.unsafeMake({ year, month, day: 1 })
  return DateTime.formatIsoDateUtc(first).slice(0, 7)
}

const startOf = (year: number, month: number, timeZone: DateTime.TimeZone): DateTime.Utc => {
  const first = DateTime.toParts(DateTime.unsafeMake({ year, month, day: 1 }))
  return DateTime.toUtc(
    DateTime.unsafeMakeZoned({ year: first.year, month: first.month, day: 1 }, {
      timeZone,
      adjustForTimeZone: true,
      disambiguation: "compatible"
    })
  )
}

const earliest: Month = "2000-01"

/** The month that `asked` names, else the current one; none for a month that is no month, lies ahead or before 2000. */
export const monthPeriod = (asked: string | undefined, now: DateTime.Utc, timezone: string) => {
  const zone = zoneOf(timezone)
  const today = DateTime.toParts(DateTime.setZone(now, zone))
  const current = nameOf(today.year, today.month)
  const [, year, month] = /^(20\d\d)-(0[1-9]|1[0-2])$/.exec(asked ?? current) ?? []
  if (year === undefined || month === undefined) return Option.none()
  const [y, m] = [Number(year), Number(month)]
  const name = nameOf(y, m)
  if (name > current) return Option.none()
  return Option.some({
    month: name,
    from: startOf(y, m, zone),
    before: startOf(y, m + 1, zone),
    /** Null for the first month. */
    previous: name === earliest ? null : nameOf(y, m - 1),
    /** Null for the current month. */
    next: name === current ? null : nameOf(y, m + 1)
  })
}
