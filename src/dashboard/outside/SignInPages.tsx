/** The sign-in pages: email address, confirmation, sign-in link, two-factor authentication. */
import type { Provider } from "../../../schema/people/Person.ts"
import { programCommand } from "../../domain/workspace/ProgramCommand.ts"
import type { PriorAccess } from "../../operations/people/SignIn.ts"
import { Do, Gate, Lead, refused, Wrong } from "./Frame.tsx"

const providerNames = { google: "Google", github: "GitHub" } as const satisfies Record<Provider, string>
export const nameOf = (provider: Provider): string => providerNames[provider]

/** The query that carries the page to return to after sign-in. */
const query = (next: string | null) => (next === null ? "" : `?next=${encodeURIComponent(next)}`)

export interface WaysIn {
  readonly mails: boolean
  readonly providers: ReadonlyArray<Provider>
  readonly next: string | null
  readonly wrong?: string | undefined
  readonly email?: string | undefined
}

/** The sign-in methods, for every page that asks to sign in; the email address is posted to `action`. */
export const SignInForm = ({ action, email, mails, next, providers, wrong }: WaysIn & { readonly action: string }) => (
  <>
    {wrong === undefined ? null : <Wrong>{wrong}</Wrong>}
    <form method="post" action={action}>
      <label>
        Email
        <input
          type="email"
          name="email"
          required
          autocomplete="email"
          maxlength={254}
          value={email ?? ""}
          autofocus
          {...refused(wrong)}
        />
      </label>
      {next === null ? null : <input type="hidden" name="next" value={next} />}
      <button>{mails ? "Email me a sign-in link" : "Get a sign-in link"}</button>
    </form>
    {providers.length === 0 ? null : <p class="or">or</p>}
    {providers.map((provider) => (
      <Do action={`/auth/${provider}${query(next)}`} look="plain" label={`Continue with ${nameOf(provider)}`} />
    ))}
  </>
)

export const SignInPage = (ways: WaysIn) => (
  <Gate title="Sign in">
    <p class="note">
      {ways.mails
        ? "Sign in or create an account. We email you a link; no password is needed."
        : "Sign in with a link; no password is needed. This server sends no email, because no mail server is set: its operator can create a link for you."}
    </p>
    <SignInForm {...ways} action="/sign-in" />
  </Gate>
)

export const CheckMailPage = ({ again, email, sent }: {
  readonly email: string
  readonly sent: boolean
  /** The form for another address. */
  readonly again: string
}) => (
  <Gate title={sent ? "Check your email" : "Your link was captured, not sent"}>
    {sent
      ? (
        <p>
          We sent a sign-in link to <b>{email}</b>. It works once and expires in 15 minutes.
        </p>
      )
      : (
        <>
          <p>
            This server sends no email, because no mail server is set. It keeps the sign-in link for <b>{email}</b>{" "}
            for 15 minutes.
          </p>
          <p class="note">
            The server's operator can create one for you with{" "}
            <code>{programCommand(`sign-in-link ${email}`)}</code>. Until you have proved this address, the owner of your
            workspace also finds it under <a href="/app/mail">Mail</a>.
          </p>
        </>
      )}
    <p class="note">
      <a href={again}>Use a different address</a>
    </p>
  </Gate>
)

interface UsedLink {
  readonly email: string
  readonly token: string
  /** The default choice for the access to `workspaces`; null if the link proves nothing. */
  readonly usual: PriorAccess | null
  /** The workspaces of an account with this address whose owner has not proved it yet. */
  readonly workspaces: ReadonlyArray<{ readonly name: string; readonly role: string }>
}

const choices = {
  keep: "Sign in and keep this access",
  remove: "Sign in and end this access"
} as const satisfies Record<PriorAccess, string>

/** The owner of an address decides what happens to the access that someone, perhaps they, gained with it before. */
const PriorAccessChoice = ({ token, usual, workspaces }: UsedLink & { readonly usual: PriorAccess }) => {
  const action = `/auth/link/${token}`
  const other = usual === "keep" ? "remove" : "keep"
  return (
    <>
      <p>This address was used here before, without proof that it is yours. That account belongs to:</p>
      <ul>
        {workspaces.map(({ name, role }) => <li>{name} ({role})</li>)}
      </ul>
      <p class="note">
        If that was not you, end this access: its sessions and API keys stop working, and it leaves these workspaces.
      </p>
      <Do action={action} field={{ name: "account", value: usual }} label={choices[usual]} />
      <Do action={action} look="plain" field={{ name: "account", value: other }} label={choices[other]} />
    </>
  )
}

/** Requires a button press, because mail clients and scanners open links too. */
export const LinkPage = ({ instead, ...link }: UsedLink & {
  /** The person who is signed in on this browser now. */
  readonly instead: string | null
}) => (
  <Gate title="Sign in">
    <p>
      You are about to sign in as <b>{link.email}</b>.
    </p>
    {instead === null || instead === link.email ? null : <p class="note">This signs {instead} out of this browser.</p>}
    {link.usual === null || link.workspaces.length === 0
      ? <Do action={`/auth/link/${link.token}`} label="Sign in" />
      : <PriorAccessChoice {...link} usual={link.usual} />}
  </Gate>
)

export const DeadLinkPage = () => (
  <Gate title="This link is invalid or has expired">
    <p>Sign-in links work once and expire after 15 minutes. If you copied the link, check that it is complete.</p>
    <Lead to="/sign-in" label="Get a new link" />
  </Gate>
)

export const SecondFactorPage = ({ next, wrong }: { readonly next: string | null; readonly wrong?: string | undefined }) => (
  <Gate title="Two-factor authentication">
    <p>Enter the code from your authenticator app, or one of your recovery codes.</p>
    {wrong === undefined ? null : <Wrong>{wrong}</Wrong>}
    <form method="post" action="/auth/second-factor">
      <label>
        Code
        <input
          name="code"
          required
          autocomplete="one-time-code"
          autocapitalize="none"
          spellcheck={false}
          maxlength={40}
          autofocus
          {...refused(wrong)}
        />
      </label>
      {next === null ? null : <input type="hidden" name="next" value={next} />}
      <button>Continue</button>
    </form>
    <Do action="/sign-out" label="Cancel" look="plain" />
  </Gate>
)
