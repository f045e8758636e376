/** The pages on which people come to a workspace: by a claim, or by an invitation. */
import type { Role } from "../../../schema/workspace/Workspace.ts"
import { Do, Gate } from "./Shell.tsx"
import { SignInForm, type WaysIn } from "./SignInPages.tsx"

interface Claim {
  readonly token: string
  readonly name: string
  readonly agentName: string | null
}

const About = ({ agentName, name }: Claim) => (
  <p>
    {agentName === null ? "An agent" : (
      <>
        The agent <b>{agentName}</b>
      </>
    )} set up the workspace{" "}
    <b>{name}</b>: monitors and status pages that nobody answers for yet. Whoever claims it owns it; unclaimed it is deleted after
    seven days.
  </p>
)

export const ClaimPage = ({ claim, ways }: { readonly claim: Claim; readonly ways: WaysIn }) => (
  <Gate title="Claim this workspace">
    <About {...claim} />
    <p class="note">Sign in first; you come back here then.</p>
    <SignInForm {...ways} action={`/claim/${claim.token}/email`} />
  </Gate>
)

export const ClaimAsPage = ({ claim, email }: { readonly claim: Claim; readonly email: string }) => (
  <Gate title="Claim this workspace">
    <About {...claim} />
    <p class="note">The agent's key goes on working, but no longer decides who owns what.</p>
    <Do action={`/claim/${claim.token}`} class="wide" label={`Claim it as ${email}`} />
    <p class="note">Not you? Sign out and open this address again.</p>
    <Do action="/sign-out" class="wide plain" label="Sign out" />
  </Gate>
)

export const ClaimedPage = ({ name }: { readonly name: string }) => (
  <Gate title="Already claimed">
    <p>
      The workspace <b>{name}</b> has an owner. If that is you, go on; if not, ask for an invitation.
    </p>
    <p class="wide">
      <a class="button" href="/app">Go to my workspaces</a>
    </p>
  </Gate>
)

/** Without a mail server the way in is shown to whoever holds the claim. */
export const OpenLinkPage = ({ email, path }: { readonly email: string; readonly path: string }) => (
  <Gate title="Open your link">
    <p>
      This server sends no mail, so here is what it would have sent to <b>{email}</b>:
    </p>
    <p class="wide">
      <a class="button" href={path}>Open the sign-in link</a>
    </p>
    <p class="note">It works once, within 15 minutes.</p>
  </Gate>
)

export const KnownAddressPage = ({ email }: { readonly email: string }) => (
  <Gate title="This address has an account">
    <p>
      This server sends no mail, and a claim does not open an account that exists already. Sign in as <b>{email}</b>{" "}
      first, then open this claim again.
    </p>
    <p class="note">
      Who runs the server gets a sign-in link with <code>belltower sign-in-link {email}</code>.
    </p>
    <p class="wide">
      <a class="button" href="/sign-in">Sign in</a>
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

/** The invited person is signed in, or has no account and gets one by accepting. */
export const AcceptPage = ({ instead, invitation, signedIn }: {
  readonly invitation: Invitation
  readonly signedIn: boolean
  /** Somebody else who is signed in here. */
  readonly instead: string | null
}) => (
  <Gate title={`Join ${invitation.workspaceName}`}>
    <Invited {...invitation} />
    {signedIn ? null : <p class="note">You get an account with this address and are signed in.</p>}
    {instead === null ? null : <p class="note">{instead} is signed out of this browser by that.</p>}
    <Do action={`/invite/${invitation.token}${signedIn ? "" : "/join"}`} class="wide" label="Accept" />
  </Gate>
)

export const SignInToAcceptPage = ({ invitation, other }: {
  readonly invitation: Invitation
  /** Somebody else who is signed in here. */
  readonly other: string | null
}) => (
  <Gate title={`Join ${invitation.workspaceName}`}>
    <Invited {...invitation} />
    {other === null ? null : <p class="note">You are signed in as {other}, for whom this invitation is not.</p>}
    <Do action={`/invite/${invitation.token}/email`} class="wide" label={`Mail a sign-in link to ${invitation.email}`} />
  </Gate>
)
