/** The overview: current problems and their start, people on call, and changes of the last day. Short when all is well. */
import { DateTime, Effect } from "effect"
import type { Event } from "../../../../schema/event/Event.ts"
import type { IncidentSummary } from "../../../../schema/incident/Incident.ts"
import type { Monitor } from "../../../../schema/monitor/Monitor.ts"
import type { CurrentOnCall } from "../../../../schema/oncall/Schedule.ts"
import { lastCheckText } from "../../../domain/monitor/LastCheckText.ts"
import { CallButton } from "../../design/Form.tsx"
import { Dot, Head, IncidentBadge, MonitorBadge, Panel, Tag, toneOfMonitor } from "../../design/Parts.tsx"
import { Ago, Since, useNumber } from "../../design/Time.tsx"
import { read, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { NoWorkspace } from "../account/NoWorkspace.tsx"
import { totalOf } from "../channel/AttachExisting.tsx"
import { eventLines } from "../event/EventLine.ts"
import { OnDuty } from "../oncall/OnDuty.tsx"
import { FirstMonitor } from "./FirstMonitor.tsx"

/** Rows of each list. */
const shown = 20

const Trouble = ({ monitors }: { readonly monitors: ReadonlyArray<Monitor> }) => (
  <Panel id="trouble" title="Needs attention" flush actions={<a href="/app/monitors?state=down">All monitors that are down</a>}>
    <ul class="rows">
      {monitors.map(({ id, lastCheck, name, openIncidentId, state, stateSince }) => (
        <li id={`trouble-${id}`}>
          <div>
            <a class="title" href={`/app/monitors/${id}`}>{name}</a>
            <p class="note">{(lastCheck === null ? null : lastCheckText(state, lastCheck)) ?? "No error text"}</p>
          </div>
          <span class="note">
            for <Since at={stateSince} />
          </span>
          <MonitorBadge state={state} />
          {openIncidentId === null ? null : <a class="button plain tight" href={`/app/incidents/${openIncidentId}`}>Incident</a>}
        </li>
      ))}
    </ul>
  </Panel>
)

const OpenIncidents = ({ incidents }: { readonly incidents: ReadonlyArray<IncidentSummary> }) => (
  <Panel id="incidents" title="Open incidents" flush actions={<a href="/app/incidents">All incidents</a>}>
    <ul class="rows">
      {incidents.map(({ acknowledgement, id, startedAt, status, title }) => (
        <li id={`incident-${id}`}>
          <div>
            <a class="title" href={`/app/incidents/${id}`}>{title}</a>
            <p class="note">
              Started <Ago at={startedAt} />
              {acknowledgement === null ? ", nobody has acknowledged it" : `, acknowledged by ${acknowledgement.by}`}
            </p>
          </div>
          <IncidentBadge status={status} />
          {acknowledgement === null
            ? (
              <CallButton
                call="acknowledge_incident"
                id={`acknowledge-${id}`}
                fixed={{ id }}
                then="/app"
                said="Incident acknowledged"
                undo={{ operation: "unacknowledge_incident", given: { id } }}
                look="plain tight"
              >
                Acknowledge
              </CallButton>
            )
            : null}
        </li>
      ))}
    </ul>
  </Panel>
)

const OnCallNow = ({ current }: { readonly current: ReadonlyArray<CurrentOnCall> }) => (
  <Panel id="on-call" title="On call now" flush={current.length > 0}>
    {current.length === 0
      ? (
        <p class="note">
          No schedule yet. <a href="/app/on-call">Create one</a> to page people in turn.
        </p>
      )
      : <OnDuty current={current} />}
  </Panel>
)

const Changes = ({ events }: { readonly events: ReadonlyArray<Event> }) => (
  <Panel id="changes" title="Last 24 hours" flush={events.length > 0}>
    {events.length === 0 ? <p class="note">Nothing changed.</p> : (
      <ul class="rows events">
        {eventLines(events).slice(0, shown).map(({ at, count, id, link, text, tone }) => (
          <li id={`event-${id}`}>
            <div class="event">
              <Dot tone={tone} /> {link === null ? <span>{text}</span> : <a href={link}>{text}</a>}
              {count === 1 ? null : <Tag>{count} times</Tag>}
            </div>
            <span class="note">
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ul>
    )}
  </Panel>
)

interface OpenCount {
  /** Open incidents in the list. */
  readonly open: number
  readonly more: boolean
}

const openText = ({ more, open }: OpenCount): string =>
  open === 0
    ? "No open incident."
    : more
    ? `More than ${open} open incidents.`
    : open === 1
    ? "One open incident."
    : `${open} open incidents.`

const Summary = ({ attention, down, monitors, ...incidents }: OpenCount & {
  /** The first monitors that need attention. */
  readonly down: ReadonlyArray<Monitor>
  readonly attention: number
  readonly monitors: number
}) => {
  const { open } = incidents
  const { count } = useNumber()
  return down.length === 0 && open === 0
    ? (
      <div class="banner is-good" role="status">
        <Dot tone="good" />
        <div>
          <h2>All is well</h2>
          <p class="note">
            {monitors === 1 ? "The monitor is not down." : `None of ${count(monitors)} monitors is down.`}
          </p>
        </div>
      </div>
    )
    : (
      <div class={`banner is-${down.some(({ state }) => state === "down") ? "bad" : "warn"}`} role="status">
        <Dot tone={down[0] === undefined ? "warn" : toneOfMonitor(down[0].state)} />
        <div>
          <h2>
            {down.length === 0
              ? "No monitor is down"
              : down.length === 1
              ? `${down[0]?.name} is ${down[0]?.state}`
              : `${count(attention)} monitors need attention`}
          </h2>
          <p class="note">{openText(incidents)}</p>
        </div>
      </div>
    )
}

const overview = Effect.gen(function*() {
  const { now, workspace } = yield* Visit
  if (workspace === null) return { title: "Welcome", body: <NoWorkspace /> }
  const [down, degraded, incidents, current, log] = yield* Effect.all([
    read("list_monitors", { state: "down", limit: shown, counts: true }),
    read("list_monitors", { state: "degraded", limit: shown }),
    read("list_incidents", { open: true, kind: "incident", limit: shown }),
    read("get_current_oncall"),
    read("list_events", { limit: 40 })
  ], together)
  const { counts } = down
  const all = totalOf(counts)
  if (all === 0) return { title: "Overview", body: <FirstMonitor />, live: ["monitor.*"] }
  const trouble = [...down.data, ...degraded.data]
  const dayAgo = DateTime.subtract(now, { hours: 24 })
  const events = log.data.filter(({ at }) => DateTime.greaterThan(at, dayAgo))
  return {
    title: "Overview",
    live: ["*"],
    body: (
      <>
        <Head title="Overview" note={workspace.name} />
        <div class="stack">
          <Summary
            down={trouble}
            attention={(counts?.down ?? 0) + (counts?.degraded ?? 0)}
            open={incidents.data.length}
            more={incidents.next !== null}
            monitors={all}
          />
          <div class="split">
            <div class="stack">
              {trouble.length === 0 ? null : <Trouble monitors={trouble} />}
              {incidents.data.length === 0 ? null : <OpenIncidents incidents={incidents.data} />}
              <Changes events={events} />
            </div>
            <div class="stack">
              <OnCallNow current={current.data} />
            </div>
          </div>
        </div>
      </>
    )
  }
})

export const overviewView = view("/app", "overview", overview)
