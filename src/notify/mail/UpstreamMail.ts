/** The mails about third parties: the one that asks for confirmation, and those with news. */
import type { CatalogueComponent, CatalogueEntry } from "../../../schema/upstream/Catalogue.ts"
import type { UpstreamVerdict } from "../../../schema/upstream/Upstream.ts"
import type { Tone } from "../../domain/alert/AlertMessage.ts"
import { type Judgement, newsOf } from "../../domain/upstream/JudgeUpstream.ts"
import { inLine, layOut, type Mail, oneClick, plainLine } from "./MailLayout.ts"

interface Topic {
  readonly entry: CatalogueEntry
  readonly component: CatalogueComponent
}

const named = ({ component, entry }: Topic): string =>
  component.name === entry.name ? entry.name : `${entry.name} ${component.name}`

export const upstreamConfirmationMail = ({ link, ...topic }: Topic & { readonly link: string }): Mail => {
  const title = `Get mail when ${named(topic)} has problems?`
  return {
    subject: title,
    ...layOut({
      title,
      paragraphs: ["Confirm that you want these mails. Nothing is sent until then."],
      action: { label: "Confirm", link },
      closing: ["If you did not ask for this, ignore this mail."]
    })
  }
}

const tones = { proceed: "good", retry: "degraded", fallback: "down", pause: "down" } as const satisfies Record<
  UpstreamVerdict,
  Tone
>

/** The third party's text has no links that a mail program would make clickable. */
export const upstreamNewsMail = (
  { judgement, link, unsubscribe, ...topic }: Topic & {
    readonly judgement: Judgement
    readonly link: string
    readonly unsubscribe: string
  }
): Mail => {
  const { incident, reason, verdict } = judgement
  const title = `${named(topic)}: ${newsOf(judgement).replaceAll("_", " ")}`
  const advice = {
    proceed: "",
    retry: "Retry calls that fail.",
    fallback: "Use your fallback, if you have one.",
    pause: "Do not call it for now."
  }
  return {
    subject: inLine(title, 200),
    ...layOut({
      title,
      tone: tones[verdict],
      paragraphs: [
        plainLine(reason, 400),
        ...(incident === null || incident.text === null ? [] : [plainLine(incident.text, 1000)]),
        advice[verdict]
      ]
        .filter((text) => text !== ""),
      action: { label: "Open its status", link },
      closing: [`You asked for mail about ${named(topic)}.`, { label: "Unsubscribe", link: unsubscribe }]
    }),
    headers: oneClick(unsubscribe)
  }
}
