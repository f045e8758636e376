/** The shifts of a schedule as a calendar: a row for each week, a bar and the hand-offs in each day. */
import { Array as Arr, DateTime, Order } from "effect"
import type { OnCallShift, Schedule } from "../../../../schema/oncall/Schedule.ts"
import { type CalendarDay, calendarWeeks } from "../../../domain/oncall/CalendarWeeks.ts"
import { namedInRotation } from "../../../domain/oncall/Rotation.ts"
import { formOf, momentsIn } from "../../../domain/tools/time/Moments.ts"
import { Island } from "../../design/Parts.tsx"
import { Scroll } from "../../design/Table.tsx"
import { useVisit } from "../../frame/Visit.ts"
import { weekdays } from "../channel/QuietHoursForm.tsx"
import { personName } from "./OnDuty.tsx"

/** Colours for people; a seventh person gets the first again, so names always stand beside them. */
const colors = 6

const colorOf = (schedule: Schedule, userId: string): number =>
  ([...new Set(namedInRotation(schedule))].findIndex((id) => id === userId) + colors) % colors

/** A stretch of the calendar. Null is nobody: a gap. People on call together have a lane each. */
interface Entry {
  readonly shift: OnCallShift | null
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
  readonly lane: number
}

/** One stretch for shifts of one person that follow each other, so that a hand-off to oneself is none. */
const joined = (shifts: ReadonlyArray<OnCallShift>): ReadonlyArray<OnCallShift> => {
  const found: Array<OnCallShift> = []
  for (const shift of shifts) {
    const index = found.findIndex(({ end, overrideId, user }) =>
      user.id === shift.user.id && overrideId === shift.overrideId && DateTime.Equivalence(end, shift.start)
    )
    const before = found[index]
    if (before === undefined) found.push(shift)
    else found[index] = { ...before, end: shift.end }
  }
  return found
}

const inLanes = (shifts: ReadonlyArray<OnCallShift>): ReadonlyArray<Entry> => {
  const ends: Array<DateTime.Utc> = []
  return shifts.map((shift) => {
    const free = ends.findIndex((end) => DateTime.lessThanOrEqualTo(end, shift.start))
    const lane = free < 0 ? ends.length : free
    ends[lane] = shift.end
    return { shift, start: shift.start, end: shift.end, lane }
  })
}

/** Before the schedule was made, nobody could be on call. */
const gapsOf = ({ createdAt, gaps = [] }: Schedule): ReadonlyArray<Entry> =>
  gaps.filter(({ end }) => DateTime.greaterThan(end, createdAt))
    .map(({ end, start }) => ({ shift: null, start: DateTime.max(start, createdAt), end, lane: 0 }))

/** The name, or what stands before the `@` of the address. */
const shortName = (user: OnCallShift["user"]): string => user.name ?? personName(user).replace(/@.*/, "")

type Day = CalendarDay<Entry>

const byStart = Order.mapInput(DateTime.Order, ({ start }: Entry) => start)

const lanesOf = (day: Day): number => Math.max(1, ...day.pieces.map(({ shift }) => shift.lane + 1))

const Bar = ({ day, schedule }: { readonly day: Day; readonly schedule: Schedule }) => (
  <svg
    class="bar"
    viewBox={`0 0 100 ${lanesOf(day) * 6}`}
    preserveAspectRatio="none"
    height={lanesOf(day) * 6}
    aria-hidden="true"
  >
    {day.pieces.map(({ from, shift: { lane, shift }, to }) => (
      <rect
        class={shift === null ? "nobody" : `person-${colorOf(schedule, shift.user.id)}`}
        x={(from * 100).toFixed(2)}
        y={lane * 6}
        width={((to - from) * 100).toFixed(2)}
        height="6"
      />
    ))}
  </svg>
)

const entryName = ({ shift }: Entry): string => (shift === null ? "Nobody" : shortName(shift.user))

const DayCell = ({ day, first, schedule, today, zone }: {
  readonly day: Day
  readonly first: boolean
  readonly schedule: Schedule
  readonly today: boolean
  readonly zone: string
}) => {
  const { locale, now } = useVisit()
  const clock = momentsIn(locale, zone, "hour")
  const long = momentsIn(locale, zone, formOf("weekday", zone, now, [day.start]))
  const isNamed = day.date.endsWith("-01") || first
  const label = momentsIn(locale, zone, isNamed ? formOf("dayAndMonth", zone, now, [day.start]) : "dayOfMonth")
  const named = day.pieces.filter(({ begins }) => begins || first)
  return (
    <td data-day={day.date} data-date={long.format(DateTime.toDateUtc(day.start))} class={today ? "today" : ""}>
      <span class="date">
        {label.format(DateTime.toDateUtc(day.start))}
        {today ? <span class="sr">{" "}(today)</span> : null}
      </span>
      <Bar day={day} schedule={schedule} />
      {named.map(({ begins, shift }) => (
        <span class="shift">
          {begins ? <span class="note">{clock.format(DateTime.toDateUtc(shift.start))}{" "}</span> : null}
          {shift.shift === null ? <b class="gap">Nobody</b> : entryName(shift)}
          {shift.shift === null || shift.shift.overrideId === null ? null : <span class="note">{" "}(override)</span>}
        </span>
      ))}
      {named.length > 0 || day.pieces.length === 0 ?
        null :
        <span class="sr">{day.pieces.map(({ shift }) => entryName(shift)).join(", ")}</span>}
    </td>
  )
}

/** `from` is in the first week that is shown. */
export const Calendar = ({ from, now, schedule, zone }: {
  readonly schedule: Schedule
  readonly from: DateTime.Zoned
  readonly now: DateTime.Zoned
  readonly zone: string
}) => {
  const entries = [...inLanes(joined(schedule.shifts ?? [])), ...gapsOf(schedule)]
  const weeks = calendarWeeks(from, 6, Arr.sort(entries, byStart))
  const today = DateTime.formatIsoDate(now)
  return (
    <Island name="calendar" props={{ form: "new-override", start: `start:moment@${zone}`, end: `end:moment@${zone}` }}>
      <Scroll label="Who is on call, day by day">
        <table class="calendar">
          <caption class="sr">Shifts of {schedule.name} for six weeks, times in {zone}</caption>
          <thead>
            <tr>{weekdays.map(([, name]) => <th scope="col">{name}</th>)}</tr>
          </thead>
          <tbody>
            {weeks.map((days, week) => (
              <tr>
                {days.map((day, at) => (
                  <DayCell
                    day={day}
                    first={at === 0 || (week === 0 && day.date === today)}
                    schedule={schedule}
                    today={day.date === today}
                    zone={zone}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="note calendar-hint" hidden>Drag over days to fill the override below.</p>
    </Island>
  )
}
