/** Acknowledges, resolves and escalates for the person who pressed a button in a chat. */
import { DateTime, Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { Conflict, NotFound } from "../../../schema/Errors.ts"
import { IncidentId, SessionId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { Incident } from "../../../schema/incident/Incident.ts"
import { callRefusal, delegableOperations } from "../../domain/access/CallPermission.ts"
import { type ChatAction, standingText } from "../../domain/chat/ChatActions.ts"
import { isOver } from "../../domain/incident/IncidentMachine.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { momentText } from "../../domain/tools/time/Moments.ts"
import { Links } from "../../links/Links.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { ContactWays } from "../../store/paging/ContactWays.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { AuditTrail } from "../access/AuditTrail.ts"
import { memberCaller } from "../access/Authenticate.ts"
import { CallOrigin } from "../access/CallOrigin.ts"
import { OperationCatalog } from "../access/OperationCatalog.ts"
import { AcknowledgeIncident } from "../incident/AcknowledgeIncident.ts"
import { makeCallerName } from "../incident/CallerName.ts"
import { PassOnIncident } from "../incident/PassOnIncident.ts"
import { makeRequireIncident } from "../incident/RequireIncident.ts"
import { UpdateIncident } from "../incident/UpdateIncident.ts"

type Chat = "slack" | "telegram" | "discord"

interface ChatPress {
  readonly workspaceId: WorkspaceId
  readonly chat: Chat
  /** The address of the presser's contact way. */
  readonly address: { readonly member: string } | { readonly chatId: string }
  readonly action: ChatAction
  /** The incident that the button names. Anybody can send any. */
  readonly incidentId: string
  /** The effect of a press by somebody who is no member, or may not do it as one; none without it. */
  readonly byStranger?: Effect.Effect<Incident, Conflict | NotFound>
}

/**
 * The answer to a press: the message shows how the incident stands; without an incident, only the presser learns why nothing happened.
 */
export interface ChatAnswer {
  readonly text: string
  readonly incident: Incident | null
  /** Whether the press changed something. */
  readonly done: boolean
}

const names: Readonly<Record<Chat, string>> = { slack: "Slack", telegram: "Telegram", discord: "Discord" }

/** A press is proved by the chat's service; no session stands behind it. */
const sessionId = SessionId.make("ses_chat")

/** A second press, or the same one that came twice, would page yet another level. */
const escalatesAgainAfter = { seconds: 60 } as const
const escalated = "Escalated to level "

/** The entry of an escalation that was a moment ago; null if there is none. */
const justEscalated = ({ updates }: Incident, now: DateTime.Utc): string | null =>
  updates.findLast(({ at, body, public: isPublic }) =>
    !isPublic && body.startsWith(escalated) && DateTime.greaterThan(DateTime.add(at, escalatesAgainAfter), now)
  )?.body ?? null

const lastNote = ({ updates }: Incident): string => updates.findLast((update) => !update.public)?.body ?? "Done"

const reply = (text: string): ChatAnswer => ({ text, incident: null, done: false })

const stands = (incident: Incident): ChatAnswer => ({ text: standingText(incident), incident, done: false })

const makeActs = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const incidents = yield* Incidents
  const require = yield* makeRequireIncident
  const nameOf = yield* makeCallerName
  const { acknowledge } = yield* AcknowledgeIncident
  const { resolve } = yield* UpdateIncident
  const { escalate } = yield* PassOnIncident

  /** Two presses at the same time wait for each other. */
  const escalateOnce = (caller: Caller, id: IncidentId) =>
    Effect.gen(function*() {
      yield* incidents.lock(caller.workspaceId, id)
      const before = yield* require(caller.workspaceId, id)
      const recent = justEscalated(before, yield* DateTime.now)
      if (recent !== null) return { text: recent, incident: before, done: false } satisfies ChatAnswer
      const incident = yield* escalate(caller, id, {})
      return { text: lastNote(incident), incident, done: true } satisfies ChatAnswer
    }).pipe(transaction)

  const resolveNow = Effect.fnUntraced(function*(caller: Caller, id: IncidentId, chat: Chat) {
    const by = yield* nameOf(caller)
    const incident = yield* resolve(caller.workspaceId, id, {}, `Resolved by ${by} in ${names[chat]}.`)
    const text = `Resolved by ${by}, ${momentText(incident.resolvedAt ?? (yield* DateTime.now), "UTC")}`
    return { text, incident, done: true } satisfies ChatAnswer
  })

  /** Somebody else may have been faster. */
  const acknowledgeNow = Effect.fnUntraced(function*(caller: Caller, id: IncidentId) {
    const by = yield* nameOf(caller)
    const incident = yield* acknowledge(caller, id)
    return { ...stands(incident), done: incident.acknowledgement?.by === by } satisfies ChatAnswer
  })

  return {
    require,
    run: (caller: Caller, id: IncidentId, action: ChatAction, chat: Chat) => {
      switch (action) {
        case "acknowledge":
          return acknowledgeNow(caller, id)
        case "resolve":
          return resolveNow(caller, id, chat)
        case "escalate":
          return escalateOnce(caller, id)
      }
    }
  }
})

/** Whether a button has nothing left to do. */
const isStale = ({ acknowledgement, status }: Incident, action: ChatAction): boolean =>
  isOver(status) || (action === "acknowledge" && acknowledgement !== null)

export const makeActInChat = Effect.gen(function*() {
  const ways = yield* ContactWays
  const trail = yield* AuditTrail
  const links = yield* Links
  const catalog = yield* OperationCatalog
  const delegable = delegableOperations(catalog)
  const acts = yield* makeActs

  const stranger = (chat: Chat): ChatAnswer =>
    reply(`Your ${names[chat]} account is not linked to a member of this workspace. Link it: ${links.contact}`)

  const recorded = Effect.fnUntraced(function*(caller: Caller, incident: Incident, action: ChatAction, chat: Chat) {
    const operation = `${action}_incident`
    const { principal, workspaceId } = caller
    const entry = yield* trail.begin({ workspaceId, principal, operation, target: incident.id })
    const answer = yield* Effect.tapError(acts.run(caller, incident.id, action, chat), () => entry.drop)
    yield* answer.done ? entry.settle(incident.id) : entry.drop
    return answer
  })

  /** Never fails: whatever stands in the way is said to the presser. A change is not interrupted, though the service hangs up. */
  return Effect.fn("ActInChat.press")(
    function*({ action, address, byStranger, chat, incidentId, workspaceId }: ChatPress) {
      const owner = yield* ways.ownerOf(workspaceId, chat, address)
      if (Option.isNone(owner)) return byStranger === undefined ? stranger(chat) : stands(yield* byStranger)
      const { role, userId } = owner.value
      const caller = memberCaller({ userId, sessionId }, { id: workspaceId, role })
      const operation = catalog.find(({ id }) => id === `${action}_incident`)
      const refusal = operation === undefined ? null : callRefusal(caller, operation, delegable)
      if (refusal !== null) return byStranger === undefined ? yield* refusal : stands(yield* byStranger)
      const incident = yield* acts.require(workspaceId, IncidentId.make(storable(incidentId)))
      return isStale(incident, action) ? stands(incident) : yield* recorded(caller, incident, action, chat)
    },
    (work, { chat }) =>
      work.pipe(
        Effect.catchAll(({ hint, message }) => Effect.succeed(reply(hint === undefined ? message : `${message}. ${hint}`))),
        Effect.provideService(CallOrigin, { surface: chat, ip: null }),
        Effect.uninterruptible
      )
  )
})
