/** The monitor and incident pages that records and alerts link to. */
import type { Incident } from "../../../schema/incident/Incident.ts"
import type { Monitor } from "../../../schema/monitor/Monitor.ts"
import { Frame } from "./Frame.tsx"
import { Moment } from "./Moment.tsx"

interface In {
  readonly email: string
  readonly workspace: string
}

type ShownMonitor =
  & Pick<Monitor, "id" | "name" | "description" | "kind" | "state" | "stateSince" | "lastCheck">
  & { readonly incidentId: string | null }

export const MonitorPage = ({ email, monitor, workspace }: In & { readonly monitor: ShownMonitor }) => (
  <Frame email={email} here="/app">
    <h1>{monitor.name}</h1>
    <p class="note">Monitor in {workspace}</p>
    <section>
      <dl class="card facts">
        <dt>State</dt>
        <dd>
          <b>{monitor.state}</b> since <Moment at={monitor.stateSince} />
        </dd>
        <dt>Kind</dt>
        <dd>{monitor.kind}</dd>
        {monitor.description === null ? null : (
          <>
            <dt>Description</dt>
            <dd>{monitor.description}</dd>
          </>
        )}
        {monitor.lastCheck === null ? null : (
          <>
            <dt>Last check</dt>
            <dd>
              {monitor.lastCheck.outcome} at <Moment at={monitor.lastCheck.at} />
              {monitor.lastCheck.error === null ? "" : `: ${monitor.lastCheck.error}`}
            </dd>
          </>
        )}
        {monitor.incidentId === null
          ? null
          : (
            <>
              <dt>Incident</dt>
              <dd>
                <a href={`/app/incidents/${monitor.incidentId}`}>View incident</a>
              </dd>
            </>
          )}
        <dt>ID</dt>
        <dd>{monitor.id}</dd>
      </dl>
    </section>
  </Frame>
)

export const IncidentPage = ({ email, incident, workspace }: In & { readonly incident: Incident }) => (
  <Frame email={email} here="/app">
    <h1>{incident.title}</h1>
    <p class="note">
      {incident.status}, started <Moment at={incident.startedAt} />, in {workspace}
    </p>
    <section>
      <ul class="card rows">
        {incident.updates.map(({ at, body, status }) => (
          <li>
            <div>
              <b>{status}</b>
              <p class="letter">{body}</p>
            </div>
            <p>
              <Moment at={at} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  </Frame>
)
