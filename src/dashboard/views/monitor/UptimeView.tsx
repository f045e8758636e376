/** The uptime of a monitor over a year: a calendar of days, and a table of months. */
import type { MonitorUptime } from "../../../../schema/monitor/MonitorUptime.ts"
import { gather } from "../../../domain/tools/Gather.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { momentsIn } from "../../../domain/tools/time/Moments.ts"
import { Empty, Figures, Panel } from "../../design/Parts.tsx"
import { FigureTable, Scroll } from "../../design/Table.tsx"
import { useNumber } from "../../design/Time.tsx"
import { read, together, view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"
import { eventsOf, monitorHead } from "./MonitorHead.tsx"

type Day = MonitorUptime["days"][number]

const days = 365

/** The looks of a day, each from this percentage on. */
const looks: ReadonlyArray<readonly [least: number, look: string, said: string]> = [
  [100, "is-good", "No downtime"],
  [99.9, "is-good soft", "99.9% or more"],
  [99, "is-warn", "99% or more"],
  [0, "is-bad", "Below 99%"]
]

const lookOf = ({ uptime }: Day): string =>
  uptime === null ? "is-none soft" : looks.find(([least]) => uptime.percent >= least)?.[1] ?? "is-bad"

/** Dates are texts of the zone already: as moments they are midnights in UTC. */
const dateText = (locale: string, date: string, style: "date" | "month" | "weekdayName"): string =>
  momentsIn(locale, "UTC", style).format(Date.parse(date))

const monthOf = ({ date }: Day): string => date.slice(0, 7)

interface Month {
  readonly month: string
  readonly days: ReadonlyArray<Day>
}

const monthsOf = (all: ReadonlyArray<Day>): ReadonlyArray<Month> =>
  [...gather(all.map((day) => [monthOf(day), day] as const))].map(([month, of]) => ({ month, days: of }))

/** The mean of the observed days, each weighed by how much of it was observed; null if none was. */
const uptimeOf = (given: ReadonlyArray<Day>): number | null => {
  const seen = given.flatMap(({ uptime }) => (uptime === null ? [] : [uptime]))
  const weight = seen.reduce((sum, { coveragePercent }) => sum + coveragePercent, 0)
  if (weight === 0) return null
  const missing = seen.reduce((sum, { coveragePercent, percent }) => sum + (100 - percent) * coveragePercent, 0)
  return 100 - missing / weight
}

const cell = 14
const step = 17

const useDayText = () => {
  const { locale } = useVisit()
  const { duration, percent } = useNumber()
  return ({ date, downSec, uptime }: Day): string =>
    `${dateText(locale, date, "date")}: ${
      uptime === null
        ? "not observed"
        : `${percent(uptime.percent)} up${downSec === 0 ? "" : `, down for ${duration(downSec)}`}`
    }`
}

const MonthGrid = ({ days: of, month }: Month) => {
  const { locale } = useVisit()
  const { percent } = useNumber()
  const textOf = useDayText()
  // Weeks begin on Monday.
  const before = (new Date(`${month}-01T00:00:00Z`).getUTCDay() + 6) % 7
  const name = dateText(locale, `${month}-01`, "month")
  const share = uptimeOf(of)
  const down = of.filter(({ downSec }) => downSec > 0).length
  return (
    <figure class="uptime-month">
      <figcaption>
        {name} <b>{share === null ? "–" : percent(share)}</b>
      </figcaption>
      <svg
        viewBox={`0 0 ${7 * step - 3} ${6 * step - 3}`}
        role="img"
        aria-label={`${name}: ${share === null ? "not observed" : `${percent(share)} up, downtime on ${counted(down, "day")}`}`}
      >
        {of.map((day) => {
          const square = before + Number(day.date.slice(8)) - 1
          return (
            <rect
              x={square % 7 * step}
              y={Math.floor(square / 7) * step}
              width={cell}
              height={cell}
              rx="3"
              class={`${lookOf(day)} mark`}
            >
              <title>{textOf(day)}</title>
            </rect>
          )
        })}
      </svg>
    </figure>
  )
}

const Legend = () => (
  <ul class="calendar-legend note">
    {looks.map(([, look, said]) => (
      <li>
        <span class={`dot ${look}`} /> {said}
      </li>
    ))}
    <li>
      <span class="dot is-none soft" /> Not observed
    </li>
  </ul>
)

const columns = ["Month", { name: "Uptime", end: true }, { name: "Downtime", end: true }, {
  name: "Days with downtime",
  end: true
}] as const

const Months = ({ months }: { readonly months: ReadonlyArray<Month> }) => {
  const { locale } = useVisit()
  const { count, duration, percent } = useNumber()
  return (
    <Scroll label="Uptime by month">
      <FigureTable columns={columns}>
        {[...months].reverse().map(({ days: of, month }) => {
          const share = uptimeOf(of)
          const downSec = of.reduce((sum, day) => sum + day.downSec, 0)
          return (
            <tr>
              <td>{dateText(locale, `${month}-01`, "month")}</td>
              <td class="end">{share === null ? "–" : percent(share)}</td>
              <td class="end">{share === null ? "–" : downSec === 0 ? "none" : duration(downSec)}</td>
              <td class="end">{count(of.filter((day) => day.downSec > 0).length)}</td>
            </tr>
          )
        })}
      </FigureTable>
    </Scroll>
  )
}

const WorstDays = ({ of }: { readonly of: ReadonlyArray<Day> }) => {
  const textOf = useDayText()
  const worst = of.filter(({ downSec }) => downSec > 0).sort((one, other) => other.downSec - one.downSec).slice(0, 5)
  return worst.length === 0 ? <p class="note">No downtime on any observed day.</p> : (
    <>
      <h3>Days with the most downtime</h3>
      <ul class="bullets">{worst.map((day) => <li>{textOf(day)}</li>)}</ul>
    </>
  )
}

const Year = ({ of }: { readonly of: ReadonlyArray<Day> }) => {
  const { count, duration, percent } = useNumber()
  // A calendar begins with the month in which the monitor was first checked.
  const months = monthsOf(of)
  const first = months.findIndex(({ days: own }) => own.some(({ uptime }) => uptime !== null))
  const seen = months.slice(first)
  const share = uptimeOf(of)
  const observed = of.filter(({ uptime }) => uptime !== null)
  const downSec = of.reduce((sum, day) => sum + day.downSec, 0)
  return (
    <div class="stack">
      <Figures
        of={[
          ["Uptime", share === null ? "–" : percent(share), "last 12 months"],
          ["Downtime", downSec === 0 ? "none" : duration(downSec)],
          ["Days with downtime", count(of.filter((day) => day.downSec > 0).length), `of ${count(observed.length)} observed`]
        ]}
      />
      <Panel id="calendar" title="Calendar">
        <Legend />
        <div class="year">{seen.map((month) => <MonthGrid {...month} />)}</div>
        <WorstDays of={of} />
      </Panel>
      <Panel id="months" title="Months" flush>
        <Months months={seen} />
      </Panel>
    </div>
  )
}

export const uptimeView = view("/app/monitors/:id/uptime", "monitors", function*({ id, zone }) {
  const [monitor, { days: of }] = yield* together([
    read("get_monitor", { id, checks: 0 }),
    read("get_monitor_uptime", { id, days, timezone: zone })
  ])
  return {
    title: `Uptime of ${monitor.name}`,
    live: eventsOf(monitor),
    head: monitorHead(monitor, `/app/monitors/${id}/uptime`),
    body: of.some(({ uptime }) => uptime !== null)
      ? <Year of={of} />
      : (
        <Panel id="calendar" title="Calendar">
          <Empty title="Nothing observed yet" text="The calendar fills as the monitor is checked." />
        </Panel>
      )
  }
})
