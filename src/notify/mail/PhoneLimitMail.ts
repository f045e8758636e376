/** The mail that texts and calls are used up, and that pages go by the next way of their people. */
import { layOut, type Mail } from "./MailLayout.ts"

interface PhoneLimitNews {
  /** The limit that was reached, as a sentence. */
  readonly reason: string
  /** The workspace. */
  readonly link: string
}

export const phoneLimitMail = ({ link, reason }: PhoneLimitNews): Mail => {
  const title = "Pages by phone have reached their limit"
  return {
    subject: title,
    ...layOut({
      title,
      paragraphs: [
        `${reason}. Until the hour or day is over, pages do not go out by phone: the next way of each person is used immediately.`,
        "This mail comes once a day at most. Look at what pages so much, or ask the operator of this server for a higher limit."
      ],
      action: { label: "Open the workspace", link },
      closing: ["You receive this mail because you are an owner or admin of the workspace."]
    })
  }
}
