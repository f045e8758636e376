/** The page behind the acknowledge link of an alert. Opening it changes nothing, because mail scanners open links too. */
import { DateTime, Effect } from "effect"
import type { Incident } from "../../../schema/incident/Incident.ts"
import { isOver } from "../../domain/incident/IncidentMachine.ts"
import { type Coming, whatNext } from "../../domain/paging/WhatNext.ts"
import { AcknowledgeIncident } from "../../operations/incident/AcknowledgeIncident.ts"
import { ReadPagings } from "../../operations/paging/ReadPagings.ts"
import { relativeText } from "../design/SpanText.ts"
import { goTo, requireSameOrigin } from "../Forms.ts"
import { Do, Gate, Moment, show } from "./Frame.tsx"
import { pages, param, queryParam } from "./PageRouter.ts"
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

interface Situation {
  readonly incident: Incident
  readonly next: ReadonlyArray<Coming>
}

/** A step whose time has come is on its way. */
const When = ({ at, now }: { readonly at: DateTime.Utc; readonly now: DateTime.Utc }) =>
  DateTime.greaterThan(at, now) ? <>{relativeText("en", DateTime.distance(now, at) / 1000)}</> : <>now</>

/** Says what happens next to somebody who reads this on the phone that woke them. */
const Next = ({ incident: { acknowledgement, status }, next, now }: Situation & { readonly now: DateTime.Utc }) => {
  const [first] = next
  return isOver(status)
    ? <p>Nobody is paged any longer. The incident shows what happened, with its postmortem.</p>
    : acknowledgement !== null
    ? (
      <p>
        Reminders and escalation have stopped: nobody else is paged. The incident's page shows what fails, and resolves it,
        escalates it or hands it over.
      </p>
    )
    : first === undefined
    ? <p class="note">Nobody else is paged.</p>
    : (
      <p class="note">
        If nobody acknowledges, the next page goes to <b>{first.text}</b> <When at={first.at} now={now} />.
      </p>
    )
}

const isTaken = ({ acknowledgement, status }: Incident): boolean => isOver(status) || acknowledgement !== null

const AcknowledgePage = ({ action, by, incident, next, now }: Situation & {
  readonly by: string
  readonly action: string
  readonly now: DateTime.Utc
}) => (
  <Gate title={titleOf(incident)}>
    <Standing incident={incident} />
    {isTaken(incident) ? null : (
      <>
        <Do action={action} label="Acknowledge" />
        <p class="note">Stops reminders and escalation. The timeline will name {by}.</p>
      </>
    )}
    <Next incident={incident} next={next} now={now} />
    <p>
      <a class={isTaken(incident) ? "button" : "button plain"} href={`/app/incidents/${incident.id}`}>Open the incident</a>
    </p>
  </Gate>
)

/** The address of this page; `to` names the recipient of a mail. */
const target = Effect.gen(function*() {
  const token = yield* param("token")
  const to = yield* queryParam("to")
  return { token, to, action: to === null ? `/ack/${token}` : `/ack/${token}?to=${encodeURIComponent(to)}` }
})

const page = Effect.gen(function*() {
  const { action, to, token } = yield* target
  const { look } = yield* AcknowledgeIncident
  const { get } = yield* ReadPagings
  const { by, incident, workspaceId } = yield* look(token, to)
  const pagings = yield* get(workspaceId, incident.id)
  const next = isTaken(incident) || pagings.pagesWait ? [] : whatNext(pagings)
  const now = yield* DateTime.now
  return yield* show({ title: incident.title, body: AcknowledgePage({ incident, by, action, next, now }) })
})

const acknowledge = Effect.gen(function*() {
  yield* requireSameOrigin
  const { action, to, token } = yield* target
  const { acknowledgeByLink } = yield* AcknowledgeIncident
  yield* acknowledgeByLink(token, to)
  return goTo(action)
})

export const layer = pages((router) =>
  Effect.gen(function*() {
    const orDead = orDeadLink(["/app/incidents", "Open the incidents"])
    yield* router.get("/ack/:token", orDead(page))
    yield* router.post("/ack/:token", orDead(acknowledge))
  })
)
