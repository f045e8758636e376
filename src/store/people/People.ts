/** The stores of people: accounts, sign-in, mail, and entry to workspaces. */
import { Layer } from "effect"
import { MailQueue } from "../mail/MailQueue.ts"
import { Mails } from "../mail/Mails.ts"
import { Claims } from "../workspace/Claims.ts"
import { OperatorInvitations } from "../workspace/OperatorInvitations.ts"
import { WorkspaceEntry } from "../workspace/WorkspaceEntry.ts"
import { Identities } from "./Identities.ts"
import { KnownBrowsers } from "./KnownBrowsers.ts"
import { SecondFactors } from "./SecondFactors.ts"
import { Sessions } from "./Sessions.ts"
import { SignInLinks } from "./SignInLinks.ts"
import { UnprovedAccess } from "./UnprovedAccess.ts"
import { Users } from "./Users.ts"

export const layer = Layer.mergeAll(
  Users.Default,
  Sessions.Default,
  SignInLinks.Default,
  SecondFactors.Default,
  Identities.Default,
  KnownBrowsers.Default,
  UnprovedAccess.Default,
  Claims.Default,
  WorkspaceEntry.Default,
  OperatorInvitations.Default,
  Mails.Default,
  MailQueue.Default
)
