/** Maintenance windows: a calendar of a month, and the list of upcoming and past windows; and mutes. */
import { DateTime, Effect } from "effect"
import type { IncidentSummary } from "../../../../schema/incident/Incident.ts"
import type { MutedMonitors } from "../../../../schema/monitor/MutedMonitors.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { momentsIn, type MomentStyle } from "../../../domain/tools/time/Moments.ts"
import { useMay } from "../../design/May.tsx"
import { IncidentBadge, ListPanel, Panel } from "../../design/Parts.tsx"
import { Moment, momentText } from "../../design/Time.tsx"
import { read, readOrNull, together, view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"
import { monthKey, monthStart, seriesAfter, type Weeks, weeksOf, type Window, windowOf } from "./Calendar.ts"
import { NewMute, RunningMutes } from "./Mutes.tsx"

const tones = { scheduled: "calm", in_progress: "warn", completed: "none" } as const

const toneOf = ({ status }: Window): string =>
  status === "scheduled" || status === "in_progress" || status === "completed" ? tones[status] : "none"

const Cell = ({ day: { date, isOther, isToday, windows } }: { readonly day: Weeks[number][number] }) => {
  const visit = useVisit()
  const number = Number(DateTime.formatIsoDate(date).slice(8))
  return (
    <td class={isToday ? "today" : isOther ? "other" : ""} aria-current={isToday ? "date" : undefined}>
      <span class="day">
        <span class="sr">{momentText(visit, DateTime.toUtc(date), "day")}</span>
        <span aria-hidden="true">{number}</span>
      </span>
      {windows.map((one) => (
        <a
          class={`window is-${toneOf(one)}`}
          href={`/app/incidents/${one.id}`}
          title={`${one.title}, ${momentText(visit, one.from)} to ${momentText(visit, one.to)}`}
        >
          <span>{one.title}{one.status === null ? " (planned)" : ""}</span>
        </a>
      ))}
    </td>
  )
}

const Calendar = ({ month, weeks }: { readonly month: DateTime.Zoned; readonly weeks: Weeks }) => {
  const { locale, zone } = useVisit()
  const named = (date: DateTime.Zoned, style: MomentStyle) => momentsIn(locale, zone, style).format(DateTime.toEpochMillis(date))
  const names = (weeks[0] ?? []).map(({ date }) => [named(date, "weekdayName"), named(date, "longWeekdayName")])
  const to = (months: number) => `/app/maintenance?month=${monthKey(DateTime.add(month, { months }))}`
  return (
    <Panel
      id="calendar"
      title={named(month, "month")}
      actions={
        <nav class="buttons" aria-label="Month">
          <a class="button plain tight" href={to(-1)} rel="prev">Previous</a>
          <a class="button plain tight" href="/app/maintenance">Today</a>
          <a class="button plain tight" href={to(1)} rel="next">Next</a>
        </nav>
      }
    >
      <table class="month">
        <caption class="sr">Maintenance in {named(month, "month")}</caption>
        <thead>
          <tr>
            {names.map(([short, long]) => (
              <th scope="col">
                <span class="sr">{long}</span>
                <span aria-hidden="true">{short}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => <tr>{week.map((day) => <Cell day={day} />)}</tr>)}
        </tbody>
      </table>
    </Panel>
  )
}

const mutesText = ({ count }: MutedMonitors): string => count === 0 ? "mutes no monitor" : `mutes ${counted(count, "monitor")}`

const Rows = ({ empty, of, series, title }: {
  readonly title: string
  readonly empty: string
  readonly of: ReadonlyArray<IncidentSummary>
  readonly series: ReadonlySet<string>
}) => (
  <ListPanel
    id={title.toLowerCase()}
    title={title}
    none={[empty, "Schedule a window, and the pages of its components announce it."]}
  >
    {of.map((one) => {
      const { from, to } = windowOf(one)
      return (
        <li id={`window-${one.id}`}>
          <div>
            <a class="title" href={`/app/incidents/${one.id}`}>{one.title}</a>
            <p class="note">
              <Moment at={from} /> to <Moment at={to} />
              {series.has(one.id) ? ", repeats" : ""}
              {one.mutes === undefined ? "" : `, ${mutesText(one.mutes)}`}
            </p>
          </div>
          <IncidentBadge status={one.status} />
        </li>
      )
    })}
  </ListPanel>
)

const Schedule = () =>
  useMay("schedule_maintenance") ? <a class="button" href="/app/maintenance/new">Schedule maintenance</a> : null

const most = 200
/** Windows ahead that are asked for their series. */
const mostSeries = 20
const shownPast = 20

export const maintenanceView = view("/app/maintenance", "maintenance", function*({ now, query, zone }) {
  const month = monthStart(query.get("month"), now, zone)
  const end = DateTime.toUtc(DateTime.add(month, { weeks: 6 }))
  const [{ data }, { data: mutes }] = yield* together([
    read("list_incidents", { kind: "maintenance", limit: most }),
    read("list_mutes", { active: true, limit: most })
  ])
  const ahead = data.filter(({ resolvedAt }) => resolvedAt === null)
    .toSorted((one, other) => DateTime.Order(windowOf(one).from, windowOf(other).from))
  const past = data.filter(({ resolvedAt }) => resolvedAt !== null)
  // A list leaves out how a window comes again.
  const full = yield* Effect.forEach(ahead.slice(0, mostSeries), ({ id }) => readOrNull("get_incident", { id }), {
    concurrency: 4
  })
  const recurring = full.flatMap((one) => (one?.recurrence === undefined ? [] : [{ ...one, recurrence: one.recurrence }]))
  const planned = recurring.flatMap((one) => seriesAfter(windowOf(one), one.recurrence, end))
  return {
    title: "Maintenance",
    live: ["maintenance.*", "mute.*"],
    head: {
      note: `Windows start and end by themselves. Times are in ${zone}.`,
      actions: <Schedule />
    },
    stack: [
      <Calendar month={month} weeks={weeksOf(month, [...data.map(windowOf), ...planned], now)} />,
      <Rows title="Upcoming" empty="Nothing is scheduled" of={ahead} series={new Set(recurring.map(({ id }) => id))} />,
      <RunningMutes mutes={mutes} />,
      <NewMute />,
      past.length === 0 ? null : <Rows title="Past" empty="" of={past.slice(0, shownPast)} series={new Set()} />
    ]
  }
})
