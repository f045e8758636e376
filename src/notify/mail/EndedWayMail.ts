/** The mail to somebody whom pages do not reach by one of their ways any more. */
import { isolated } from "../../domain/tools/text/Direction.ts"
import { layOut, type Mail, plainLine } from "./MailLayout.ts"

interface EndedWay {
  /** Its name for people. */
  readonly label: string
  /** Why, and what to do. */
  readonly problem: string
  /** The page on which ways are added. */
  readonly link: string
}

export const endedWayMail = ({ label, link, problem }: EndedWay): Mail => {
  const title = `Pages no longer reach ${isolated(plainLine(label))}`
  return {
    subject: title,
    ...layOut({
      title,
      paragraphs: [
        `A page could not be delivered: ${plainLine(problem)}.`,
        "Until you add this way again, pages go by your other ways only."
      ],
      action: { label: "See how pages reach you", link },
      closing: ["You receive this mail because you are paged in a workspace of Belltower."]
    })
  }
}
