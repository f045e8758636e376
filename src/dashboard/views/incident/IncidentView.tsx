/** One incident or maintenance window: its components, updates, possible causes, and actions. */
import { Effect } from "effect"
import type { Component } from "../../../../schema/component/Component.ts"
import type { IncidentWithDeploys } from "../../../../schema/deploy/IncidentWithDeploys.ts"
import type { Page } from "../../../../schema/page/Page.ts"
import { Area, Buttons, CallButton, CallForm } from "../../design/Form.tsx"
import { ComponentBadge, Facts, Head, IncidentBadge, inWords, Panel } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { read, readOrNull, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { sectionsOf } from "../page/ComponentPicker.tsx"
import { Acknowledge } from "./Acknowledge.tsx"
import { Lasted } from "./IncidentsView.tsx"
import { PostUpdate, type PostUpdateProps } from "./PostUpdate.tsx"
import { Reports } from "./Reports.tsx"
import { Timeline } from "./Timeline.tsx"

interface Around {
  readonly components: ReadonlyArray<Component>
  readonly pages: ReadonlyArray<Pick<Page, "id" | "name" | "url">>
  /** The pages that show it to visitors. */
  readonly shownOn: Around["pages"]
  readonly monitorName: string | null
  readonly hasPostmortem: boolean
}

const PageLink = ({ id, name }: Around["pages"][number]) => (
  <>
    <a href={`/app/pages/${id}`}>{name}</a>
    {" "}
  </>
)

const PublicLink = ({ id, name, url }: Pick<Page, "name" | "url"> & { readonly id: string }) => (
  <>
    <a href={`${url}/incidents/${id}`}>See it on {name} as visitors do</a>
    {" "}
  </>
)

/** An automatic incident is only on pages that show one of its components. */
const showing = (incident: IncidentWithDeploys, pages: ReadonlyArray<Page>): ReadonlyArray<Page> => {
  const affected = new Set(incident.components.map(({ componentId }) => componentId))
  return !incident.public ?
    [] :
    pages.filter(({ components }) => !incident.automatic || components.some(({ hidden, id }) => !hidden && affected.has(id)))
}

const About = (
  { incident, monitorName, pages, shownOn }:
    & { readonly incident: IncidentWithDeploys }
    & Pick<Around, "monitorName" | "pages" | "shownOn">
) => {
  const {
    impact,
    kind,
    likelyUpstream,
    monitorId,
    recurrence,
    remindMinutes,
    resolvedAt,
    scheduledEnd,
    scheduledStart,
    startedAt
  } = incident
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
          ["Reminders", remindMinutes === undefined ? null : remindMinutes.map((minutes) => `${minutes} min before`).join(", ")],
          ["Started", kind === "incident" ? <Moment at={startedAt} /> : null],
          ["Ended", resolvedAt === null ? null : <Moment at={resolvedAt} />],
          ["Monitor", monitorId === null ? null : <a href={`/app/monitors/${monitorId}`}>{monitorName ?? "Monitor"}</a>],
          [
            "Pages",
            incident.public && pages.length > 0
              ? pages.map((page) => <PageLink {...page} />)
              : "Not public: no page shows it"
          ],
          ["Public link", shownOn.length === 0 ? null : shownOn.map((page) => <PublicLink {...page} id={incident.id} />)],
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

const Affected = (
  { components, incident, pages }: { readonly incident: IncidentWithDeploys } & Pick<Around, "components" | "pages">
) =>
  incident.components.length === 0 ? null : (
    <Panel id="affected" title="Affected components" flush>
      <ul class="rows">
        {incident.components.map(({ componentId, status }) => {
          const component = components.find(({ id }) => id === componentId)
          const page = pages.length < 2 ? undefined : pages.find(({ id }) => id === component?.pageId)
          return (
            <li>
              <div>
                <b>{component?.name ?? "A component of another page"}</b>
                {page === undefined ? null : <p class="note">on {page.name}</p>}
              </div>
              <ComponentBadge status={status} />
            </li>
          )
        })}
      </ul>
    </Panel>
  )

const Deploys = ({ deploys }: Pick<IncidentWithDeploys, "deploys">) =>
  deploys.length === 0 ? null : (
    <Panel id="deploys" title="Deploys around it" flush>
      <ul class="rows">
        {deploys.map(({ at, commit, environment, id, service, url, version }) => (
          <li id={`deploy-${id}`}>
            <div>
              {url === null
                ? <b>{version ?? commit ?? "Deploy"}</b>
                : <a class="title" href={url}>{version ?? commit ?? "Deploy"}</a>}
              <p class="note">{[service, environment].filter((part) => part !== null).join(", ")}</p>
            </div>
            <span class="note">
              <Moment at={at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )

const Resolve = ({ incident: { id, kind, recurrence, resolvedAt } }: { readonly incident: IncidentWithDeploys }) =>
  resolvedAt !== null ? null : (
    <Panel id="resolve-panel" title={kind === "maintenance" ? "Complete" : "Resolve"}>
      <CallForm
        call="resolve_incident"
        id="resolve"
        fixed={{ id }}
        then={`/app/incidents/${id}`}
        said={kind === "maintenance" ? "Maintenance completed" : "Incident resolved"}
      >
        <Area
          name="message"
          label="Last update"
          rows={3}
          hint="Public, if the incident is. Without a text, Belltower says what recovered after how long."
        />
        <Buttons>
          <button>{kind === "maintenance" ? "Complete maintenance" : "Resolve incident"}</button>
        </Buttons>
      </CallForm>
      {recurrence === undefined ? null : (
        <CallButton
          call="post_incident_update"
          id="end-series"
          fixed={{ id, "endSeries:boolean": true, "public:boolean": false, message: "No window follows this one." }}
          then={`/app/incidents/${id}`}
          said="The series ends with this window"
        >
          End the series after this window
        </CallButton>
      )}
    </Panel>
  )

const Body = ({ around, incident, post }: {
  readonly incident: IncidentWithDeploys
  readonly around: Around
  readonly post: PostUpdateProps
}) => {
  const { hasPostmortem } = around
  const isMaintenance = incident.kind === "maintenance"
  return (
    <>
      <Head
        title={incident.title}
        crumbs={isMaintenance ? [["/app/maintenance", "Maintenance"]] : [["/app/incidents", "Incidents"]]}
        note={
          <>
            <IncidentBadge status={incident.status} /> {isMaintenance
              ? null
              : (
                <>
                  {incident.resolvedAt === null ? "open for" : "lasted"} <Lasted of={incident} />
                </>
              )}
          </>
        }
      >
        {isMaintenance
          ? null
          : (
            <a class="button plain" href={`/app/incidents/${incident.id}/postmortem`}>
              {hasPostmortem ? "Postmortem" : "Write postmortem"}
            </a>
          )}
      </Head>
      <div class="stack">
        <Acknowledge of={incident} />
        <div class="split">
          <div class="stack">
            <Timeline of={incident} />
            <PostUpdate {...post} />
          </div>
          <div class="stack">
            <About
              incident={incident}
              pages={around.pages}
              shownOn={around.shownOn}
              monitorName={around.monitorName}
            />
            <Affected incident={incident} components={around.components} pages={around.pages} />
            <Resolve incident={incident} />
            <Deploys deploys={incident.deploys} />
            <Reports of={incident} />
          </div>
        </div>
      </div>
    </>
  )
}

/** Pages whose components a form offers. */
const mostPages = 5

export const incidentView = view(
  "/app/incidents/:id",
  "incidents",
  Effect.gen(function*() {
    const { params, query } = yield* Visit
    const id = params["id"] ?? ""
    const incident = yield* read("get_incident", { id })
    const pages = (yield* Effect.forEach(
      incident.pageIds.slice(0, mostPages),
      (page) => readOrNull("get_page", { pageId: page }),
      together
    )).filter((page) => page !== null)
    const template = query.get("template")
    const [{ data: templates }, rendered, monitor, postmortem] = yield* Effect.all([
      read("list_incident_templates"),
      template === null ? Effect.succeed(null) : readOrNull("render_incident_template", { id: template, incidentId: id }),
      incident.monitorId === null ? Effect.succeed(null) : readOrNull("get_monitor", { id: incident.monitorId, checks: 0 }),
      incident.kind === "maintenance" ? Effect.succeed(null) : readOrNull("get_postmortem", { id })
    ], together)
    const components = pages.flatMap((page) => page.components)
    return {
      title: incident.title,
      live: [`incident.*:${id}`, `maintenance.*:${id}`],
      body: (
        <Body
          incident={incident}
          around={{
            components,
            pages,
            shownOn: showing(incident, pages),
            monitorName: monitor?.name ?? null,
            hasPostmortem: postmortem !== null
          }}
          post={{ incident, sections: sectionsOf(pages), templates, rendered, template }}
        />
      )
    }
  })
)
