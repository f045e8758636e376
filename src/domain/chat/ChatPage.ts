/** A page to a person in a chat, in the form of the alerts of channels. */
import type { DateTime } from "effect"
import type { AlertMessage } from "../alert/AlertMessage.ts"
import { momentText } from "../tools/time/Moments.ts"

interface ChatPage {
  readonly title: string
  readonly text: string
  readonly startedAt: DateTime.Utc
  /** Ends with the id of the incident. */
  readonly incidentLink: string
  readonly acknowledgeLink: string
}

export const chatPage = ({ acknowledgeLink, incidentLink, startedAt, text, title }: ChatPage): AlertMessage => {
  const incidentId = incidentLink.slice(incidentLink.lastIndexOf("/") + 1)
  return {
    tone: "down",
    title,
    text,
    facts: [{ label: "Since", value: momentText(startedAt, "UTC") }],
    link: { label: "Acknowledge", url: acknowledgeLink },
    at: startedAt,
    incidentId,
    about: { key: `incident ${incidentId}`, step: "begins" }
  }
}

export const codeText = (code: string): string =>
  `Your code is ${code}. Enter it in Belltower to be paged here. Nobody will ask you for it.`

export const testText = "Test from Belltower: pages reach you here. Nothing is wrong."
