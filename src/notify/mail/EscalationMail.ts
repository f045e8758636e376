/** The mail that pages a person about an incident that nobody has acknowledged. */
import type { DateTime } from "effect"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { durationText } from "../../domain/tools/time/Duration.ts"
import { momentText } from "../../domain/tools/time/Moments.ts"
import { inThread, layOut, type Mail, plainLine } from "./MailLayout.ts"

export interface EscalationMail {
  readonly title: string
  /** The level that pages; null for a person whom somebody asked for, by a hand-over or a drill. */
  readonly policy: { readonly name: string; readonly level: number; readonly levels: number } | null
  readonly startedAt: DateTime.Utc
  /** Since the incident opened, or since its acknowledgement was taken back. */
  readonly unacknowledgedForMinutes: number
  /** The page with the button: `{base}/ack/{token}`. */
  readonly acknowledgeLink: string
  readonly incidentLink: string
  readonly incidentId: string
}

const reasonOf = (policy: EscalationMail["policy"]): string =>
  policy === null
    ? "You receive this page because somebody on your team asked for you."
    : `You receive this page as level ${policy.level} of ${policy.levels} of the escalation policy ${
      isolated(plainLine(policy.name))
    }.`

const since = (minutes: number): string =>
  minutes === 0
    ? "Nobody has acknowledged it yet."
    : `Nobody has acknowledged it for ${durationText(minutes * 60)}.`

export const escalationMail = (mail: EscalationMail): Mail => {
  const title = plainLine(mail.title)
  return {
    subject: `[Page] ${isolated(title)}`,
    ...layOut({
      title,
      tone: "down",
      paragraphs: [
        `You are paged about an incident that began at ${momentText(mail.startedAt, "UTC")}. ${
          since(mail.unacknowledgedForMinutes)
        }`
      ],
      action: { label: "Acknowledge", link: mail.acknowledgeLink },
      closing: [
        { label: "Open the incident", link: mail.incidentLink },
        `${reasonOf(mail.policy)} Acknowledging stops the escalation.`
      ]
    }),
    headers: inThread(mail.incidentId)
  }
}
