/** The page behind the acknowledge link of an alert. Opening it changes nothing, because mail scanners open links too. */
import { Effect } from "effect"
import type { Incident } from "../../../schema/incident/Incident.ts"
import { isOver } from "../../domain/incident/IncidentMachine.ts"
import { AcknowledgeIncident } from "../../operations/incident/AcknowledgeIncident.ts"
import { goTo, requireSameOrigin } from "../Forms.ts"
import { Do, Gate, Moment, show } from "./Frame.tsx"
import { pages, param } from "./PageRouter.ts"
import { orDeadLink } from "./Reply.ts"

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

const AcknowledgePage = ({ by, incident, token }: {
  readonly incident: Incident
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

const page = Effect.gen(function*() {
  const token = yield* param("token")
  const { look } = yield* AcknowledgeIncident
  const { by, incident } = yield* look(token)
  return yield* show({ title: incident.title, body: AcknowledgePage({ incident, by, token }) })
})

const acknowledge = Effect.gen(function*() {
  yield* requireSameOrigin
  const token = yield* param("token")
  const { acknowledgeByLink } = yield* AcknowledgeIncident
  yield* acknowledgeByLink(token)
  return goTo(`/ack/${token}`)
})

export const layer = pages((router) =>
  Effect.gen(function*() {
    const orDead = orDeadLink(["/app/incidents", "Open the incidents"])
    yield* router.get("/ack/:token", orDead(page))
    yield* router.post("/ack/:token", orDead(acknowledge))
  })
)
