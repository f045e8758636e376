/** The overview: counts, current problems, people on call, pages, deploys, and the news of the last day. Short when all is well. */
import { DateTime } from "effect"
import type { Deploy } from "../../../../schema/deploy/Deploy.ts"
import type { IncidentSummary } from "../../../../schema/incident/Incident.ts"
import type { Monitor } from "../../../../schema/monitor/Monitor.ts"
import type { CurrentOnCall } from "../../../../schema/oncall/Schedule.ts"
import type { ListedPage } from "../../../../schema/page/Page.ts"
import { lastCheckText } from "../../../domain/monitor/LastCheckText.ts"
import { isolated } from "../../../domain/tools/text/Direction.ts"
import { totalOf } from "../../design/Amounts.ts"
import { Buttons, CallButton, CallForm, Field } from "../../design/Form.tsx"
import { Banner, Box, Clamp, Dot, IncidentBadge, Item, ListPanel, MonitorBadge, Panel, Tag } from "../../design/Parts.tsx"
import { spanText } from "../../design/SpanText.ts"
import { Ago, Since, useNumber } from "../../design/Time.tsx"
import { read, type Shown, together, view } from "../../frame/View.ts"
import { noWorkspace } from "../account/NoWorkspace.tsx"
import { deployName } from "../deploy/DeployName.ts"
import { OnDuty } from "../oncall/OnDuty.tsx"
import { PageState } from "../page/PageState.tsx"
import { Counts, dayFigures } from "./Counts.tsx"
import { type NewsLine, newsOf, newsTypes } from "./News.ts"

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

/** Rows that are read; the count says whether there are more. */
const shown = 20

/** Rows of each list of problems; their own views have the rest. */
const listed = 6

const More = ({ href, of }: { readonly of: number; readonly href: `/app${string}` }) =>
  of <= listed ? null : (
    <li>
      <a href={href}>{of === shown ? "At least " : ""}{of - listed} more</a>
    </li>
  )

const Trouble = ({ monitors }: { readonly monitors: ReadonlyArray<Monitor> }) => (
  <ListPanel id="trouble" title="Needs attention" actions={<a href="/app/monitors">All monitors</a>}>
    {monitors.slice(0, listed).map(({ id, lastCheck, name, openIncidentId, state, stateSince }) => (
      <Item
        id={`trouble-${id}`}
        name={name}
        href={`/app/monitors/${id}`}
        note={
          <>
            For <Since at={stateSince} />
          </>
        }
        more={
          <p class="note">
            <Clamp>{(lastCheck === null ? null : lastCheckText(state, lastCheck)) ?? "No error text"}</Clamp>
          </p>
        }
      >
        <MonitorBadge state={state} />
        {openIncidentId === null ? null : <a class="button plain tight" href={`/app/incidents/${openIncidentId}`}>Incident</a>}
      </Item>
    ))}
    <More of={monitors.length} href="/app/monitors" />
  </ListPanel>
)

const Owner = ({ acknowledgement }: Pick<IncidentSummary, "acknowledgement">) =>
  acknowledgement === null ? <b>nobody has acknowledged it</b> : <>acknowledged by {isolated(acknowledgement.by)}</>

