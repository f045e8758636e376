/** A month as weeks of days, and the maintenance windows of each day, also those that a series will bring. */
import { DateTime, Either, Option } from "effect"
import type { Incident, IncidentSummary, ProgressStatus } from "../../../../schema/incident/Incident.ts"
import { nextStart, parseRule } from "../../../domain/incident/Recurrence.ts"

export interface Window {
  readonly id: string
  readonly title: string
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
  /** Null for one that a series will bring. */
  readonly status: ProgressStatus | null
}

/** Windows that a series brings in one month at most. */
const mostOfSeries = 62

export const windowOf = (
  { id, resolvedAt, scheduledEnd, scheduledStart, startedAt, status, title }: Pick<
    IncidentSummary,
    "id" | "resolvedAt" | "scheduledEnd" | "scheduledStart" | "startedAt" | "status" | "title"
  >
): Window => {
  const from = scheduledStart ?? startedAt
  return { id, title, from, to: resolvedAt ?? scheduledEnd ?? from, status }
}

/** The windows that follow `last` in its series until `before`. */
export const seriesAfter = (
  last: Window,
  { rule, timezone }: NonNullable<Incident["recurrence"]>,
  before: DateTime.Utc
): ReadonlyArray<Window> => {
  const parsed = parseRule(rule)
  const zone = DateTime.zoneMakeNamed(timezone ?? "UTC")
  if (Either.isLeft(parsed) || Option.isNone(zone)) return []
  const length = DateTime.distanceDuration(last.from, last.to)
  const found: Array<Window> = []
  let after = last.from
  while (found.length < mostOfSeries) {
    const next = nextStart(parsed.right, zone.value, last.from, after)
    if (Option.isNone(next) || DateTime.greaterThanOrEqualTo(next.value, before)) break
    found.push({ ...last, from: next.value, to: DateTime.addDuration(next.value, length), status: null })
    after = next.value
  }
  return found
}

const monthForm = /^(\d{4})-(0[1-9]|1[0-2])$/

/** The first day of the month `2026-11` in a zone; without one, of the month of `now`. */
export const monthStart = (asked: string | null, now: DateTime.Utc, zone: string): DateTime.Zoned => {
  const here = DateTime.unsafeMakeZoned(now, { timeZone: zone })
  const [, year, month] = monthForm.exec(asked ?? "") ?? []
  const day = year === undefined || month === undefined
    ? here
    : DateTime.setParts(here, { year: Number(year), month: Number(month), day: 1 })
  return DateTime.startOf(day, "month")
}

export const monthKey = (day: DateTime.Zoned): string => DateTime.formatIsoDate(day).slice(0, 7)

/** Weeks from Monday to Sunday that together hold the month. */
export const weeksOf = (
  month: DateTime.Zoned,
  windows: ReadonlyArray<Window>,
  now: DateTime.Utc
) => {
  const first = DateTime.startOf(month, "week", { weekStartsOn: 1 })
  const end = DateTime.add(month, { months: 1 })
  const starts: Array<DateTime.Zoned> = []
  for (let start = first; DateTime.lessThan(start, end); start = DateTime.add(start, { weeks: 1 })) starts.push(start)
  return starts.map((start) =>
    Array.from({ length: 7 }, (_, index) => {
      const date = DateTime.add(start, { days: index })
      const next = DateTime.add(date, { days: 1 })
      return {
        date,
        isOther: monthKey(date) !== monthKey(month),
        isToday: DateTime.between(now, { minimum: DateTime.toUtc(date), maximum: DateTime.toUtc(next) }),
        windows: windows.filter(({ from, to }) => DateTime.lessThan(from, next) && DateTime.greaterThan(to, date))
      }
    })
  )
}
export type Weeks = ReturnType<typeof weeksOf>
