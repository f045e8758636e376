/** The bodies of a page's incident history and of a single incident. */
import type { PublicIncident } from "../../../schema/incident/Incident.ts"
import type { MonthPeriod } from "../../domain/page/Month.ts"
import type { PageContext } from "./Context.ts"
import { StatusIcon } from "./Icons.tsx"
import { Affected, isOver, lastedSec, Moment, Newest, type OneIncident, Planned, signOf, Steps } from "./Incidents.tsx"
import { Footer, Header } from "./StatusPage.tsx"

const Frame = ({ children, context }: { readonly context: PageContext; readonly children: preact.ComponentChildren }) => {
  const { page: { page: { url } }, words } = context
  return (
    <>
      <a class="skip" href="#content">{words.skipToContent}</a>
      <Header context={context} home={url} />
      <main class="wrap" id="content">
        <p class="back">
          <a href={url}>← {words.currentStatus}</a>
        </p>
        {children}
      </main>
      <Footer context={context} />
    </>
  )
}

const Times = ({ context, incident }: OneIncident) => {
  const { formats, words } = context
  if (incident.kind === "maintenance") return <Planned context={context} incident={incident} />
  return (
    <p>
      <Moment at={incident.startedAt} context={context} />
      {incident.resolvedAt === null ? null : (
        <>
          {" · "}
          {words.resolvedAfter(formats.duration(lastedSec(incident.startedAt, incident.resolvedAt)))}
        </>
      )}
    </p>
  )
}

const Entry = ({ context, incident }: OneIncident) => (
  <article class={`card entry s-${isOver(incident) ? "operational" : signOf(incident)}`}>
    <h3>
      <StatusIcon status={isOver(incident) ? "operational" : signOf(incident)} />
      <a href={incident.url}>{incident.title}</a>
    </h3>
    <Times context={context} incident={incident} />
    <Affected context={context} incident={incident} />
    <Newest incident={incident} />
  </article>
)

export const HistoryPage = ({ context, incidents, period }: {
  readonly context: PageContext
  readonly incidents: ReadonlyArray<PublicIncident>
  readonly period: MonthPeriod
}) => {
  const { formats, page: { page: { url } }, words } = context
  return (
    <Frame context={context}>
      <h2 class="title1">{words.incidentHistory}</h2>
      <section aria-labelledby="month">
        <nav class="months" aria-label={words.incidentHistory}>
          {period.previous === null
            ? <span />
            : <a href={`${url}/history?month=${period.previous}`} rel="prev">← {formats.month(period.previous)}</a>}
          {period.next === null
            ? null
            : <a href={`${url}/history?month=${period.next}`} rel="next">{formats.month(period.next)} →</a>}
        </nav>
        <h3 class="label" id="month">{formats.month(period.month)}</h3>
        {incidents.length === 0 ? <p class="note">{words.noIncidentsIn(formats.month(period.month))}</p> : null}
        {incidents.map((incident) => <Entry context={context} incident={incident} />)}
      </section>
    </Frame>
  )
}

export const IncidentPage = ({ context, incident }: OneIncident) => (
  <Frame context={context}>
    <article class={`card incident s-${isOver(incident) ? "operational" : signOf(incident)}`} id={incident.id}>
      <header>
        <h2 class="title1">{incident.title}</h2>
        <Times context={context} incident={incident} />
        <Affected context={context} incident={incident} />
      </header>
      <Steps incident={incident} />
    </article>
  </Frame>
)
