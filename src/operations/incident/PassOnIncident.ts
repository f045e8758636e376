/** Brings others to an open incident: pages the next level of its policy now, or hands it over to one person. */
import { Array, DateTime, Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Conflict } from "../../../schema/Errors.ts"
import type { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import type { EscalateInput, HandOverInput } from "../../../schema/incident/IncidentInput.ts"
import { eventIncident, isOver } from "../../domain/incident/IncidentMachine.ts"
import { defaultRules, handOverLevel, handOvers, plannedPages, urgencyOf } from "../../domain/paging/PersonalSteps.ts"
import { makePagesWait } from "../../services/incident/AlertingSteps.ts"
import { IncidentAlerts } from "../../services/incident/IncidentAlerts.ts"
import { makePersonWays, type Pageable } from "../../services/paging/PersonWays.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import type { LockedIncident } from "../../store/incident/IncidentRows.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { PagingRulesRows } from "../../store/paging/PagingRulesRows.ts"
import { Pagings } from "../../store/paging/Pagings.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { foundOr, noSuch, orNoSuch } from "../NoSuch.ts"
import { makeCallerName } from "./CallerName.ts"
import { makeRequireIncident } from "./RequireIncident.ts"

const cannot = ({ kind, status }: LockedIncident): Conflict | null =>
  kind === "maintenance"
    ? new Conflict({ message: "Nobody is paged about a maintenance window", hint: "Use the id of an incident" })
    : isOver(status)
    ? new Conflict({ message: `The incident is already ${status}`, hint: "People are paged about open incidents only" })
    : null

const noPolicy = new Conflict({
  message: "No escalation policy applies to this incident, so it has no next level",
  hint: "Hand it over to a person with POST /api/v1/incidents/{id}/handover"
})

const pagesWait = new Conflict({
  message: "Pages about this incident wait: its monitor is muted or in maintenance, or one that it depends on is down",
  hint:
    "`muted` of GET /api/v1/monitors/{id} says until when. To page people now, end that, or use the incident of the monitor that is down"
})

const nameOf = ({ email, name }: Pick<Pageable, "email" | "name">): string => name ?? email

const unreachable = (person: Pageable) =>
  new Conflict({
    message: `Nothing reaches ${nameOf(person)}, so the incident stays where it is`,
    hint: "Choose somebody else. GET /api/v1/oncall/members says whom pages reach"
  })

const noted = (what: string, note: string | undefined): string =>
  note === undefined || note.trim() === "" ? `${what}.` : `${what}: ${note.trim()}`

/** Plans the pages to the person now. What is planned for others ends. The caller's transaction holds the incident's lock. */
const makePlanFor = Effect.gen(function*() {
  const rules = yield* PagingRulesRows
  const pagings = yield* Pagings
  const monitors = yield* Monitors

  return Effect.fnUntraced(function*(workspaceId: WorkspaceId, locked: LockedIncident, person: Pageable, now: DateTime.Utc) {
    const before = yield* pagings.ofIncident(workspaceId, locked.id)
    const planned = before.filter(({ state }) => state === "planned").map(({ id }) => id)
    yield* pagings.end(workspaceId, planned, "not_needed", null)
    const monitor = locked.monitorId === null ? null : Option.getOrNull(yield* monitors.find(workspaceId, locked.monitorId))
    const impact = locked.automatic ? null : locked.impact
    const urgency = urgencyOf({ level: null, monitor: monitor?.urgency ?? null, impact })
    const own = Option.getOrElse(yield* rules.find(workspaceId, person.id), () => defaultRules)
    yield* pagings.plan(
      { workspaceId, incidentId: locked.id, userId: person.id, level: handOverLevel, round: handOvers(before) + 1, urgency },
      plannedPages(own, urgency, person.ways, now),
      now
    )
  })
})

export class PassOnIncident extends Effect.Service<PassOnIncident>()("belltower/PassOnIncident", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const incidents = yield* Incidents
    const events = yield* EventLog
    const people = yield* OnCallPeople
    const clock = yield* DatabaseClock
    const alerts = yield* IncidentAlerts
    const callerName = yield* makeCallerName
    const require = yield* makeRequireIncident
    const withWays = yield* makePersonWays
    const planFor = yield* makePlanFor
    const waits = yield* makePagesWait

    /** Fails while the pages of the incident wait: it would say that somebody is paged now. */
    const lockOpen = Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: IncidentId) {
      const locked = yield* orNoSuch("incident", id, incidents.lock(workspaceId, id))
      const refusal = cannot(locked)
      if (refusal !== null) return yield* refusal
      return (yield* waits(workspaceId, locked)) ? yield* pagesWait : locked
    })

    /** Takes the acknowledgement back, if there is one, because a page about an acknowledged incident is not sent; adds the entry. */
    const write = Effect.fnUntraced(
      function*(workspaceId: WorkspaceId, { acknowledgement, id, status }: LockedIncident, by: string, body: string) {
        const at = yield* DateTime.now
        if (acknowledgement !== null) yield* incidents.setAcknowledgement(workspaceId, id, null)
        const entry = { status, body, at, public: false, ai: false, byPerson: false, notify: false }
        yield* incidents.addUpdate(workspaceId, id, entry)
        const incident = yield* Effect.orDie(require(workspaceId, id))
        if (acknowledgement !== null) {
          const data = { incident: eventIncident(incident), by }
          yield* events.append(workspaceId, [{ type: "incident.unacknowledged", data }])
        }
        return incident
      }
    )

    const personOf = Effect.fnUntraced(function*(workspaceId: WorkspaceId, userId: HandOverInput["userId"]) {
      const members = yield* withWays(workspaceId, yield* people.some(workspaceId, [userId]))
      const person = yield* foundOr(Effect.succeed(Array.head(members)), () => noSuch("member", userId))
      return person.ways.length > 0 ? person : yield* unreachable(person)
    })

    /** Fails with `not_found`, and with `conflict` if the incident is over, a maintenance window, or without a policy, or pages wait. */
    const escalate = Effect.fn("PassOnIncident.escalate")(function*(caller: Caller, id: IncidentId, { note }: EscalateInput) {
      const { workspaceId } = caller
      const by = yield* callerName(caller)
      return yield* Effect.gen(function*() {
        const locked = yield* lockOpen(workspaceId, id)
        const next = yield* alerts.escalateNow(workspaceId, locked)
        if (next === null) return yield* noPolicy
        return yield* write(workspaceId, locked, by, noted(`Escalated to level ${next.level} of ${next.levels} by ${by}`, note))
      }).pipe(transaction)
    })

    /** Fails like `escalate`, and with `conflict` for a person whom nothing reaches. */
    const handOver = Effect.fn("PassOnIncident.handOver")(
      function*(caller: Caller, id: IncidentId, { note, userId }: HandOverInput) {
        const { workspaceId } = caller
        const by = yield* callerName(caller)
        const person = yield* personOf(workspaceId, userId)
        return yield* Effect.gen(function*() {
          const locked = yield* lockOpen(workspaceId, id)
          const now = yield* clock.now
          yield* planFor(workspaceId, locked, person, now)
          yield* alerts.handedOver(workspaceId, locked, now)
          return yield* write(workspaceId, locked, by, noted(`Handed over to ${nameOf(person)} by ${by}`, note))
        }).pipe(transaction)
      }
    )

    return { escalate, handOver }
  }),
  dependencies: [IncidentAlerts.Default]
}) {}
