/** The mail that lets a person sign in. */
import type { MailContent } from "../../store/mail/Mails.ts"
import { layOut } from "./MailLayout.ts"

export const signInMail = (link: string): MailContent & { readonly subject: string } => ({
  subject: "Sign in to Belltower",
  ...layOut({
    title: "Sign in to Belltower",
    paragraphs: ["You, or someone who typed your address, asked to sign in."],
    action: { label: "Sign in", link },
    closing: ["The link works once, within 15 minutes. If it was not you, do nothing: nobody gets in without this link."]
  })
})
