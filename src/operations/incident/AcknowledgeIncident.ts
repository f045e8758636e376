/** Acknowledges incidents, which stops reminders and escalation, and takes acknowledgements back. */
import { DateTime, Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Conflict, NotFound } from "../../../schema/Errors.ts"
import type { EventDraft } from "../../../schema/event/EventData.ts"
import { IncidentId, MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { Acknowledgement, Incident } from "../../../schema/incident/Incident.ts"
import { eventIncident, isOver } from "../../domain/incident/IncidentMachine.ts"
import { readLeaveToken } from "../../domain/mail/LeaveToken.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { IncidentAlerts } from "../../services/incident/IncidentAlerts.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { AcknowledgeTokens } from "../../store/incident/AcknowledgeTokens.ts"
import type { LockedIncident } from "../../store/incident/IncidentRows.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { LinkKeys } from "../../store/LinkKeys.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { surfaceOf } from "../access/CallOrigin.ts"
import { foundOr } from "../NoSuch.ts"
import { makeCallerName } from "./CallerName.ts"
import { makeRequireIncident } from "./RequireIncident.ts"

const nothingFor = (id: string) =>
  new NotFound({
    message: `No incident for ${id} in this workspace`,
    hint: "Send the id of an incident, or of a monitor that has an open one. List these with GET /api/v1/incidents?open=true"
  })

const cannot = (locked: LockedIncident): Conflict | null =>
  locked.kind === "maintenance"
    ? new Conflict({ message: "A maintenance window cannot be acknowledged", hint: "Acknowledge incidents only" })
    : isOver(locked.status)
    ? new Conflict({ message: `The incident is already ${locked.status}`, hint: "Only an open incident can be acknowledged" })
    : null

const invalidLink = new NotFound({
  message: "This link is invalid or has expired",
  hint: "Sign in and acknowledge the incident there"
})

interface Signed extends Pick<Acknowledgement, "by" | "via"> {
  readonly note: string | undefined
}

const entryOf = (what: "Acknowledged" | "Acknowledgement removed", by: string, note: string | undefined): string =>
  `${what} by ${by}${note === undefined || note.trim() === "" ? "." : `: ${note.trim()}`}`

export class AcknowledgeIncident extends Effect.Service<AcknowledgeIncident>()("belltower/AcknowledgeIncident", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const incidents = yield* Incidents
    const events = yield* EventLog
    const nameOf = yield* makeCallerName
    const require = yield* makeRequireIncident
    const alerts = yield* IncidentAlerts
    const tokens = yield* AcknowledgeTokens
    const signer = yield* LinkKeys

    /** Locks the incident of an id, which is its own or that of the monitor it is about. */
    const lock = Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: string) {
      const incidentId = id.startsWith("mon_")
        ? (yield* foundOr(incidents.openOfMonitor(workspaceId, MonitorId.make(storable(id))), () => nothingFor(id))).id
        : IncidentId.make(storable(id))
      return yield* foundOr(incidents.lock(workspaceId, incidentId), () => nothingFor(id))
    })

    /** Writes the change with its entry and its event. The caller's transaction holds the incident's lock. */
    const write = Effect.fnUntraced(function*(
      workspaceId: WorkspaceId,
      { id, status }: LockedIncident,
      ack: Acknowledgement | null,
      entry: { readonly body: string; readonly at: DateTime.Utc },
      draftOf: (incident: Incident) => EventDraft
    ) {
      yield* incidents.setAcknowledgement(workspaceId, id, ack)
      yield* incidents.addUpdate(workspaceId, id, { ...entry, status, public: false, ai: false, byPerson: false, notify: false })
      const incident = yield* Effect.orDie(require(workspaceId, id))
      yield* events.append(workspaceId, [draftOf(eventIncident(incident))])
      return incident
    })

    const acknowledgeAs = Effect.fnUntraced(function*(workspaceId: WorkspaceId, idOrMonitor: string, { by, note, via }: Signed) {
      const locked = yield* lock(workspaceId, idOrMonitor)
      if (locked.acknowledgement !== null) return yield* require(workspaceId, locked.id)
      const refusal = cannot(locked)
      if (refusal !== null) return yield* refusal
      const at = yield* DateTime.now
      const ack: Acknowledgement = { at, by, via, ...(note === undefined || note.trim() === "" ? {} : { note: note.trim() }) }
      const entry = { body: entryOf("Acknowledged", by, note), at }
      return yield* write(workspaceId, locked, ack, entry, (incident) => ({
        type: "incident.acknowledged",
        data: { incident, ack }
      }))
    }, transaction)

    /** Changes an open incident once. Fails with `not_found`, and with `conflict` if it is over or a maintenance window. */
    const acknowledge = Effect.fn("AcknowledgeIncident.acknowledge")(
      function*(caller: Caller, idOrMonitor: string, note?: string) {
        const by = yield* nameOf(caller)
        const via = yield* surfaceOf(caller.principal)
        return yield* acknowledgeAs(caller.workspaceId, idOrMonitor, { by, via, note })
      }
    )

    /**
     * The incident of a link, and who the link was sent to. `to` is the token by which the mails of a channel name their recipient; null
     * for other links. Fails with `not_found` for an invalid or expired link.
     */
    const look = Effect.fn("AcknowledgeIncident.look")(function*(token: string, to: string | null = null) {
      const { incidentId, recipient, workspaceId } = yield* foundOr(tokens.read(token, yield* DateTime.now), () => invalidLink)
      // A member who has left the workspace and a deleted channel cannot acknowledge.
      const name = yield* foundOr(tokens.nameOf(workspaceId, recipient), () => invalidLink)
      const reader = to === null ? Option.none() : readLeaveToken(signer, to)
      const by = Option.match(Option.filter(reader, ({ channelId }) => channelId === recipient), {
        onNone: () => name,
        onSome: ({ email }) => email
      })
      return { workspaceId, by, incident: yield* Effect.mapError(require(workspaceId, incidentId), () => invalidLink) }
    })

    /** Acknowledges the incident of a link, in the name of the person or channel that it was sent to. Fails like `acknowledge`. */
    const acknowledgeByLink = Effect.fn("AcknowledgeIncident.acknowledgeByLink")(
      function*(token: string, to: string | null = null) {
        const { by, incident, workspaceId } = yield* look(token, to)
        return yield* acknowledgeAs(workspaceId, incident.id, { by, via: "link", note: undefined })
      }
    )

    /** The same by a button of a channel's message, in the name of the person who pressed it. */
    const acknowledgeByButton = Effect.fn("AcknowledgeIncident.acknowledgeByButton")(
      function*(workspaceId: WorkspaceId, token: string, by: string) {
        const found = yield* look(token)
        if (found.workspaceId !== workspaceId) return yield* invalidLink
        return yield* acknowledgeAs(workspaceId, found.incident.id, { by, via: "discord", note: undefined })
      }
    )

    /** Takes the acknowledgement back; an incident without one stays as it is. Fails like `acknowledge`. */
    const unacknowledge = Effect.fn("AcknowledgeIncident.unacknowledge")(function*(caller: Caller, idOrMonitor: string) {
      const { workspaceId } = caller
      const by = yield* nameOf(caller)
      return yield* Effect.gen(function*() {
        const locked = yield* lock(workspaceId, idOrMonitor)
        if (locked.acknowledgement === null) return yield* require(workspaceId, locked.id)
        const refusal = cannot(locked)
        if (refusal !== null) return yield* refusal
        yield* alerts.resume(workspaceId, locked)
        const entry = { body: entryOf("Acknowledgement removed", by, undefined), at: yield* DateTime.now }
        return yield* write(workspaceId, locked, null, entry, (incident) => ({
          type: "incident.unacknowledged",
          data: { incident, by }
        }))
      }).pipe(transaction)
    })

    return { acknowledge, acknowledgeByButton, acknowledgeByLink, look, unacknowledge }
  }),
  dependencies: [IncidentAlerts.Default]
}) {}
