/** Two-factor authentication, connected accounts and sessions of a person. */
import type { Security, Session } from "../../../../schema/people/Person.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { CallButton, CallForm, Submit, useAnswerOf } from "../../design/Form.tsx"
import { Item, ListPanel, Panel, Tag } from "../../design/Parts.tsx"
import { Ago } from "../../design/Time.tsx"
import { read, view } from "../../frame/View.ts"
import { nameOf } from "../../outside/SignInPages.tsx"
import { accountTabs } from "./AccountTabs.ts"
import { CodeField, RecoveryCodes, SetUp } from "./SecondFactorView.tsx"

/** A short browser name from a user agent, enough to tell sessions apart. */
const browserOf = (userAgent: string | null): string => {
  if (userAgent === null) return "Unknown browser"
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\/[\d.]+/.exec(userAgent)?.[1]
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(userAgent)?.[1]
  const names: Record<string, string> = { Edg: "Edge", OPR: "Opera", "Mac OS X": "macOS" }
  const parts = [browser, system].flatMap((part) => (part === undefined ? [] : [names[part] ?? part]))
  return parts.length === 0 ? userAgent.slice(0, 60) : parts.join(" on ")
}

const SessionRow = ({ session: { current, id, ip, lastSeenAt, userAgent, via } }: { readonly session: Session }) => (
  <li>
    <div>
      <b>{browserOf(userAgent)}</b> {current ? <Tag>current</Tag> : null}
      <p class="note">
        {ip ?? "unknown IP address"} · via {via} · last active <Ago at={lastSeenAt} />
      </p>
    </div>
    {current ? null : (
      <CallButton call="end_my_session" id={`end-${id}`} fixed={{ id }} said="Session ended" look="plain tight">
        Sign out
      </CallButton>
    )}
  </li>
)

const Sessions = ({ sessions }: { readonly sessions: Security["sessions"] }) => (
  <Panel
    id="sessions"
    title="Active sessions"
    flush
    actions={sessions.length < 2 ?
      null :
      (
        <CallButton call="end_my_other_sessions" id="end-others" said="All other sessions ended" look="danger tight">
          Sign out all other sessions
        </CallButton>
      )}
  >
    <ul class="rows">{sessions.map((session) => <SessionRow session={session} />)}</ul>
  </Panel>
)

const SecondFactor = ({ twoFactor: { enabled, recoveryCodesLeft } }: { readonly twoFactor: Security["twoFactor"] }) => (
  <Panel id="second-factor" title="Two-factor authentication">
    {enabled
      ? (
        <div class="stack">
          <p>
            <b>On.</b> Signing in requires a code from your authenticator app. You have{" "}
            {counted(recoveryCodesLeft, "recovery code")} left.
          </p>
          <CallForm call="replace_recovery_codes" id="replace-codes">
            <CodeField label="Code to confirm new recovery codes" />
            <Submit look="plain">Replace recovery codes</Submit>
          </CallForm>
          <CallForm call="disable_second_factor" id="disable" said="Two-factor authentication is off">
            <CodeField label="Code to confirm turning it off" />
            <Submit look="danger">Turn off</Submit>
          </CallForm>
        </div>
      )
      : (
        <>
          <p>
            <b>Off.</b> Turn it on to protect your account even if someone can read your email.
          </p>
          <SetUp />
        </>
      )}
  </Panel>
)

const Identities = ({ identities, providers }: Pick<Security, "identities" | "providers">) => {
  const open = providers.filter((provider) => identities.every((identity) => identity.provider !== provider))
  if (identities.length === 0 && open.length === 0) return null
  return (
    <ListPanel id="accounts" title="Connected accounts">
      {identities.map(({ email, provider }) => (
        <Item name={nameOf(provider)} note={email}>
          <CallButton
            call="disconnect_identity"
            id={`disconnect-${provider}`}
            fixed={{ provider }}
            said={`${nameOf(provider)} is no longer connected`}
            look="plain tight"
          >
            Disconnect
          </CallButton>
        </Item>
      ))}
      {open.map((provider) => (
        <Item name={nameOf(provider)} note="Not connected">
          <form method="post" action={`/app/security/identities/${provider}/connect`}>
            <button class="plain tight">Connect</button>
          </form>
        </Item>
      ))}
    </ListPanel>
  )
}

const SecurityBody = ({ security }: { readonly security: Security }) => {
  const replaced = useAnswerOf("replace-codes", "replace_recovery_codes")
  return replaced === null
    ? (
      <div class="stack">
        <SecondFactor twoFactor={security.twoFactor} />
        <Identities identities={security.identities} providers={security.providers} />
        <Sessions sessions={security.sessions} />
      </div>
    )
    : <RecoveryCodes codes={replaced.recoveryCodes} />
}

export const securityView = view("/app/security", "account", function*({ person }) {
  return {
    title: "Security",
    head: { note: `Signed in as ${person.user.email}`, tabs: accountTabs("/app/security") },
    body: <SecurityBody security={yield* read("my_security")} />
  }
})
