/** One incident or maintenance window: its components, updates, possible causes, and actions. */
import { DateTime, Effect } from "effect"
import type { IncidentWithDeploys } from "../../../../schema/api/Incidents.ts"
import type { Check } from "../../../../schema/check/Check.ts"
import type { MutedMonitors } from "../../../../schema/monitor/MutedMonitors.ts"
import type { Page } from "../../../../schema/page/Page.ts"
import { around, regionsAtBeginning, showsFailure } from "../../../domain/incident/AroundBeginning.ts"
import { isolated } from "../../../domain/tools/text/Direction.ts"
import { CallButton, CallForm, Submit } from "../../design/Form.tsx"
import { MarkdownArea } from "../../design/MarkdownArea.tsx"
import { Banner, ComponentBadge, Facts, IncidentBadge, inWords, Item, ListPanel, Panel } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { read, readOrNull, together, view } from "../../frame/View.ts"
import { sectionsOf } from "../page/ComponentPicker.tsx"
import { ActionBar } from "./ActionBar.tsx"
import { DeploysNear, FailingAnswer, LatencyAround, Regions } from "./FailingAnswer.tsx"
import { Reports, Timeline } from "./IncidentParts.tsx"
import { Lasted } from "./IncidentsView.tsx"
import { PastIncidents, readPast } from "./PastIncidents.tsx"
import { PostUpdate } from "./PostUpdate.tsx"
import { Situation } from "./Situation.tsx"

interface PartProps {
  readonly incident: IncidentWithDeploys
  readonly pages: ReadonlyArray<Page>
}

const OpenFor = ({ of }: { readonly of: IncidentWithDeploys }) => (
  <>
    {of.resolvedAt === null ? "open for" : "lasted"} <Lasted of={of} />
  </>
)

/** Links with a space after each. */
const links = (of: ReadonlyArray<readonly [href: string, text: string]>) =>
  of.map(([href, text]) => (
    <>
      <a href={href}>{text}</a>
      {" "}
    </>
  ))

/** An automatic incident is only on pages that show one of its components. */
const showing = ({ incident, pages }: PartProps): ReadonlyArray<Page> => {
  const affected = new Set(incident.components.map(({ componentId }) => componentId))
  return !incident.public ?
    [] :
    pages.filter(({ components }) => !incident.automatic || components.some(({ hidden, id }) => !hidden && affected.has(id)))
}

/** The monitors that a window mutes, with links. */
const Mutes = ({ of: { count, monitors } }: { readonly of: MutedMonitors }) => (
  <>
    {count === 0 ? "No monitor" : links(monitors.map(({ id, name }) => [`/app/monitors/${id}`, name]))}
    {count > monitors.length ? `and ${count - monitors.length} more` : ""}
  </>
)

const About = ({ incident, monitorName, pages }: PartProps & { readonly monitorName: string }) => {
  const { id, impact, kind, likelyUpstream, monitorId, recurrence, resolvedAt, scheduledEnd, scheduledStart } = incident
  const shownOn = showing({ incident, pages })
  return (
    <Panel id="about" title="About">
      <Facts
        of={[
          ["Impact", kind === "maintenance" ? null : inWords(impact)],
          [
            "Scheduled",
            scheduledStart === null || scheduledEnd === null ? null : (
              <>
                <Moment at={scheduledStart} /> to <Moment at={scheduledEnd} />
              </>
            )
          ],
          ["Repeats", recurrence === undefined ? null : `${recurrence.rule} (${recurrence.timezone ?? "UTC"})`],
          ["Reminders", incident.remindMinutes?.map((minutes) => `${minutes} min before`).join(", ")],
          ["Subscribers", incident.notify === false ? "Not notified" : null],
          ["Mutes", incident.mutes === undefined ? null : <Mutes of={incident.mutes} />],
          ["Started", kind === "incident" ? <Moment at={incident.startedAt} /> : null],
          ["Ended", resolvedAt === null ? null : <Moment at={resolvedAt} />],
          ["Monitor", monitorId === null ? null : <a href={`/app/monitors/${monitorId}`}>{monitorName}</a>],
          [
            "Pages",
            incident.public && pages.length > 0
              ? links(pages.map((page) => [`/app/pages/${page.id}`, page.name]))
              : "Not public: no page shows it"
          ],
          [
            "Public link",
            shownOn.length === 0
              ? null
              : links(shownOn.map(({ name, url }) => [`${url}/incidents/${id}`, `View on ${isolated(name)}`]))
          ],
          [
            "Likely cause",
            likelyUpstream === null ? null : (
              <>
                <a href={`/status/${likelyUpstream.service}`}>{likelyUpstream.name}</a>: {likelyUpstream.incident}
              </>
            )
          ]
        ]}
      />
    </Panel>
  )
}

