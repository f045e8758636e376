/** The mail with a sign-in link. */
import { layOut, type Mail } from "./MailLayout.ts"

export const signInMail = (link: string): Mail => ({
  subject: "Sign in to Belltower",
  ...layOut({
    title: "Sign in to Belltower",
    paragraphs: ["We received a request to sign in with this email address."],
    action: { label: "Sign in", link },
    closing: [
      "The link works once and expires in 15 minutes. " +
      "If you did not request it, ignore this email: nobody can sign in without the link."
    ]
  })
})
