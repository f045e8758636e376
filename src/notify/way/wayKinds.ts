/** The registry of kinds of contact ways beside email, which is a mail of the deployment's own queue. */
import { Effect, Either } from "effect"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { decodeEventData } from "../../../schema/event/EventData.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { AddedWayKind } from "../../../schema/oncall/Way.ts"
import { alertMessage } from "../../domain/alert/AlertMessage.ts"
import { teamPayload } from "../../domain/alert/WebhookHeaders.ts"
import type { ContactWayKind } from "./WayKind.ts"
import { discord } from "./ways/discord.ts"
import { push } from "./ways/push.ts"
import { slack } from "./ways/slack.ts"
import { sms } from "./ways/sms.ts"
import { telegram } from "./ways/telegram.ts"
import { voice } from "./ways/voice.ts"

export const wayKinds: Partial<Readonly<Record<AddedWayKind, ContactWayKind>>> = {
  push,
  sms,
  voice,
  slack,
  telegram,
  discord
}

/** The kinds that this server can use, and why it cannot use the others. */
export const kindStates: Effect.Effect<ReadonlyMap<AddedWayKind, string | null>> = Effect.map(
  Effect.forEach(
    AddedWayKind.literals,
    (kind) =>
      Effect.map(
        wayKinds[kind]?.missing ?? Effect.succeed(`This server cannot page by ${kind}`),
        (missing) => [kind, missing] as const
      )
  ),
  (states) => new Map(states)
)

/** The same for a workspace, whose settings some kinds need. Of those, only the given kinds are looked at. */
export const kindStatesIn = (workspaceId: WorkspaceId, kinds: Iterable<AddedWayKind>) =>
  Effect.flatMap(kindStates, (states) =>
    Effect.map(
      Effect.forEach(new Set(kinds), (kind) =>
        Effect.map(wayKinds[kind]?.missingIn(workspaceId) ?? Effect.succeed(null), (missing) =>
          [kind, states.get(kind) ?? missing] as const)),
      (own) =>
        new Map([...states, ...own])
    ))

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
