/** The use cases of access, people, workspaces, mail and billing. They need the store but no cluster. */
import { Layer } from "effect"
import { AuditTrail } from "./access/AuditTrail.ts"
import { Authenticate } from "./access/Authenticate.ts"
import { IdempotentCalls } from "./access/IdempotentCalls.ts"
import { IdentifyCaller } from "./access/IdentifyCaller.ts"
import { ManageApiKeys } from "./access/ManageApiKeys.ts"
import { McpSessions } from "./access/McpSessions.ts"
import { PublicCalls } from "./access/PublicCalls.ts"
import { ManageBilling } from "./billing/ManageBilling.ts"
import { TakeBillingNotice } from "./billing/TakeBillingNotice.ts"
import { StreamSlots } from "./event/StreamSlots.ts"
import { ReadMail } from "./mail/ReadMail.ts"
import { ManageGrants } from "./oauth/ManageGrants.ts"
import { AcceptInvitation } from "./people/AcceptInvitation.ts"
import { ClaimWorkspace } from "./people/ClaimWorkspace.ts"
import { FirstOperator } from "./people/FirstOperator.ts"
import { PersonAccount } from "./people/PersonAccount.ts"
import { PersonSessions } from "./people/PersonSessions.ts"
import { PersonWorkspaces } from "./people/PersonWorkspaces.ts"
import { ProveAddress } from "./people/ProveAddress.ts"
import { ProviderSignIn } from "./people/ProviderSignIn.ts"
import { RequestSignIn } from "./people/RequestSignIn.ts"
import { SecondFactor } from "./people/SecondFactor.ts"
import { SignIn } from "./people/SignIn.ts"
import { AdmitRegistration } from "./workspace/AdmitRegistration.ts"
import { Bootstrap } from "./workspace/Bootstrap.ts"
import { InviteMember } from "./workspace/InviteMember.ts"
import { ManageMembers } from "./workspace/ManageMembers.ts"
import { ManageWorkspace } from "./workspace/ManageWorkspace.ts"
import { RestoreWorkspace } from "./workspace/RestoreWorkspace.ts"

/** Use cases that other use cases depend on. */
const shared = Layer.mergeAll(
  Authenticate.Default,
  PersonSessions.Default,
  FirstOperator.Default,
  PersonWorkspaces.Default,
  ProveAddress.Default,
  PublicCalls.Default,
  StreamSlots.Default
).pipe(Layer.provideMerge(Layer.merge(AuditTrail.Default, AdmitRegistration.Default)))

export const layer = Layer.mergeAll(
  AcceptInvitation.Default,
  Bootstrap.Default,
  ClaimWorkspace.Default,
  IdempotentCalls.Default,
  IdentifyCaller.Default,
  InviteMember.Default,
  ManageApiKeys.Default,
  ManageBilling.Default,
  ManageGrants.Default,
  ManageMembers.Default,
  ManageWorkspace.Default,
  McpSessions.Default,
  PersonAccount.Default,
  ProviderSignIn.Default,
  ReadMail.Default,
  RestoreWorkspace.Default,
  RequestSignIn.Default,
  SecondFactor.Default,
  SignIn.Default,
  TakeBillingNotice.Default
).pipe(Layer.provideMerge(shared))