const Affected = ({ incident, pages }: PartProps) =>
  incident.components.length === 0 ? null : (
    <ListPanel id="affected" title="Affected components">
      {incident.components.map(({ componentId, status }) => {
        const page = pages.find(({ components }) => components.some(({ id }) => id === componentId))
        const name = page?.components.find(({ id }) => id === componentId)?.name ?? "A component of another page"
        return (
          <Item name={name} note={pages.length < 2 || page === undefined ? null : `on ${page.name}`}>
            <ComponentBadge status={status} />
          </Item>
        )
      })}
    </ListPanel>
  )

/** Ends a maintenance window. An incident has it among its actions. */
const Complete = ({ incident: { id, kind, recurrence, resolvedAt } }: { readonly incident: IncidentWithDeploys }) =>
  resolvedAt !== null || kind !== "maintenance" ? null : (
    <Panel id="resolve-panel" title="Complete">
      <CallForm call="resolve_incident" id="resolve" fixed={{ id }} said="Maintenance completed">
        <MarkdownArea
          name="message"
          label="Last update"
          rows={3}
          hint="Visible to the public if the incident is. Leave it empty, and Belltower writes that the maintenance is complete."
        />
        <Submit>Complete maintenance</Submit>
      </CallForm>
      {recurrence === undefined ? null : (
        <CallButton
          call="post_incident_update"
          id="end-series"
          fixed={{ id, "endSeries:boolean": true, "public:boolean": false, message: "No window follows this one." }}
          said="The series ends with this window"
        >
          End the series after this window
        </CallButton>
      )}
    </Panel>
  )

const mostPages = 5

/** Checks around the beginning that are read: of five regions twice a minute, a quarter of an hour before it too. */
const mostChecks = 200

/** Data that the view of an incident shows beyond its record; of maintenance, none. */
const readAlerting = ({ id, kind, monitorId, resolvedAt, startedAt }: IncidentWithDeploys, now: DateTime.Utc) => {
  const isOpen = resolvedAt === null
  const ofIncident = kind === "incident"
  const ofMonitor = ofIncident && monitorId !== null
  const { from, to } = around(startedAt, now)
  return together([
    ofIncident ? read("list_incident_pagings", { id }) : Effect.succeed(null),
    ofMonitor ? readOrNull("get_monitor", { id: monitorId, checks: 0 }) : Effect.succeed(null),
    ofMonitor && isOpen ? readOrNull("explain_monitor", { id: monitorId }) : Effect.succeed(null),
    ofMonitor
      ? readOrNull("list_checks", {
        id: monitorId,
        since: DateTime.formatIso(from),
        before: DateTime.formatIso(to),
        limit: mostChecks
      })
      : Effect.succeed(null),
    ofIncident && isOpen ? read("list_oncall_members") : Effect.succeed(null),
    ofIncident && !isOpen ? readOrNull("get_postmortem", { id }) : Effect.succeed(null)
  ])
}

type Alerting = Effect.Effect.Success<ReturnType<typeof readAlerting>>

