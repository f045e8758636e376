/** The states of a monitor as a strip over time, with its incidents and the deploys nearby on the same axis. */
import { DateTime } from "effect"
import type { MonitorHistory } from "../../../../schema/check/MonitorHistory.ts"
import type { Deploy } from "../../../../schema/deploy/Deploy.ts"
import type { IncidentSummary } from "../../../../schema/incident/Incident.ts"
import { isolated } from "../../../domain/tools/Direction.ts"
import { counted } from "../../design/Counted.ts"
import { Badge, inWords, type Tone, toneOfMonitor } from "../../design/Parts.tsx"
import { FigureTable } from "../../design/Table.tsx"
import { Moment, momentText, useNumber } from "../../design/Time.tsx"
import { useVisit } from "../../frame/Visit.ts"

type Span = MonitorHistory["states"][number]

const toneOf = (state: Span["state"]): Tone => (state === "unobserved" ? "none" : toneOfMonitor(state))

/** Width of the SVG view box. */
const width = 1000

const listed = 50

export interface OnAxis {
  readonly history: MonitorHistory
  readonly deploys: ReadonlyArray<Deploy>
  readonly incidents: ReadonlyArray<IncidentSummary>
}

const Marks = ({ deploys, incidents, placeOf }: Omit<OnAxis, "history"> & {
  readonly placeOf: (at: DateTime.Utc | null) => number
}) => {
  const visit = useVisit()
  return (
    <>
      {incidents.map(({ id, resolvedAt, startedAt, title }) => (
        <a href={`/app/incidents/${id}`} aria-label={`Incident: ${title}`}>
          <rect
            x={placeOf(startedAt)}
            y="30"
            width={Math.max(6, placeOf(resolvedAt) - placeOf(startedAt))}
            height="8"
            rx="2"
            class="is-bad mark"
          >
            <title>{`${isolated(title)}, from ${momentText(visit, startedAt)}`}</title>
          </rect>
        </a>
      ))}
      {deploys.map(({ at, commit, description, version }) => (
        <rect x={Math.min(width - 3, placeOf(at))} y="42" width="3" height="12" class="deploy">
          <title>{`Deploy ${version ?? commit ?? description ?? ""}, ${momentText(visit, at)}`}</title>
        </rect>
      ))}
    </>
  )
}

const States = ({ states }: { readonly states: ReadonlyArray<Span> }) => {
  const { now } = useVisit()
  const { between } = useNumber()
  return (
    <details class="more">
      <summary>State changes as a table</summary>
      <div class="scroll">
        <FigureTable columns={["State", "From", "To", { name: "Lasted", end: true }]}>
          {states.slice(-listed).reverse().map(({ from, state, to }) => (
            <tr>
              <td>
                <Badge tone={toneOf(state)}>{inWords(state)}</Badge>
              </td>
              <td>
                <Moment at={from} />
              </td>
              <td>{to === null ? "now" : <Moment at={to} />}</td>
              <td class="end">{between(from, to ?? now)}</td>
            </tr>
          ))}
        </FigureTable>
      </div>
    </details>
  )
}

export const StateTimeline = ({ deploys, history, incidents }: OnAxis) => {
  const visit = useVisit()
  const from = DateTime.toEpochMillis(history.from)
  const span = Math.max(1, DateTime.toEpochMillis(history.to) - from)
  const placeOf = (at: DateTime.Utc | null) =>
    at === null ? width : Math.round(Math.max(0, Math.min(1, (DateTime.toEpochMillis(at) - from) / span)) * width * 10) / 10
  const down = history.states.filter(({ state }) => state === "down").length
  return (
    <>
      <svg
        class="strip"
        viewBox={`0 0 ${width} 56`}
        preserveAspectRatio="none"
        role="group"
        aria-label={`States over the range: ${down === 0 ? "never down" : `down ${down} times`}`}
      >
        <rect x="0" y="0" width={width} height="24" class="rail" />
        {history.states.map((one) => (
          <rect
            x={placeOf(one.from)}
            y="0"
            width={Math.max(1, placeOf(one.to) - placeOf(one.from))}
            height="24"
            class={`is-${toneOf(one.state)} mark`}
          >
            <title>{`${inWords(one.state)} from ${momentText(visit, one.from)}`}</title>
          </rect>
        ))}
        <Marks deploys={deploys} incidents={incidents} placeOf={placeOf} />
      </svg>
      <p class="axis note">
        <Moment at={history.from} />
        <span>
          {incidents.length === 0 ? "No incident" : counted(incidents.length, "incident")}
          {deploys.length === 0 ? "" : `, ${counted(deploys.length, "deploy")}`}
        </span>
        <span>now</span>
      </p>
      {history.states.length === 0 ? null : <States states={history.states} />}
    </>
  )
}
