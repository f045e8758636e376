/** The mail that invites a person into a workspace. */
import type { Role } from "../../../schema/workspace/Workspace.ts"
import type { MailContent } from "../../store/mail/Mails.ts"
import { inLine, layOut, withoutLinks } from "./MailLayout.ts"

export interface InvitationMail {
  /** The page on which it is accepted: `{base}/invite/{token}`. */
  readonly link: string
  /** As its members call it; whatever they chose, it is shown as one line without links. */
  readonly workspaceName: string
  readonly role: Role
  /** Whose invitation it is, as the invited may know them; null when a key invited. */
  readonly invitedBy: string | null
  readonly validDays: number
}

const article = (role: Role): string => (role === "owner" || role === "admin" ? `an ${role}` : `a ${role}`)

export const invitationMail = (
  { invitedBy, link, role, validDays, workspaceName }: InvitationMail
): MailContent & { readonly subject: string } => {
  const workspace = withoutLinks(inLine(workspaceName))
  const inviter = invitedBy === null ? "You are invited" : `${inLine(invitedBy)} invites you`
  return {
    subject: `You are invited to ${workspace} on Belltower`,
    ...layOut({
      title: `Join ${workspace} on Belltower`,
      paragraphs: [
        `${inviter} to be ${article(role)} of the workspace ${workspace}, which watches over services with Belltower: ` +
        "uptime monitoring, status pages and incident communication."
      ],
      action: { label: "Look at the invitation", link },
      closing: [`The invitation is valid for ${validDays} days. If you know nothing of it, you need do nothing.`]
    })
  }
}
