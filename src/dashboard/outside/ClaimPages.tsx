/** The pages for claiming a workspace that an agent has made: its name, the agent's setup, and the claim. */
import type { ComponentChildren } from "preact"
import { lastCheckText } from "../../domain/monitor/LastCheckText.ts"
import { counted } from "../../domain/tools/text/Counted.ts"
import { operationSummary } from "../frame/CallShapes.ts"
import { Do, Gate, Lead, Moment } from "./Frame.tsx"
import type { Setup } from "./ReadSetup.ts"
import { SignInForm, type WaysIn } from "./SignInPages.tsx"

interface Claim {
  readonly token: string
  readonly name: string
  readonly agentName: string | null
  readonly setup: Setup
}

const About = ({ agentName, name }: Claim) => (
  <p>
    {agentName === null ? "An agent" : (
      <>
        The agent <b>{agentName}</b>
      </>
    )} set up the workspace{" "}
    <b>{name}</b>, which has no owner yet. Claim it to become its owner. Unclaimed workspaces are deleted after seven days, and
    after one if they are empty.
  </p>
)

const firstCheck = ({ lastCheck, state }: Setup["monitors"]["first"][number]): string =>
  lastCheck === null
    ? "no check yet"
    : [
      state,
      lastCheckText(state, lastCheck) ?? (lastCheck.statusCode === null ? null : `HTTP ${lastCheck.statusCode}`),
      lastCheck.latencyMs === null ? null : `${Math.round(lastCheck.latencyMs)} ms`
    ].filter((part) => part !== null).join(", ")

const Part = ({ items, none, title }: {
  readonly title: string
  readonly none: string
  readonly items: ReadonlyArray<ComponentChildren>
}) => (
  <section>
    <h3>{title}</h3>
    {items.length === 0 ? <p class="note">{none}</p> : <ul>{items.map((item) => <li>{item}</li>)}</ul>}
  </section>
)

const more = (all: number, shown: number): ReadonlyArray<ComponentChildren> =>
  all > shown ? [<span class="note">and {all - shown} more</span>] : []

/** The agent's setup so far, so that people know what they claim. */
const SoFar = ({ setup: { changes, channels, monitors, pages } }: Pick<Claim, "setup">) => (
  <div class="so-far">
    <h2>What it has set up so far</h2>
    <Part
      title={`Monitors: ${monitors.count}`}
      none="None yet."
      items={[
        ...monitors.first.map((monitor) => (
          <>
            <b>{monitor.name}</b> <span class="note">{firstCheck(monitor)}</span>
          </>
        )),
        ...more(monitors.count, monitors.first.length)
      ]}
    />
    <Part
      title="Status pages"
      none="None yet."
      items={[
        ...pages.first.map(({ components, name, url }) => (
          <>
            <a href={url}>{name}</a> <span class="note">{counted(components.length, "component")}</span>
          </>
        )),
        ...(pages.more ? [<span class="note">and more</span>] : [])
      ]}
    />
    <Part
      title={`Alert channels: ${channels.count}`}
      none="None yet, so nobody is alerted."
      items={[
        ...channels.first.map(({ name, type }) => (
          <>
            <b>{name}</b> <span class="note">{type}</span>
          </>
        )),
        ...more(channels.count, channels.first.length)
      ]}
    />
    <Part
      title="Last changes"
      none="None yet."
      items={[
        ...changes.newest.map(({ at, operation }) => (
          <>
            {operationSummary(operation)}{" "}
            <span class="note">
              <Moment at={at} />
            </span>
          </>
        )),
        ...(changes.more ? [<span class="note">The audit log has all of them.</span>] : [])
      ]}
    />
  </div>
)

export const ClaimPage = ({ claim, ways }: { readonly claim: Claim; readonly ways: WaysIn }) => (
  <Gate title="Claim this workspace">
    <About {...claim} />
    <p class="note">Sign in first. You will return to this page.</p>
    <SignInForm {...ways} action={`/claim/${claim.token}/email`} />
    <SoFar {...claim} />
  </Gate>
)

export const ClaimAsPage = ({ claim, email }: { readonly claim: Claim; readonly email: string }) => (
  <Gate title="Claim this workspace">
    <About {...claim} />
    <p class="note">The agent's API key keeps working, but you become the owner.</p>
    <Do action={`/claim/${claim.token}`} label={`Claim as ${email}`} />
    <p class="note">Not you? Sign out, and this page asks who you are.</p>
    <Do action="/sign-out" field={{ name: "next", value: `/claim/${claim.token}` }} look="plain" label="Sign out" />
    <SoFar {...claim} />
  </Gate>
)

export const ClaimedPage = ({ name }: { readonly name: string }) => (
  <Gate title="Already claimed">
    <p>
      The workspace <b>{name}</b> already has an owner. If you are not the owner, ask for an invitation.
    </p>
    <Lead to="/app" label="Go to your workspaces" />
  </Gate>
)
