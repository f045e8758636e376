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

/** Digits that may be a telephone number: seven or more together, and no date. */
const namesPhone = (text: string): boolean =>
  (text.normalize("NFKC").match(/\d[\d\s().\u2010-\u2015-]{5,30}\d/gu) ?? []).some((run) =>
    run.replace(/\D/g, "").length >= 7 && !/\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\s?\d{1,2}\.\s?\d{4}/.test(run)
  )

export type PublicAiText = ReturnType<typeof publicAiText>

/**
 * The text, or `neutral` if it is empty or contains what customers must not read; `ai` is true if the model wrote it. A target that
 * turned the model must not send customers elsewhere, by a link or to a telephone.
 */
export const publicAiText = (text: string, policy: PublicTextPolicy, neutral: string) =>
  text.trim() === "" || namesPhone(text) || publicTextRefusals("text", text, policy).length > 0
    ? { body: neutral, ai: false }
    : { body: text, ai: true }