const OpenIncidents = ({ incidents }: { readonly incidents: ReadonlyArray<IncidentSummary> }) => (
  <ListPanel id="incidents" title="Open incidents" actions={<a href="/app/incidents">All incidents</a>}>
    {incidents.slice(0, listed).map(({ acknowledgement, id, startedAt, status, title }) => (
      <li id={`incident-${id}`}>
        <div>
          <a class="title" href={`/app/incidents/${id}`}>{title}</a>
          <p class="note">
            Open for <Since at={startedAt} />, <Owner acknowledgement={acknowledgement} />
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
    <More of={incidents.length} href="/app/incidents?show=open" />
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

const NobodyAlerted = () => (
  <Panel id="silent" title="Alerts">
    <p class="note">
      No alert channel yet, so nobody is alerted. <a href="/app/channels/new">Create one</a>.
    </p>
  </Panel>
)

const News = ({ lines }: { readonly lines: ReadonlyArray<NewsLine> }) => (
  <Panel id="news" title="Last 24 hours" flush={lines.length > 0}>
    {lines.length === 0 ? <p class="note">No outage, no incident and no maintenance.</p> : (
      <ul class="rows events">
        {lines.slice(0, shown).map(({ at, count, id, link, text, tone }) => (
          <li id={`event-${id}`}>
            <div class="event">
              <Dot tone={tone} /> {link === null ? <Clamp>{text}</Clamp> : (
                <a href={link}>
                  <Clamp>{text}</Clamp>
                </a>
              )}
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

const Deploys = ({ deploys }: { readonly deploys: ReadonlyArray<Deploy> }) =>
  deploys.length === 0 ? null : (
    <ListPanel id="deploys" title="Deployed" actions={<a href="/app/deploys">All deploys</a>}>
      {deploys.map((deploy) => (
        <Item id={`deploy-${deploy.id}`} name={deployName(deploy)} href={deploy.url ?? undefined} note={deploy.description}>
          {deploy.environment === null ? null : <Tag>{deploy.environment}</Tag>}
          <span class="note">
            <Ago at={deploy.at} />
          </span>
        </Item>
      ))}
    </ListPanel>
  )

const Pages = ({ more, pages }: { readonly pages: ReadonlyArray<ListedPage>; readonly more: boolean }) =>
  pages.length === 0 ?
    null :
    (
      <ListPanel id="pages" title="Status pages" actions={more ? <a href="/app/pages">All pages</a> : null}>
        {pages.map(({ counts, id, name }) => (
          <Item id={`page-${id}`} name={name} href={`/app/pages/${id}`}>
            {counts === undefined ? null : <PageState counts={counts} />}
          </Item>
        ))}
      </ListPanel>
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

/** The day's figures need all monitors: of more, they would cost more than the view. */
const mostMeasured = 100

/** Pages of which the state is shown: it is counted from their components. */
const shownPages = 5

export const overviewView = view("/app", "overview", function*(visit) {
  const { locale, now, workspace } = visit
  if (workspace === null) return noWorkspace("Welcome")
  const [down, degraded, incidents, current, log, deploys, pages, { data: channels }] = yield* together([
    read("list_monitors", { state: "down", limit: shown, counts: true }),
    read("list_monitors", { state: "degraded", limit: shown }),
    read("list_incidents", { open: true, kind: "incident", limit: shown }),
    read("get_current_oncall"),
    read("list_events", { types: newsTypes.join(","), limit: 80 }),
    read("list_deploys", { since: DateTime.formatIso(DateTime.subtract(now, { days: 7 })), limit: 5 }),
    read("list_pages", { components: false, counts: true, limit: shownPages }),
    read("list_channels")
  ])
  const { counts } = down
  const all = totalOf(counts)
  if (counts === undefined || all === 0) return firstMonitor
  const day = all > mostMeasured ? null : dayFigures((yield* read("list_monitors", { trend: true, limit: mostMeasured })).data)
  const isSilent = channels.length === 0 && (yield* read("list_escalation_policies")).data.length === 0
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
        attention={counts.down + counts.degraded}
        open={incidents.data.length}
        more={incidents.next !== null}
        monitors={all}
      />,
      <Counts counts={counts} day={day} />,
      [
        [
          trouble.length === 0 ? null : <Trouble monitors={trouble} />,
          incidents.data.length === 0 ? null : <OpenIncidents incidents={incidents.data} />,
          <News lines={newsOf(events, (seconds) => spanText(locale, seconds))} />
        ],
        [
          isSilent ? <NobodyAlerted /> : null,
          <OnCallNow current={current.data} />,
          <Pages pages={pages.data} more={pages.next !== null} />,
          <Deploys deploys={deploys.data} />
        ]
      ]
    ]
  }
})
