/** Where a person sees where they are signed in, and decides how. */
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

/** A browser's name out of what it says of itself; as much as tells one from another. */
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
      {session.current ? <span class="tag">this one</span> : null}
      <p>
        {session.ip ?? "unknown address"} · by {session.via} · last seen <Moment at={session.lastSeenAt} />
      </p>
    </div>
    {session.current ? null : <Do action={`/app/security/sessions/${session.id}/end`} class="plain" label="End" />}
  </li>
)

const Sessions = ({ sessions }: { readonly sessions: Security["sessions"] }) => (
  <section aria-labelledby="sessions">
    <h2 class="label" id="sessions">Where you are signed in</h2>
    <ul class="card rows">{sessions.map((session) => <SessionRow session={session} />)}</ul>
    {sessions.length < 2 ? null : (
      <div class="after">
        <Do action="/app/security/sessions/end-others" class="danger" label="End all others" />
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
    <h2 class="label" id="second-factor">Second factor</h2>
    <div class="card">
      {twoFactor.enabled
        ? (
          <>
            <p>
              <b>On.</b> Signing in asks for a code of your authenticator app. You have {twoFactor.recoveryCodesLeft}{" "}
              recovery codes left.
            </p>
            <form method="post" action="/app/security/2fa/recovery-codes" class="inline plain">
              <Code label="A code, to get new recovery codes" />
              <button>Replace recovery codes</button>
            </form>
            <form method="post" action="/app/security/2fa/disable" class="inline danger">
              <Code label="A code, to switch it off" />
              <button>Switch off</button>
            </form>
          </>
        )
        : (
          <>
            <p>
              <b>Off.</b> With it, whoever reads your mail still cannot sign in as you.
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
              <p>not connected</p>
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

/** The secret as a picture to scan and as a text to type, and the first code. */
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
        <p>Scan this with your app:</p>
        <div class="qr" role="img" aria-label="QR code of the secret below" dangerouslySetInnerHTML={{ __html: qrSvg }} />
        <p>Or type this secret into it:</p>
        <p class="secret" id="secret">{secret.replace(/(.{4})(?=.)/g, "$1 ")}</p>
        <form method="post" action="/app/security/2fa/enable" class="inline">
          <label>
            The code that it shows then
            <input name="code" required inputmode="numeric" autocomplete="one-time-code" maxlength={10} autofocus />
          </label>
          <button>Switch on</button>
        </form>
        <p class="note">All your other sessions end with that.</p>
      </div>
    </section>
  </Frame>
)

export const RecoveryCodesPage = ({ codes, email }: { readonly codes: ReadonlyArray<string>; readonly email: string }) => (
  <Frame email={email} here="/app/security">
    <h1>Your recovery codes</h1>
    <p class="good" role="status">The second factor is on, and your other sessions have ended.</p>
    <section>
      <div class="card">
        <p>Each lets you in once in place of your app. Keep them where you find them without it: they are shown this once.</p>
        <ul class="codes" id="codes">{codes.map((code) => <li>{code}</li>)}</ul>
        <p class="wide">
          <a class="button" href="/app/security">I have kept them</a>
        </p>
      </div>
    </section>
  </Frame>
)
