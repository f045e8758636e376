/** The text for customers: the model's if it passes the guard, else a neutral one of ours. */
import type { DateTime } from "effect"
import type { Incident } from "../../../schema/incident/Incident.ts"
import { endNote } from "../incident/ManualIncident.ts"
import { type PublicTextPolicy, publicTextRefusals } from "../page/PublicTextGuard.ts"
import { en } from "../words/en.ts"

/** The neutral template: it says what everybody can see. The page shows it in the visitor's language. */
export const neutralText = (
  { kind, startedAt, status }: Pick<Incident, "kind" | "status" | "startedAt">,
  names: ReadonlyArray<string>,
  now: DateTime.Utc
): string => {
  if (status === "resolved" || status === "completed") return endNote(kind, names, startedAt, now)
  if (kind === "maintenance") return status === "scheduled" ? en.maintenancePlanned : en.maintenanceStarted
  return names.length === 0 ? en.investigatingAlone : en.investigating(names.join(", "))
}

export type PublicAiText = ReturnType<typeof publicAiText>

/** The text, or `neutral` if it is empty or contains what customers must not read; `ai` is true if the model wrote it. */
export const publicAiText = (text: string, policy: PublicTextPolicy, neutral: string) =>
  text.trim() === "" || publicTextRefusals("text", text, policy).length > 0
    ? { body: neutral, ai: false }
    : { body: text, ai: true }
