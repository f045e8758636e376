/** The pages on which a person decides what an app that wants to connect may do. */
import { counted } from "../../domain/tools/text/Counted.ts"
import { Do, Gate, Wrong } from "./Frame.tsx"
import { SignInForm, type WaysIn } from "./SignInPages.tsx"

export interface AskingApp {
  /** The id of the request, in the address. */
  readonly id: string
  readonly name: string
  /** Where the browser goes after the decision. */
  readonly host: string
  /** The address of its document, which its host answers for; null if it registered itself under any name. */
  readonly document: string | null
}

const About = ({ document, host, name }: AskingApp) => (
  <>
    <p>
      <b>{name}</b> wants to use Belltower for you. After you decide, your browser goes to <b>{host}</b>.
    </p>
    <p class="note">
      {document === null
        ? "The app chose its name itself; Belltower has not checked it."
        : (
          <>
            The app identifies itself by <span class="breaks">{document}</span>.
          </>
        )} Continue only if you started this in the app.
    </p>
  </>
)

export const SignInToConnectPage = ({ app, ways }: { readonly app: AskingApp; readonly ways: WaysIn }) => (
  <Gate title={`Connect ${app.name}`}>
    <About {...app} />
    <p class="note">Sign in first, or enter your email address to create an account. You will return to this page.</p>
    <SignInForm {...ways} action="/sign-in" />
  </Gate>
)

const NotYou = ({ app: { id }, email }: { readonly app: AskingApp; readonly email: string }) => (
  <>
    <p class="note">You are signed in as {email}. Not you? Sign out, and this page asks who you are.</p>
    <Do action="/sign-out" field={{ name: "next", value: `/connect/${id}` }} look="plain" label="Sign out" />
  </>
)

/** For somebody without a workspace. */
export const FirstWorkspacePage = ({ app, email, wrong }: {
  readonly app: AskingApp
  readonly email: string
  readonly wrong: string | undefined
}) => (
  <Gate title={`Connect ${app.name}`}>
    <About {...app} />
    {wrong === undefined ? null : <Wrong>{wrong}</Wrong>}
    <h2>Create a workspace for it</h2>
    <form method="post" action={`/connect/${app.id}/workspace`}>
      <label>
        Name
        <input name="name" required maxlength={80} />
      </label>
      <button>Create workspace</button>
    </form>
    <h2>Or claim one that an agent set up</h2>
    <form method="post" action={`/connect/${app.id}/workspace`}>
      <label>
        Claim link
        <input name="claim" required maxlength={500} inputmode="url" autocapitalize="none" spellcheck={false} />
      </label>
      <button class="plain">Claim workspace</button>
    </form>
    <NotYou app={app} email={email} />
  </Gate>
)

interface Choices {
  /** `writes`: whether the person may change anything there, and so the app. */
  readonly workspaces: ReadonlyArray<{ readonly id: string; readonly name: string; readonly writes: boolean }>
  readonly groups: ReadonlyArray<string>
  readonly chosen: {
    readonly workspace: string | undefined
    readonly writes: boolean
    readonly tools: ReadonlyArray<string>
  }
}

const Choice = ({ checked, label, name, type, value }: {
  readonly type: "radio" | "checkbox"
  readonly name: string
  readonly value: string
  readonly label: string
  readonly checked: boolean
}) => (
  <label class="choice">
    <input type={type} name={name} value={value} checked={checked} />
    <span>{label}</span>
  </label>
)

const Workspaces = ({ chosen, workspaces }: Pick<Choices, "workspaces" | "chosen">) => (
  <fieldset>
    <legend>Workspace</legend>
    {workspaces.map(({ id, name, writes }) => (
      <Choice
        type="radio"
        name="workspace"
        value={id}
        label={writes ? name : `${name}: you are a viewer, so the app only reads`}
        checked={id === chosen.workspace}
      />
    ))}
  </fieldset>
)

/** At first all that the app asks for is chosen: few people open the list of tools. */
const Tools = ({ chosen: { tools }, groups }: Pick<Choices, "groups" | "chosen">) => {
  const isAll = groups.every((group) => tools.includes(group))
  return (
    <details open={!isAll}>
      <summary>{counted(groups.length, "group")} of tools{isAll ? ", all chosen" : `, ${tools.length} chosen`}</summary>
      <fieldset>
        <legend>Tools</legend>
        {groups.map((group) => (
          <Choice
            type="checkbox"
            name="tools"
            value={group}
            label={group}
            checked={tools.includes(group)}
          />
        ))}
      </fieldset>
    </details>
  )
}

export const ConnectPage = ({ app, email, wrong, ...choices }: Choices & {
  readonly app: AskingApp
  readonly email: string
  readonly wrong: string | undefined
}) => (
  <Gate title={`Connect ${app.name}`}>
    <About {...app} />
    {wrong === undefined ? null : <Wrong>{wrong}</Wrong>}
    <form method="post" action={`/connect/${app.id}`}>
      <Workspaces {...choices} />
      <fieldset>
        <legend>Access</legend>
        {choices.workspaces.some(({ writes }) => writes)
          ? (
            <Choice
              type="radio"
              name="access"
              value="write"
              label="Read and write: it can change monitors, incidents and pages"
              checked={choices.chosen.writes}
            />
          )
          : null}
        <Choice type="radio" name="access" value="read" label="Read only" checked={!choices.chosen.writes} />
      </fieldset>
      <Tools {...choices} />
      <button name="decision" value="allow">Allow</button>
      <button class="plain" name="decision" value="decline">Cancel</button>
    </form>
    <p class="note">
      It never gets more rights than you have, and cannot create API keys or invite people. You can end its access at any time
      under Settings, Connected apps.
    </p>
    <NotYou app={app} email={email} />
  </Gate>
)

export const CannotConnectPage = ({ message }: { readonly message: string }) => (
  <Gate title="This app cannot connect">
    <p role="alert">{message}.</p>
    <p class="note">Start again in the app. If it happens again, remove the connection there and add it once more.</p>
  </Gate>
)
