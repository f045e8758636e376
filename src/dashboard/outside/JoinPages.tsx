/** The pages for joining or making a workspace by an invitation, and the sign-in link of a newcomer. */
import type { Role } from "../../../schema/workspace/Workspace.ts"
import { programCommand } from "../../domain/workspace/ProgramCommand.ts"
import { Do, Gate, Lead, Wrong } from "./Frame.tsx"
import { SignInForm, type WaysIn } from "./SignInPages.tsx"

/** Without a mail server, the holder of the claim gets the sign-in link on this page. */
export const OpenLinkPage = ({ email, next, path }: {
  readonly email: string
  readonly next: string
  readonly path: string
}) => (
  <Gate title="Open your link">
    <p>
      This server sends no email, because no mail server is set. Use this link to sign in as <b>{email}</b>:
    </p>
    <Lead to={path} label="Open the sign-in link" />
    <p class="note">
      The link works once and expires in 15 minutes. It makes a new account. If you already have one here,{" "}
      <a href={`/sign-in?next=${encodeURIComponent(next)}`}>sign in to it</a> instead.
    </p>
  </Gate>
)

interface Invitation {
  readonly token: string
  readonly workspaceName: string
  readonly email: string
  readonly role: Role
}

const Invited = ({ email, role, workspaceName }: Invitation) => (
  <p>
    <b>{email}</b> is invited to the workspace <b>{workspaceName}</b> as {role}.
  </p>
)

/** For an invited person who is signed in, or who has no account and gets one by accepting. */
export const AcceptPage = ({ instead, invitation, signedIn }: {
  readonly invitation: Invitation
  readonly signedIn: boolean
  /** Another person who is signed in on this browser. */
  readonly instead: string | null
}) => (
  <Gate title={`Join ${invitation.workspaceName}`}>
    <Invited {...invitation} />
    {signedIn ? null : <p class="note">Accepting creates an account for this address and signs you in.</p>}
    {instead === null ? null : <p class="note">This signs {instead} out of this browser.</p>}
    <Do action={`/invite/${invitation.token}${signedIn ? "" : "/join"}`} label="Accept" />
  </Gate>
)

export const SignInToAcceptPage = ({ as, invitation, mails }: {
  readonly invitation: Invitation
  readonly mails: boolean
  /** The person who is signed in on this browser. */
  readonly as: string | null
}) => (
  <Gate title={`Join ${invitation.workspaceName}`}>
    <Invited {...invitation} />
    {as === null
      ? null
      : as === invitation.email
      ? <p class="note">To accept, first prove that this address is yours.</p>
      : <p class="note">You are signed in as {as}, but this invitation is for {invitation.email}.</p>}
    {mails ? null : (
      <p class="note">
        No mail server is set, so a sign-in link is captured, not sent. The server's operator can create one with{" "}
        <code>{programCommand(`sign-in-link ${invitation.email}`)}</code>.
      </p>
    )}
    <Do
      action={`/invite/${invitation.token}/email`}
      label={mails ? `Email a sign-in link to ${invitation.email}` : `Create a sign-in link for ${invitation.email}`}
    />
  </Gate>
)

/** For somebody with an invitation of the operator. */
export const RegisterPage = ({ code, ways }: { readonly code: string; readonly ways: WaysIn }) => (
  <Gate title="Create a workspace">
    <p>The operator of this installation invites you to create a workspace.</p>
    <p class="note">Sign in first. You will return to this page.</p>
    <SignInForm {...ways} action={`/register/${code}/email`} />
  </Gate>
)

export const RegisterAsPage = ({ code, email, wrong }: {
  readonly code: string
  readonly email: string
  readonly wrong: string | undefined
}) => (
  <Gate title="Create a workspace">
    <p>
      You are signed in as <b>{email}</b>, and become the owner of the workspace.
    </p>
    {wrong === undefined ? null : <Wrong>{wrong}</Wrong>}
    <form method="post" action={`/register/${code}`}>
      <label>
        Name
        <input name="name" required maxlength={80} autofocus />
      </label>
      <button>Create</button>
    </form>
    <p class="note">
      An agent can use the invitation instead: it sends <code>{code}</code> as <code>invitation</code> to{" "}
      <code>bootstrap_workspace</code>.
    </p>
  </Gate>
)
