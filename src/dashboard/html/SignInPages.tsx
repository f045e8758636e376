/** The pages on the way in: the address, the mail, the link's button, the second factor. */
import type { Provider } from "../../../schema/people/Person.ts"
import { Do, Gate, Wrong } from "./Shell.tsx"

const providerNames = { google: "Google", github: "GitHub" } as const satisfies Record<Provider, string>
export const nameOf = (provider: Provider): string => providerNames[provider]

/** What leads on to the page that one was going to. */
const query = (next: string | null) => (next === null ? "" : `?next=${encodeURIComponent(next)}`)

export interface WaysIn {
  /** Whether there is a mail server. */
  readonly mails: boolean
  readonly providers: ReadonlyArray<Provider>
  readonly next: string | null
  readonly wrong?: string | undefined
  readonly email?: string | undefined
}

/** The ways in, wherever a page asks to sign in; `action` takes the address. */
export const SignInForm = ({ action, email, mails, next, providers, wrong }: WaysIn & { readonly action: string }) => (
  <>
    {wrong === undefined ? null : <Wrong>{wrong}</Wrong>}
    <form method="post" action={action} class="wide">
      <label>
        Email
        <input type="email" name="email" required autocomplete="email" maxlength={254} value={email ?? ""} autofocus />
      </label>
      {next === null ? null : <input type="hidden" name="next" value={next} />}
      <button>{mails ? "Mail me a sign-in link" : "Get a sign-in link"}</button>
    </form>
    {providers.length === 0 ? null : <p class="or">or</p>}
    {providers.map((provider) => (
      <Do action={`/auth/${provider}${query(next)}`} class="wide plain" label={`Continue with ${nameOf(provider)}`} />
    ))}
  </>
)

export const SignInPage = (ways: WaysIn) => (
  <Gate title="Sign in">
    <p class="note">
      {ways.mails
        ? "No password: a link comes by mail. Someone new gets an account by it."
        : "No password: a link lets you in. This server sends no mail, so it keeps the link for whoever owns your workspace."}
    </p>
    <SignInForm {...ways} action="/sign-in" />
  </Gate>
)

export const CheckMailPage = ({ email, sent }: { readonly email: string; readonly sent: boolean }) => (
  <Gate title={sent ? "Look into your mail" : "Your link is ready"}>
    {sent
      ? (
        <p>
          A link to sign in with is on its way to <b>{email}</b>. It works once, within 15 minutes.
        </p>
      )
      : (
        <>
          <p>
            This server sends no mail, so the link for <b>{email}</b> was kept inside it for 15 minutes.
          </p>
          <p class="note">
            Whoever owns your workspace finds it under <a href="/app/mail">Mail</a>. Who runs the server gets a new one with{" "}
            <code>belltower sign-in-link {email}</code>.
          </p>
        </>
      )}
    <p class="note">
      <a href="/sign-in">Use another address</a>
    </p>
  </Gate>
)

/** Opening a link does nothing yet: mail programs and scanners open links too. */
export const LinkPage = ({ email, instead, token }: {
  readonly email: string
  readonly token: string
  /** Who is signed in here now. */
  readonly instead: string | null
}) => (
  <Gate title="Sign in">
    <p>
      You are about to sign in as <b>{email}</b>.
    </p>
    {instead === null || instead === email ? null : <p class="note">{instead} is signed out of this browser by that.</p>}
    <Do action={`/auth/link/${token}`} class="wide" label="Sign in" />
  </Gate>
)

export const DeadLinkPage = () => (
  <Gate title="This link does not work">
    <p>It was used already, it is older than 15 minutes, or it was not copied whole.</p>
    <p class="wide">
      <a class="button" href="/sign-in">Get a new link</a>
    </p>
  </Gate>
)

export const SecondFactorPage = ({ next, wrong }: { readonly next: string | null; readonly wrong?: string | undefined }) => (
  <Gate title="One more step">
    <p>Type the code that your authenticator app shows, or one of your recovery codes.</p>
    {wrong === undefined ? null : <Wrong>{wrong}</Wrong>}
    <form method="post" action="/auth/second-factor" class="wide">
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
        />
      </label>
      {next === null ? null : <input type="hidden" name="next" value={next} />}
      <button>Go on</button>
    </form>
    <Do action="/sign-out" label="Cancel" class="wide plain" />
  </Gate>
)
