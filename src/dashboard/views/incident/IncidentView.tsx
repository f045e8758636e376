/** One incident or maintenance window: its components, updates, possible causes, and actions. */
import { Effect } from "effect"
import type { IncidentWithDeploys } from "../../../../schema/api/Incidents.ts"
import type { MutedMonitors } from "../../../../schema/monitor/MutedMonitors.ts"
import type { Page } from "../../../../schema/page/Page.ts"
import { isolated } from "../../../domain/tools/Direction.ts"
import { CallButton, CallForm, Submit } from "../../design/Form.tsx"
import { MarkdownArea } from "../../design/MarkdownArea.tsx"
import { Banner, ComponentBadge, Facts, IncidentBadge, inWords, Item, ListPanel, Panel } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { read, readOrNull, together, view } from "../../frame/View.ts"
import { sectionsOf } from "../page/ComponentPicker.tsx"
import { Acknowledge, Reports, Timeline } from "./IncidentParts.tsx"
import { Lasted } from "./IncidentsView.tsx"
import { PostUpdate } from "./PostUpdate.tsx"

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
              : links(shownOn.map(({ name, url }) => [`${url}/incidents/${id}`, `See it on ${isolated(name)} as visitors do`]))
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

const Deploys = ({ deploys }: Pick<IncidentWithDeploys, "deploys">) =>
  deploys.length === 0 ? null : (
    <ListPanel id="deploys" title="Deploys around it">
      {deploys.map(({ at, commit, environment, id, service, url, version }) => (
        <Item
          id={`deploy-${id}`}
          name={version ?? commit ?? "Deploy"}
          href={url ?? undefined}
          note={[service, environment].filter((part) => part !== null).join(", ")}
        >
          <span class="note">
            <Moment at={at} />
          </span>
        </Item>
      ))}
    </ListPanel>
  )

const Resolve = ({ incident: { id, kind, recurrence, resolvedAt } }: { readonly incident: IncidentWithDeploys }) =>
  resolvedAt !== null ? null : (
    <Panel id="resolve-panel" title={kind === "maintenance" ? "Complete" : "Resolve"}>
      <CallForm
        call="resolve_incident"
        id="resolve"
        fixed={{ id }}
        said={kind === "maintenance" ? "Maintenance completed" : "Incident resolved"}
      >
        <MarkdownArea
          name="message"
          label="Last update"
          rows={3}
          hint="Public, if the incident is. Without a text, Belltower says what recovered after how long."
        />
        <Submit>{kind === "maintenance" ? "Complete maintenance" : "Resolve incident"}</Submit>
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

export const incidentView = view("/app/incidents/:id", "incidents", function*({ id, query }) {
  const incident = yield* read("get_incident", { id })
  const pages = (yield* together(incident.pageIds.slice(0, mostPages).map((pageId) => readOrNull("get_page", { pageId }))))
    .filter((page) => page !== null)
  const template = query.get("template")
  const [{ data: templates }, rendered, monitor, postmortem] = yield* together([
    read("list_incident_templates"),
    template === null ? Effect.succeed(null) : readOrNull("render_incident_template", { id: template, incidentId: id }),
    incident.monitorId === null ? Effect.succeed(null) : readOrNull("get_monitor", { id: incident.monitorId, checks: 0 }),
    incident.kind === "maintenance" ? Effect.succeed(null) : readOrNull("get_postmortem", { id })
  ])
  const isMaintenance = incident.kind === "maintenance"
  return {
    title: incident.title,
    live: [`incident.*:${id}`, `maintenance.*:${id}`],
    head: {
      crumbs: isMaintenance ? [["/app/maintenance", "Maintenance"]] : [["/app/incidents", "Incidents"]],
      note: (
        <>
          <IncidentBadge status={incident.status} /> {isMaintenance ? null : <OpenFor of={incident} />}
        </>
      ),
      actions: isMaintenance
        ? null
        : (
          <a class="button plain" href={`/app/incidents/${id}/postmortem`}>
            {postmortem === null ? "Write postmortem" : "Postmortem"}
          </a>
        )
    },
    stack: [
      <Acknowledge of={incident} />,
      ...(incident.warnings ?? []).map((warning) => <Banner tone="warn" title={warning} />),
      [
        [
          <Timeline of={incident} />,
          <PostUpdate {...{ incident, sections: sectionsOf(pages), templates, rendered, template }} />
        ],
        [
          <About incident={incident} pages={pages} monitorName={monitor?.name ?? "Monitor"} />,
          <Affected incident={incident} pages={pages} />,
          <Resolve incident={incident} />,
          <Deploys deploys={incident.deploys} />,
          <Reports of={incident} />
        ]
      ]
    ]
  }
})
