/** The mail that pages a person about an incident that nobody has acknowledged. */
import { isolated } from "../../domain/tools/Direction.ts"
import { layOut, type Mail, plainLine } from "./MailLayout.ts"

export interface EscalationMail {
  readonly title: string
  readonly policyName: string
  readonly level: number
  readonly levels: number
  /** Since the incident opened, or since its acknowledgement was taken back. */
  readonly unacknowledgedForMinutes: number
  /** The page with the button: `{base}/ack/{token}`. */
  readonly acknowledgeLink: string
  readonly incidentLink: string
}

const since = (minutes: number): string =>
  minutes === 0 ? "It has just begun." : `Nobody has acknowledged it for ${minutes} minute${minutes === 1 ? "" : "s"}.`

export const escalationMail = (mail: EscalationMail): Mail => {
  const title = plainLine(mail.title)
  const policy = plainLine(mail.policyName)
  return {
    subject: `[Page] ${isolated(title)}`,
    ...layOut({
      title,
      tone: "down",
      paragraphs: [`You are paged about an incident. ${since(mail.unacknowledgedForMinutes)}`],
      action: { label: "Acknowledge", link: mail.acknowledgeLink },
      closing: [
        { label: "Open the incident", link: mail.incidentLink },
        `You receive this page as level ${mail.level} of ${mail.levels} of the escalation policy ${isolated(policy)}. ` +
        "Acknowledging stops the escalation."
      ]
    })
  }
}