/** The check that shows the failure: of a monitor in trouble the one that explains it, else one around the beginning. */
const failingCheck = ([, , explanation, checks]: Alerting, startedAt: DateTime.Utc) =>
  (explanation !== null && explanation.check !== null && explanation.check.outcome !== "up" ? explanation.check.id : null) ??
    showsFailure(checks?.data ?? [], startedAt)

interface FirstLookProps {
  readonly incident: IncidentWithDeploys
  readonly alerting: Alerting
  readonly failing: Check | null
}

/** The failure and what happened near it. */
const FirstLook = ({ alerting: [, monitor, explanation, checks], failing, incident: { deploys, startedAt } }: FirstLookProps) => (
  <>
    {failing === null ? null : <FailingAnswer check={failing} />}
    {monitor === null || monitor.kind === "heartbeat" ? null : explanation === null
      ? <Regions title="Regions at the start" of={regionsAtBeginning(checks?.data ?? [], startedAt)} />
      : <Regions title="Regions now" of={explanation.regions} />}
    <LatencyAround checks={checks?.data ?? []} startedAt={startedAt} />
    <DeploysNear deploys={deploys} startedAt={startedAt} />
  </>
)

export const incidentView = view("/app/incidents/:id", "incidents", function*({ id, now, query }) {
  const incident = yield* read("get_incident", { id })
  const template = query.get("template")
  const [alerting, past, pages, { data: templates }, rendered] = yield* together([
    readAlerting(incident, now),
    readPast(incident),
    together(incident.pageIds.slice(0, mostPages).map((pageId) => readOrNull("get_page", { pageId }))),
    read("list_incident_templates"),
    template === null ? Effect.succeed(null) : readOrNull("render_incident_template", { id: template, incidentId: id })
  ])
  const shownPages = pages.filter((page) => page !== null)
  const [pagings, monitor, explanation, , members, postmortem] = alerting
  const failingId = failingCheck(alerting, incident.startedAt)
  const failing = failingId === null ? null : yield* readOrNull("get_check", { id: failingId })
  const isMaintenance = incident.kind === "maintenance"
  return {
    title: incident.title,
    live: [
      `incident.*:${id}`,
      `maintenance.*:${id}`,
      ...(monitor === null || incident.resolvedAt !== null ? [] : [`monitor.*:${monitor.id}`, "mute.*"])
    ],
    head: {
      crumbs: isMaintenance ? [["/app/maintenance", "Maintenance"]] : [["/app/incidents", "Incidents"]],
      note: (
        <>
          <IncidentBadge status={incident.status} /> {isMaintenance ? null : <OpenFor of={incident} />}
        </>
      ),
      actions: isMaintenance || incident.resolvedAt === null
        ? null
        : (
          <a class="button plain" href={`/app/incidents/${id}/postmortem`}>
            {postmortem === null ? "Write postmortem" : "Postmortem"}
          </a>
        )
    },
    stack: [
      ...(pagings === null ? [] : [
        <Situation incident={incident} explanation={explanation} pagings={pagings} />,
        <ActionBar incident={incident} pagings={pagings} members={members?.data ?? []} monitor={monitor} />
      ]),
      ...(incident.warnings ?? []).map((warning) => <Banner tone="warn" title={warning} />),
      [
        [
          isMaintenance ? null : <FirstLook incident={incident} alerting={alerting} failing={failing} />,
          <Timeline of={incident} pages={pagings?.data ?? []} />,
          <PostUpdate {...{ incident, sections: sectionsOf(shownPages), templates, rendered, template }} />
        ],
        [
          <About incident={incident} pages={shownPages} monitorName={monitor?.name ?? "Monitor"} />,
          <Affected incident={incident} pages={shownPages} />,
          <Complete incident={incident} />,
          <PastIncidents of={incident} past={past} />,
          <Reports of={incident} />
        ]
      ]
    ]
  }
})
