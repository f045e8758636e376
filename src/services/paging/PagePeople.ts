/** Pages people about an incident: plans the steps of each by their rules, and takes those that are due. */
import { DateTime, Effect, Option } from "effect"
import type { EventDraft } from "../../../schema/event/EventData.ts"
import type { EventMonitor } from "../../../schema/event/MonitorEvents.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Urgency } from "../../../schema/oncall/Way.ts"
import { eventIncident } from "../../domain/incident/IncidentMachine.ts"
import { minutesInto } from "../../domain/oncall/Reminders.ts"
import { afterFailures, defaultRules, handOverLevel, plannedPages } from "../../domain/paging/PersonalSteps.ts"
import { earliest } from "../../domain/tools/time/Earliest.ts"
import { Links } from "../../links/Links.ts"
import { escalationMail } from "../../notify/mail/EscalationMail.ts"
import { AcknowledgeTokens } from "../../store/incident/AcknowledgeTokens.ts"
import type { LockedIncident } from "../../store/incident/IncidentRows.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { PagingRulesRows } from "../../store/paging/PagingRulesRows.ts"
import { type PagingRow, Pagings } from "../../store/paging/Pagings.ts"
import { makeMailEndedWays } from "./MailEndedWays.ts"
import type { Pageable } from "./PersonWays.ts"

/** The policy that pages, as a mail names it; null if it was deleted meanwhile. */
export interface PagingPolicy {
  readonly name: string
  readonly levels: number
}

export interface PagedIncident {
  readonly workspaceId: WorkspaceId
  readonly incident: LockedIncident
  readonly monitorView: EventMonitor | null
  readonly now: DateTime.Utc
  readonly unacknowledgedSince: DateTime.Utc
}

type Person = Pick<Pageable, "id" | "name" | "email" | "mailTo">

const makeSendMail = Effect.gen(function*() {
  const mails = yield* Mails
  const links = yield* Links
  const tokens = yield* AcknowledgeTokens
  const pagings = yield* Pagings

  return Effect.fn("PagePeople.mail")(
    function*(
      { incident, now, unacknowledgedSince, workspaceId }: PagedIncident,
      policy: PagingPolicy,
      page: PagingRow,
      person: Person
    ) {
      if (person.mailTo === null) return
      const id = yield* mails.send({
        workspaceId,
        priority: "urgent",
        to: person.mailTo,
        ...escalationMail({
          policy: page.level === handOverLevel || policy.levels === 0 ? null : { ...policy, level: page.level },
          startedAt: incident.startedAt,
          unacknowledgedForMinutes: minutesInto(unacknowledgedSince, now),
          title: incident.title,
          incidentId: incident.id,
          incidentLink: links.incident(incident.id),
          acknowledgeLink: links.acknowledge(tokens.make({ incidentId: incident.id, recipient: person.id }, now))
        }),
        expiresAt: DateTime.add(now, { days: 1 })
      })
      yield* pagings.mailed(workspaceId, page.id, id)
    }
  )
})

const gone = "The person has left the workspace, or their address is not confirmed any more"

const makeEventOf = Effect.gen(function*() {
  const incidents = yield* Incidents
  const links = yield* Links

  /** The event of a page by another way than mail, which the fan-out makes a delivery of. */
  return Effect.fnUntraced(
    function*({ incident, monitorView, now, unacknowledgedSince, workspaceId }: PagedIncident, page: PagingRow, person: Person) {
      const { by, id, level, round, step, urgency, wayId } = page
      if (by === "email" || wayId === null) return []
      const record = yield* Effect.orDie(Effect.flatten(incidents.find(workspaceId, incident.id, links.incident)))
      const draft: EventDraft = {
        type: "incident.paged",
        data: {
          incident: eventIncident(record),
          ...(monitorView === null ? {} : { monitor: monitorView }),
          user: { id: person.id, name: person.name, email: person.email },
          paging: { id, wayId, by, step },
          urgency,
          level,
          round,
          unacknowledgedForMinutes: minutesInto(unacknowledgedSince, now)
        }
      }
      return [draft]
    }
  )
})

const makeTakePages = Effect.gen(function*() {
  const people = yield* OnCallPeople
  const pagings = yield* Pagings
  const sendMail = yield* makeSendMail
  const eventOf = yield* makeEventOf
  const mailEndedWays = yield* makeMailEndedWays

  /**
   * Takes the pages that are due, those first that failures bring forward: mails are queued, other ways are events, which the fan-out
   * makes deliveries of. People whose way has ended are mailed. Returns the events, the pages as they were before, and when the next
   * page is due.
   */
  return Effect.fn("PagePeople.take")(function*(paged: PagedIncident, policy: PagingPolicy) {
    const { incident, now, workspaceId } = paged
    const before = yield* pagings.ofIncident(workspaceId, incident.id)
    const { answered, forward } = afterFailures(before)
    yield* pagings.bringForward(workspaceId, forward, now)
    yield* pagings.follow(workspaceId, answered)
    yield* mailEndedWays(workspaceId, before, answered, now)
    const planned = before.filter(({ state }) => state === "planned")
    const isDue = ({ dueAt, id }: PagingRow) => forward.includes(id) || DateTime.lessThanOrEqualTo(dueAt, now)
    const due = planned.filter(isDue)
    const members = new Map((yield* people.some(workspaceId, due.map(({ userId }) => userId))).map((one) => [one.id, one]))
    const reachable = ({ by, userId }: PagingRow) => {
      const person = members.get(userId)
      return person !== undefined && (by !== "email" || person.mailTo !== null)
    }
    yield* pagings.end(workspaceId, due.filter((page) => !reachable(page)).map(({ id }) => id), "failed", gone)
    const drafts = yield* Effect.forEach(due.filter(reachable), (page) => {
      const person = members.get(page.userId)
      if (person === undefined) return Effect.succeed([])
      return page.by === "email" ? Effect.as(sendMail(paged, policy, page, person), []) : eventOf(paged, page, person)
    })
    const nextAt = earliest(planned.flatMap((page) => isDue(page) ? [] : [page.dueAt]))
    return { drafts: drafts.flat(), pages: before, nextAt }
  })
})

export const makePagePeople = Effect.gen(function*() {
  const rules = yield* PagingRulesRows
  const pagings = yield* Pagings
  const take = yield* makeTakePages

  /** Plans the pages of a level to each of its people. Those who have no way are none of them. */
  const plan = Effect.fn("PagePeople.plan")(
    function*(
      { incident, now, workspaceId }: PagedIncident,
      step: { readonly level: number; readonly round: number },
      urgency: Urgency,
      persons: ReadonlyArray<Pageable>
    ) {
      const own = yield* rules.ofPeople(workspaceId, persons.map(({ id }) => id))
      yield* Effect.forEach(persons, ({ id, ways }) =>
        pagings.plan(
          { workspaceId, incidentId: incident.id, userId: id, level: step.level, round: step.round, urgency },
          plannedPages(own.get(id) ?? defaultRules, urgency, ways, now),
          now
        ), { discard: true })
    }
  )

  return { plan, take }
})

/** The pages that events record, each with its event: `ids` are those of `drafts`, in order. */
export const recordedPages = <Id>(drafts: ReadonlyArray<EventDraft>, ids: ReadonlyArray<Id>) =>
  drafts.flatMap((draft, index) =>
    draft.type === "incident.paged"
      ? Option.toArray(Option.map(Option.fromNullable(ids[index]), (eventId) => ({ id: draft.data.paging.id, eventId })))
      : []
  )
