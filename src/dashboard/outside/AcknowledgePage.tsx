/** The page on which the reader of an alert acknowledges an incident. */
import type { Incident } from "../../../schema/incident/Incident.ts"
import { isOver } from "../../domain/incident/IncidentMachine.ts"
import { Do, Gate } from "./Frame.tsx"
import { Moment } from "./Moment.tsx"

const titleOf = ({ acknowledgement, status }: Incident): string =>
  isOver(status) ? "This incident is over" : acknowledgement === null ? "Acknowledge this incident?" : "Acknowledged"

const Standing = ({ incident }: { readonly incident: Incident }) => {
  const { acknowledgement, resolvedAt, startedAt } = incident
  return (
    <>
      <p>
        <b>{incident.title}</b>
      </p>
      <p class="note">
        Since <Moment at={startedAt} />
        {resolvedAt === null ? null : (
          <>
            , until <Moment at={resolvedAt} />
          </>
        )}
      </p>
      {acknowledgement === null ? null : (
        <p class="note">
          Acknowledged by {acknowledgement.by}, <Moment at={acknowledgement.at} />
        </p>
      )}
    </>
  )
}

export const AcknowledgePage = ({ by, incident, token }: {
  readonly incident: Incident
  /** The link's recipient. */
  readonly by: string
  readonly token: string
}) => (
  <Gate title={titleOf(incident)}>
    <Standing incident={incident} />
    {isOver(incident.status) || incident.acknowledgement !== null ? null : (
      <>
        <Do action={`/ack/${token}`} label="Acknowledge" />
        <p class="note">Stops reminders and escalation. The timeline will name {by}.</p>
      </>
    )}
  </Gate>
)
