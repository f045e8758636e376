/** The registry of kinds of contact ways beside email, which is a mail of the deployment's own queue. */
import { Effect, Either } from "effect"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { decodeEventData } from "../../../schema/event/EventData.ts"
import { AddedWayKind } from "../../../schema/oncall/Way.ts"
import { alertMessage } from "../../domain/alert/AlertMessage.ts"
import { teamPayload } from "../../domain/alert/WebhookHeaders.ts"
import type { ContactWayKind } from "./WayKind.ts"
import { push } from "./ways/push.ts"

export const wayKinds: Partial<Readonly<Record<AddedWayKind, ContactWayKind>>> = { push }

/** The kinds that this server can use, and why it cannot use the others. */
export const kindStates: Effect.Effect<ReadonlyMap<AddedWayKind, string | null>> = Effect.map(
  Effect.forEach(AddedWayKind.literals, (kind) =>
    Effect.map(wayKinds[kind]?.missing ?? Effect.succeed(`This server cannot page by ${kind}`), (missing) =>
      [kind, missing] as const)),
  (states) => new Map(states)
)

/** The body of a page to a way. `acknowledge` is the link of its person; its last part is the token. */
export const composePage = (kind: AddedWayKind, event: WorkspaceEvent, acknowledge: string): string => {
  const decoded = event.type === "incident.paged" ? decodeEventData(event.type, event.data) : Either.left(null)
  const way = wayKinds[kind]
  if (way === undefined || Either.isLeft(decoded)) return teamPayload(event)
  const { incident, paging, urgency } = decoded.right
  const { text, title } = alertMessage(event, null)
  return way.compose({
    _tag: "Page",
    pagingId: paging.id,
    urgency,
    title,
    text,
    startedAt: incident.startedAt,
    incidentLink: incident.url,
    acknowledgeLink: acknowledge,
    acknowledgeToken: acknowledge.slice(acknowledge.lastIndexOf("/") + 1)
  })
}
