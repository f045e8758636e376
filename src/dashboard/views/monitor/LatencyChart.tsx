/** The chart of a monitor, drawn by the server and brought to life by a script, with what happened as a list. */
import { DateTime, Schema } from "effect"
import type { MonitorHistory } from "../../../../schema/check/MonitorHistory.ts"
import type { Deploy } from "../../../../schema/deploy/Deploy.ts"
import type { IncidentSummary } from "../../../../schema/incident/Incident.ts"
import { ResponseTimeRange } from "../../../../schema/page/ResponseTimes.ts"
import { Chart } from "../../chart/Chart.tsx"
import { type ChartData, firstChoice, hasLatency, type Mark, pointOf } from "../../chart/ChartData.ts"
import { inWords, Island, Panel } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { useVisit } from "../../frame/Visit.ts"
import { windowOf } from "../maintenance/Calendar.ts"
import type { MonitorDetail } from "./MonitorHead.tsx"
import { StateChanges, toneOfSpan } from "./StateChanges.tsx"

const seconds = (at: DateTime.Utc): number => Math.round(DateTime.toEpochMillis(at) / 1000)

export const isRange = Schema.is(ResponseTimeRange)

const ranges = [["24h", "24 hours"], ["7d", "7 days"], ["30d", "30 days"], ["90d", "90 days"]] as const

export interface Happened {
  readonly history: MonitorHistory
  readonly deploys: ReadonlyArray<Deploy>
  readonly incidents: ReadonlyArray<IncidentSummary>
  /** Windows over components that follow the monitor. */
  readonly maintenance: ReadonlyArray<IncidentSummary>
}

type ListedMark = Mark & { readonly at: DateTime.Utc; readonly until: DateTime.Utc | null }

const spanned = (
  kind: "incident" | "maintenance",
  { id, title }: Pick<IncidentSummary, "id" | "title">,
  at: DateTime.Utc,
  until: DateTime.Utc | null,
  end: DateTime.Utc
): ListedMark => ({ kind, name: title, href: `/app/incidents/${id}`, from: seconds(at), to: seconds(until ?? end), at, until })

/** Incidents, deploys and maintenance in the range, oldest first. */
const marksOf = ({ deploys, history: { from, to }, incidents, maintenance }: Happened): ReadonlyArray<ListedMark> =>
  [
    ...incidents.map((incident) => spanned("incident", incident, incident.startedAt, incident.resolvedAt, to)),
    ...maintenance.map((window) => {
      const planned = windowOf(window)
      return spanned("maintenance", window, planned.from, planned.to, to)
    }),
    ...deploys.map(({ at, commit, description, id, service, url, version }): ListedMark => ({
      kind: "deploy",
      name: [service, version ?? commit ?? description ?? "without a version"].filter((part) => part !== null).join(" "),
      href: url ?? `#${id}`,
      from: seconds(at),
      to: seconds(at),
      at,
      until: null
    }))
  ].filter((mark) => mark.to >= seconds(from) && mark.from <= seconds(to)).sort((one, other) => one.from - other.from)

export const RangeLinks = ({ base, range }: { readonly base: string; readonly range: string }) => (
  <nav class="segments" aria-label="Range">
    {ranges.map(([value, name]) => (
      <a href={`${base}?range=${value}`} aria-current={value === range ? "true" : undefined}>{name}</a>
    ))}
  </nav>
)

const useChartData = (given: Happened, { degradedAfterMs, id }: Pick<MonitorDetail, "degradedAfterMs" | "id">): ChartData => {
  const { locale, zone } = useVisit()
  const { history } = given
  const [from, to] = [seconds(history.from), seconds(history.to)]
  return {
    id,
    range: history.range,
    locale,
    zone,
    from,
    to,
    bucketSec: history.bucketSec,
    goalMs: degradedAfterMs,
    regions: history.regions.map(({ data, region }) => ({
      region,
      points: data.map(({ at, ...bucket }) => pointOf(seconds(at), bucket))
    })),
    states: history.states.map(({ from: since, state, to: until }) => ({
      from: seconds(since),
      to: until === null ? to : seconds(until),
      tone: toneOfSpan(state),
      word: inWords(state)
    })),
    marks: marksOf(given).map(({ from: since, href, kind, name, to: until }) => ({ from: since, href, kind, name, to: until }))
  }
}

/** Events in sight; the others are folded away. */
const inSight = 5

const Row = ({ mark: { at, href, kind, name, until } }: { readonly mark: ListedMark }) => (
  <li id={href.startsWith("#") ? href.slice(1) : undefined}>
    <span class={`sign-note ${kind}`}>{inWords(kind)}</span>
    {href.startsWith("#") ? <bdi class="what">{name}</bdi> : <a class="what title" href={href}>{name}</a>}
    <span class="note">
      <Moment at={at} />
      {kind === "deploy" ? null : until === null ? " until now" : (
        <>
          {" to "}
          <Moment at={until} />
        </>
      )}
    </span>
  </li>
)

const HappenedList = ({ marks }: { readonly marks: ReadonlyArray<ListedMark> }) => {
  const newest = [...marks].reverse()
  return marks.length === 0 ?
    <p class="note" id="happened">No incident, deploy or maintenance in this range.</p> :
    (
      <div id="happened">
        <h3>In this range</h3>
        <ul class="happened">{newest.slice(0, inSight).map((mark) => <Row mark={mark} />)}</ul>
        {newest.length <= inSight ? null : (
          <details class="more">
            <summary>{`${newest.length - inSight} more`}</summary>
            <ul class="happened">{newest.slice(inSight).map((mark) => <Row mark={mark} />)}</ul>
          </details>
        )}
      </div>
    )
}

export const LatencyChart = ({ base, happened, monitor }: {
  readonly base: string
  readonly happened: Happened
  readonly monitor: Pick<MonitorDetail, "degradedAfterMs" | "id" | "kind">
}) => {
  const data = useChartData(happened, monitor)
  const { history } = happened
  const isPing = monitor.kind === "heartbeat"
  return (
    <Panel
      id="latency"
      title={isPing ? "Duration and states" : "Latency and states"}
      actions={<RangeLinks base={base} range={history.range} />}
    >
      {hasLatency(data) ? null : (
        <p class="note">
          {isPing
            ? "No ping in this range says how long the job took. Ping /start when it begins, or send durationMs with the ping."
            : "No check with a latency in this range."}
        </p>
      )}
      <Island name="chart" keep="props" props={data}>
        <Chart data={data} choice={firstChoice(data)} actions={null} />
      </Island>
      <HappenedList marks={marksOf(happened)} />
      {history.states.length === 0 ? null : <StateChanges states={history.states} />}
      {hasLatency(data)
        ? (
          <p class="note">
            <a href={`/app/monitors/${monitor.id}/figures?range=${history.range}`}>Figures as a table</a>
          </p>
        )
        : null}
    </Panel>
  )
}
