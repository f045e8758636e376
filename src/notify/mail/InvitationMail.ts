/** The mail that invites a person to a workspace. */
import type { Role } from "../../../schema/workspace/Workspace.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { inLine, layOut, type Mail, plainLine } from "./MailLayout.ts"

export interface InvitationMail {
  /** The page that accepts the invitation: `{base}/invite/{token}`. */
  readonly link: string
  /** Chosen by members, so it is reduced to one line without links. */
  readonly workspaceName: string
  readonly role: Role
  /** Name or address of the inviting person; null if an API key sent the invitation. */
  readonly invitedBy: string | null
  readonly validDays: number
}

const article = (role: Role): string => (role === "owner" || role === "admin" ? `an ${role}` : `a ${role}`)

export const invitationMail = (
  { invitedBy, link, role, validDays, workspaceName }: InvitationMail
): Mail => {
  const workspace = isolated(plainLine(workspaceName))
  const inviter = invitedBy === null ? "You have been invited" : `${isolated(inLine(invitedBy))} has invited you`
  return {
    subject: `You are invited to ${workspace} on Belltower`,
    ...layOut({
      title: `Join ${workspace} on Belltower`,
      paragraphs: [
        `${inviter} to join the workspace ${workspace} on Belltower as ${article(role)}. ` +
        "Belltower provides uptime monitoring, status pages and incident communication."
      ],
      action: { label: "View invitation", link },
      closing: [`The invitation expires in ${validDays} days. If you did not expect it, ignore this email.`]
    })
  }
}
