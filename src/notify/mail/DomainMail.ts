/** The mails about a custom domain whose DNS does not lead to its page any more: the warning, and that it is lost. */
import { counted } from "../../domain/tools/text/Counted.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { layOut, type Mail, plainLine } from "./MailLayout.ts"

interface DomainNews {
  readonly domain: string
  /** Chosen by members, so it is reduced to one line without links. */
  readonly pageName: string
  /** The record that leads to the page. What DNS says instead is not repeated: the one who has the domain now wrote it. */
  readonly wanted: string
  /** Days until the domain is lost; null once it is. */
  readonly left: number | null
  /** The page's view about its domain. */
  readonly link: string
}

export const domainMail = ({ domain, left, link, pageName, wanted }: DomainNews): Mail => {
  const page = isolated(plainLine(pageName))
  const title = left === null ? `${domain} is no longer verified` : `${domain} will stop working in ${counted(left, "day")}`
  const state = left === null
    ? `DNS has not led from ${domain} to the status page ${page} for three days, so the page is not served there any more.`
    : `DNS no longer leads from ${domain} to the status page ${page}. The page is served there for ${counted(left, "more day")}.`
  return {
    subject: title,
    ...layOut({
      title,
      paragraphs: [
        state,
        left === null
          ? "To verify the domain again, add the TXT record that the page's settings show."
          : `Set the record ${wanted}, or verify the domain in the page's settings to see what DNS says.`
      ],
      action: { label: "Open the domain's settings", link },
      closing: ["You receive this mail because you are an owner or admin of the page's workspace."]
    })
  }
}
