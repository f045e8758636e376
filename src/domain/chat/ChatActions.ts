/** The actions of buttons in chats, and which of them an incident still has. */
import { type DateTime, Schema } from "effect"
import type { Incident } from "../../../schema/incident/Incident.ts"
import { isOver } from "../incident/IncidentMachine.ts"
import { momentText } from "../tools/time/Moments.ts"

export const ChatAction = Schema.Literal("acknowledge", "resolve", "escalate")
export type ChatAction = typeof ChatAction.Type

export const actionLabels: Readonly<Record<ChatAction, string>> = {
  acknowledge: "Acknowledge",
  resolve: "Resolve",
  escalate: "Escalate"
}

/** The buttons of an incident that is open and that nobody has acknowledged. */
export const everyAction: ReadonlyArray<ChatAction> = ChatAction.literals

type Standing = Pick<Incident, "status" | "acknowledgement" | "resolvedAt">

/** The buttons that make sense for an incident as it stands. */
export const actionsLeft = ({ acknowledgement, status }: Standing): ReadonlyArray<ChatAction> =>
  isOver(status) ? [] : acknowledgement === null ? everyAction : ["resolve", "escalate"]

const at = (time: DateTime.Utc): string => momentText(time, "UTC")

/** How an incident stands, in one line: `Acknowledged by ada@example.com, Nov 20, 2026, 03:12 UTC`. */
export const standingText = ({ acknowledgement, resolvedAt, status }: Standing): string =>
  isOver(status)
    ? `Resolved${resolvedAt === null ? "" : `, ${at(resolvedAt)}`}`
    : acknowledgement === null
    ? "No one has acknowledged it"
    : `Acknowledged by ${acknowledgement.by}, ${at(acknowledgement.at)}`
