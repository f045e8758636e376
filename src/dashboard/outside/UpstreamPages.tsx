/** The pages of third parties: the list, a service, and a component with its form for mails. They need no script. */
import type { CatalogueEntry } from "../../../schema/upstream/Catalogue.ts"
import type { UpstreamStatus, UpstreamVerdict } from "../../../schema/upstream/Upstream.ts"
import type { SourceIncident } from "../../domain/upstream/Reading.ts"
import { Do, Gate, Moment, refused, Wrong } from "./Frame.tsx"

const advice: Readonly<Record<UpstreamVerdict, string>> = {
  proceed: "Proceed: call it as usual.",
  retry: "Retry: calls may fail; try again.",
  fallback: "Fall back: use another way, if you have one.",
  pause: "Pause: do not call it now."
}

const words = (status: string): string => status.replaceAll("_", " ")

export const UpstreamList = ({ services }: { readonly services: ReadonlyArray<CatalogueEntry> }) => (
  <Gate title="Status of third parties" wide>
    <ul class="columns">
      {services.map(({ name, service }) => (
        <li>
          <a href={`/status/${service}`}>{name}</a>
        </li>
      ))}
    </ul>
  </Gate>
)

const IncidentRow = (
  { incident: { impact, resolvedAt, startedAt, status, title, url } }: { readonly incident: SourceIncident }
) => (
  <li>
    {url === null ? title : <a href={url} rel="noreferrer">{title}</a>}
    <br />
    <small>
      {words(impact)}, {resolvedAt === null ? words(status) : "over"}, since <Moment at={startedAt} />
    </small>
  </li>
)

export const UpstreamService = ({ components, entry, incidents, whole }: {
  readonly entry: CatalogueEntry
  readonly whole: UpstreamStatus | undefined
  readonly components: ReadonlyArray<UpstreamStatus>
  readonly incidents: ReadonlyArray<SourceIncident>
}) => (
  <Gate title={`Is ${entry.name} down?`} wide>
    {whole === undefined ? null : <p role="status">{`${whole.reason}. ${advice[whole.verdict]}`}</p>}
    <ul>
      {components.map(({ component, status }) => (
        <li>
          <a href={`/status/${entry.service}/${component.slug}`}>{component.name}</a>: {words(status)}
        </li>
      ))}
    </ul>
    <h2>Incidents of the last 90 days</h2>
    {incidents.length === 0
      ? <p>None known.</p>
      : <ul>{incidents.map((incident) => <IncidentRow incident={incident} />)}</ul>}
    <p>
      <a href={entry.source.url} rel="noreferrer">{`${entry.name}'s own status page`}</a> ·{" "}
      <a href={`/status/${entry.service}/feed.rss`}>RSS</a> · <a href="/status">Other services</a>
    </p>
  </Gate>
)

export const UpstreamComponent = ({ email, status, wrong }: {
  readonly status: UpstreamStatus
  /** The text that was typed into a form that is refused. */
  readonly email?: string | undefined
  readonly wrong?: string | undefined
}) => {
  const { component, incident, probe, readAt, service, serviceName, verdict } = status
  return (
    <Gate title={`${serviceName}: ${component.name}`}>
      <p role="status">
        <strong>{words(status.status)}</strong>. {advice[verdict]}
      </p>
      <p>{status.reason}</p>
      {incident === null || incident.url === null ? null : (
        <p>
          <a href={incident.url} rel="noreferrer">{incident.title}</a>
        </p>
      )}
      <p>
        {probe.state === "unknown"
          ? ""
          : `Our own request: ${probe.state}${probe.statusCode === null ? "" : ` (${probe.statusCode})`}. `}
        {readAt === null ? null : (
          <small>
            Read <Moment at={readAt} />
          </small>
        )}
      </p>
      {wrong === undefined ? null : <Wrong>{wrong}</Wrong>}
      <form method="post" action={`/status/${service}/${component.slug}`}>
        <label>
          Email me when this changes
          <input
            type="email"
            name="email"
            required
            maxlength={254}
            autocomplete="email"
            value={email ?? ""}
            {...refused(wrong)}
          />
        </label>
        <button>Subscribe</button>
      </form>
      <p>
        <a href={`/status/${service}/${component.slug}/status.agent.json`}>JSON for agents</a> ·{" "}
        <a href={`/status/${service}`}>{`All of ${serviceName}`}</a>
      </p>
    </Gate>
  )
}

export const UpstreamNote = ({ text, title }: { readonly title: string; readonly text: string }) => (
  <Gate title={title}>
    <p role="status">{text}</p>
    <p>
      <a href="/status">All services</a>
    </p>
  </Gate>
)

/** A question with one button: a mail scanner that opens the link changes nothing. */
export const UpstreamQuestion = ({ action, button, title }: {
  readonly title: string
  readonly button: string
  readonly action: string
}) => (
  <Gate title={title}>
    <Do action={action} label={button} />
  </Gate>
)
