/** The overview: current problems and their start, people on call, and changes of the last day. Short when all is well. */
import { DateTime } from "effect"
import type { Event } from "../../../../schema/event/Event.ts"
import type { IncidentSummary } from "../../../../schema/incident/Incident.ts"
import type { Monitor } from "../../../../schema/monitor/Monitor.ts"
import type { CurrentOnCall } from "../../../../schema/oncall/Schedule.ts"
import { lastCheckText } from "../../../domain/monitor/LastCheckText.ts"
import { isolated } from "../../../domain/tools/Direction.ts"
import { totalOf } from "../../design/Counted.ts"
import { Buttons, CallButton, CallForm, Field } from "../../design/Form.tsx"
import { Banner, Box, Dot, IncidentBadge, Item, ListPanel, MonitorBadge, Panel, Tag } from "../../design/Parts.tsx"
import { Ago, Since, useNumber } from "../../design/Time.tsx"
import { read, type Shown, together, view } from "../../frame/View.ts"
import { noWorkspace } from "../account/NoWorkspace.tsx"
import { eventLines } from "../event/EventLine.ts"
import { OnDuty } from "../oncall/OnDuty.tsx"

/** The empty dashboard: one field leads to the first monitor. */
const firstMonitor: Shown = {
  title: "Overview",
  head: { title: "Watch your first address", note: "Paste a URL. Belltower checks it immediately and shows you what it saw." },
  body: (
    <Box>
      <CallForm call="create_monitor" id="first" then="/app/monitors/{id}/start" said="Monitor created">
        <Field
          name="url"
          type="url"
          label="URL"
          required
          attributes={{ placeholder: "https://example.com", autofocus: true, maxlength: 2000 }}
        />
        <Field
          name="name"
          label="Name"
          required
          hint="What alerts and status pages call it."
          attributes={{ "maxlength": 120, "data-host-of": "url" }}
        />
        <Buttons>
          <button>Check it now</button>
          <a class="button plain" href="/app/monitors/new">More kinds of monitor</a>
        </Buttons>
      </CallForm>
    </Box>
  ),
  live: ["monitor.*"]
}

const shown = 20

const Trouble = ({ monitors }: { readonly monitors: ReadonlyArray<Monitor> }) => (
  <ListPanel id="trouble" title="Needs attention" actions={<a href="/app/monitors?state=down">All monitors that are down</a>}>
    {monitors.map(({ id, lastCheck, name, openIncidentId, state, stateSince }) => (
      <Item
        id={`trouble-${id}`}
        name={name}
        href={`/app/monitors/${id}`}
        note={(lastCheck === null ? null : lastCheckText(state, lastCheck)) ?? "No error text"}
      >
        <span class="note">
          for <Since at={stateSince} />
        </span>
        <MonitorBadge state={state} />
        {openIncidentId === null ? null : <a class="button plain tight" href={`/app/incidents/${openIncidentId}`}>Incident</a>}
      </Item>
    ))}
  </ListPanel>
)

const OpenIncidents = ({ incidents }: { readonly incidents: ReadonlyArray<IncidentSummary> }) => (
  <ListPanel id="incidents" title="Open incidents" actions={<a href="/app/incidents">All incidents</a>}>
    {incidents.map(({ acknowledgement, id, startedAt, status, title }) => (
      <li id={`incident-${id}`}>
        <div>
          <a class="title" href={`/app/incidents/${id}`}>{title}</a>
          <p class="note">
            Started <Ago at={startedAt} />
            {acknowledgement === null ? ", nobody has acknowledged it" : `, acknowledged by ${isolated(acknowledgement.by)}`}
          </p>
        </div>
        <IncidentBadge status={status} />
        {acknowledgement === null
          ? (
            <CallButton
              call="acknowledge_incident"
              id={`acknowledge-${id}`}
              fixed={{ id }}
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
  </ListPanel>
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
  const { count } = useNumber()
  const [first] = down
  if (first === undefined && incidents.open === 0) {
    const note = monitors === 1 ? "The monitor is not down." : `None of ${count(monitors)} monitors is down.`
    return <Banner tone="good" role="status" title="All is well" note={note} />
  }
  return (
    <Banner
      tone={down.some(({ state }) => state === "down") ? "bad" : "warn"}
      role="status"
      title={first === undefined
        ? "No monitor is down"
        : down.length === 1
        ? `${isolated(first.name)} is ${first.state}`
        : `${count(attention)} monitors need attention`}
      note={openText(incidents)}
    />
  )
}

export const overviewView = view("/app", "overview", function*({ now, workspace }) {
  if (workspace === null) return noWorkspace("Welcome")
  const [down, degraded, incidents, current, log] = yield* together([
    read("list_monitors", { state: "down", limit: shown, counts: true }),
    read("list_monitors", { state: "degraded", limit: shown }),
    read("list_incidents", { open: true, kind: "incident", limit: shown }),
    read("get_current_oncall"),
    read("list_events", { limit: 40 })
  ])
  const { counts } = down
  const all = totalOf(counts)
  if (all === 0) return firstMonitor
  const trouble = [...down.data, ...degraded.data]
  const dayAgo = DateTime.subtract(now, { hours: 24 })
  const events = log.data.filter(({ at }) => DateTime.greaterThan(at, dayAgo))
  return {
    title: "Overview",
    live: ["*"],
    head: { note: workspace.name },
    stack: [
      <Summary
        down={trouble}
        attention={(counts?.down ?? 0) + (counts?.degraded ?? 0)}
        open={incidents.data.length}
        more={incidents.next !== null}
        monitors={all}
      />,
      [
        [
          trouble.length === 0 ? null : <Trouble monitors={trouble} />,
          incidents.data.length === 0 ? null : <OpenIncidents incidents={incidents.data} />,
          <Changes events={events} />
        ],
        [<OnCallNow current={current.data} />]
      ]
    ]
  }
})
