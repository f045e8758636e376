/** The security page: two-factor authentication, connected accounts and sessions. */
import type { Provider, Security, Session } from "../../../schema/people/Person.ts"
import { Frame } from "./Frame.tsx"
import { Moment } from "./Moment.tsx"
import { Do, Wrong } from "./Shell.tsx"
import { nameOf } from "./SignInPages.tsx"

export interface SecurityProps {
  readonly email: string
  readonly security: Security
  readonly providers: ReadonlyArray<Provider>
  readonly wrong?: string | undefined
}

/** A short browser name from a user agent, enough to tell sessions apart. */
const browserOf = (userAgent: string | null): string => {
  if (userAgent === null) return "Unknown browser"
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\/[\d.]+/.exec(userAgent)?.[1]
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(userAgent)?.[1]
  const names: Record<string, string> = { Edg: "Edge", OPR: "Opera", "Mac OS X": "macOS" }
  const parts = [browser, system].flatMap((part) => (part === undefined ? [] : [names[part] ?? part]))
  return parts.length === 0 ? userAgent.slice(0, 60) : parts.join(" on ")
}

const SessionRow = ({ session }: { readonly session: Session }) => (
  <li>
    <div>
      <b>{browserOf(session.userAgent)}</b>
      {session.current ? <span class="tag">current</span> : null}
      <p>
        {session.ip ?? "unknown IP address"} · via {session.via} · last active <Moment at={session.lastSeenAt} />
      </p>
    </div>
    {session.current ? null : <Do action={`/app/security/sessions/${session.id}/end`} class="plain" label="Sign out" />}
  </li>
)

const Sessions = ({ sessions }: { readonly sessions: Security["sessions"] }) => (
  <section aria-labelledby="sessions">
    <h2 class="label" id="sessions">Active sessions</h2>
    <ul class="card rows">{sessions.map((session) => <SessionRow session={session} />)}</ul>
    {sessions.length < 2 ? null : (
      <div class="after">
        <Do action="/app/security/sessions/end-others" class="danger" label="Sign out all other sessions" />
      </div>
    )}
  </section>
)

const Code = ({ label }: { readonly label: string }) => (
  <label>
    {label}
    <input name="code" required autocomplete="one-time-code" autocapitalize="none" spellcheck={false} maxlength={40} />
  </label>
)

const SecondFactor = ({ twoFactor }: { readonly twoFactor: Security["twoFactor"] }) => (
  <section aria-labelledby="second-factor">
    <h2 class="label" id="second-factor">Two-factor authentication</h2>
    <div class="card">
      {twoFactor.enabled
        ? (
          <>
            <p>
              <b>On.</b> Signing in requires a code from your authenticator app. You have {twoFactor.recoveryCodesLeft}{" "}
              recovery codes left.
            </p>
            <form method="post" action="/app/security/2fa/recovery-codes" class="inline plain">
              <Code label="Code to confirm new recovery codes" />
              <button>Replace recovery codes</button>
            </form>
            <form method="post" action="/app/security/2fa/disable" class="inline danger">
              <Code label="Code to confirm turning it off" />
              <button>Turn off</button>
            </form>
          </>
        )
        : (
          <>
            <p>
              <b>Off.</b> Turn it on to protect your account even if someone can read your email.
            </p>
            <Do action="/app/security/2fa/setup" label="Set up an authenticator app" />
          </>
        )}
    </div>
  </section>
)

const Identities = ({ identities, providers }: Pick<Security, "identities"> & Pick<SecurityProps, "providers">) => {
  const open = providers.filter((provider) => identities.every((identity) => identity.provider !== provider))
  if (identities.length === 0 && open.length === 0) return null
  return (
    <section aria-labelledby="accounts">
      <h2 class="label" id="accounts">Connected accounts</h2>
      <ul class="card rows">
        {identities.map(({ email, provider }) => (
          <li>
            <div>
              <b>{nameOf(provider)}</b>
              <p>{email}</p>
            </div>
            <Do action={`/app/security/identities/${provider}/disconnect`} class="plain" label="Disconnect" />
          </li>
        ))}
        {open.map((provider) => (
          <li>
            <div>
              <b>{nameOf(provider)}</b>
              <p>Not connected</p>
            </div>
            <Do action={`/app/security/identities/${provider}/connect`} class="plain" label="Connect" />
          </li>
        ))}
      </ul>
    </section>
  )
}

export const SecurityPage = ({ email, providers, security, wrong }: SecurityProps) => (
  <Frame email={email} here="/app/security">
    <h1>Security</h1>
    <p class="note">Signed in as {email}</p>
    {wrong === undefined ? null : <Wrong>{wrong}</Wrong>}
    <SecondFactor twoFactor={security.twoFactor} />
    <Identities identities={security.identities} providers={providers} />
    <Sessions sessions={security.sessions} />
  </Frame>
)

/** Shows the secret as a QR code and as text, and asks for the first code. */
export const SetUpPage = ({ email, qrSvg, secret, wrong }: {
  readonly email: string
  readonly qrSvg: string
  readonly secret: string
  readonly wrong?: string | undefined
}) => (
  <Frame email={email} here="/app/security">
    <h1>Set up an authenticator app</h1>
    {wrong === undefined ? null : <Wrong>{wrong}</Wrong>}
    <section>
      <div class="card">
        <p>Scan this QR code with your authenticator app:</p>
        <div class="qr" role="img" aria-label="QR code of the secret below" dangerouslySetInnerHTML={{ __html: qrSvg }} />
        <p>Or enter this secret in the app:</p>
        <p class="secret" id="secret">{secret.replace(/(.{4})(?=.)/g, "$1 ")}</p>
        <form method="post" action="/app/security/2fa/enable" class="inline">
          <label>
            Code shown in the app
            <input name="code" required inputmode="numeric" autocomplete="one-time-code" maxlength={10} autofocus />
          </label>
          <button>Turn on</button>
        </form>
        <p class="note">Turning it on signs you out of all other sessions.</p>
      </div>
    </section>
  </Frame>
)

export const RecoveryCodesPage = ({ codes, email }: { readonly codes: ReadonlyArray<string>; readonly email: string }) => (
  <Frame email={email} here="/app/security">
    <h1>Your recovery codes</h1>
    <p class="good" role="status">Two-factor authentication is on. Your other sessions have ended.</p>
    <section>
      <div class="card">
        <p>Each code works once in place of your authenticator app. Store them somewhere safe: you cannot see them again.</p>
        <ul class="codes" id="codes">{codes.map((code) => <li>{code}</li>)}</ul>
        <p class="wide">
          <a class="button" href="/app/security">I have saved my codes</a>
        </p>
      </div>
    </section>
  </Frame>
)
