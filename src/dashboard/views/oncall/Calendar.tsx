/** The shifts of a schedule as a calendar: a row for each week, a bar and the hand-offs in each day. */
import { DateTime } from "effect"
import type { OnCallShift, Schedule } from "../../../../schema/oncall/Schedule.ts"
import { type CalendarDay, calendarWeeks } from "../../../domain/oncall/CalendarWeeks.ts"
import { formOf, momentsIn } from "../../../domain/tools/Moments.ts"
import { Island } from "../../design/Parts.tsx"
import { useVisit } from "../../frame/Visit.ts"
import { weekdays } from "../channel/QuietHoursForm.tsx"
import { personName } from "./OnDuty.tsx"

/** Colours for people; a seventh person gets the first again, so names always stand beside them. */
const colors = 6

const colorOf = ({ participants }: Pick<Schedule, "participants">, userId: string): number =>
  (participants.findIndex((id) => id === userId) + colors) % colors

/** One stretch for shifts of one person that follow each other, so that a hand-off to oneself is none. */
const joined = (shifts: ReadonlyArray<OnCallShift>): ReadonlyArray<OnCallShift> =>
  shifts.reduce<ReadonlyArray<OnCallShift>>((before, shift) => {
    const last = before.at(-1)
    return last !== undefined && last.user.id === shift.user.id && last.overrideId === shift.overrideId &&
        DateTime.Equivalence(last.end, shift.start)
      ? [...before.slice(0, -1), { ...last, end: shift.end }]
      : [...before, shift]
  }, [])

/** The name, or what stands before the `@` of the address. */
const shortName = (user: OnCallShift["user"]): string => user.name ?? personName(user).replace(/@.*/, "")

type Day = CalendarDay<OnCallShift>

const Bar = ({ day, schedule }: { readonly day: Day; readonly schedule: Schedule }) => (
  <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    {day.pieces.map(({ from, shift, to }) => (
      <rect
        class={`person-${colorOf(schedule, shift.user.id)}`}
        x={(from * 100).toFixed(2)}
        y="0"
        width={((to - from) * 100).toFixed(2)}
        height="6"
      />
    ))}
  </svg>
)

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
  const named = day.pieces.filter(({ begins }, at) => begins || first || at > 0)
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
          {shortName(shift.user)}
          {shift.overrideId === null ? null : <span class="note">{" "}(override)</span>}
        </span>
      ))}
      {named.length > 0 || day.pieces.length === 0 ?
        null :
        <span class="sr">{day.pieces.map(({ shift }) => personName(shift.user)).join(", ")}</span>}
    </td>
  )
}

export const Calendar = ({ now, schedule, zone }: {
  readonly schedule: Schedule
  readonly now: DateTime.Zoned
  readonly zone: string
}) => {
  const weeks = calendarWeeks(now, 6, joined(schedule.shifts ?? []))
  const today = DateTime.formatIsoDate(now)
  return (
    <Island name="calendar" props={{ form: "new-override", start: `start:moment@${zone}`, end: `end:moment@${zone}` }}>
      <div class="scroll" tabindex={0} role="region" aria-label="Calendar">
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
      </div>
      <p class="note calendar-hint" hidden>Drag over days to fill the override below.</p>
    </Island>
  )
}
