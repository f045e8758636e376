/** The pages that show a failure or the end of a session, with the values typed into the form that led to it. */
import { type FieldEntries, passes, SendAgain, TypedFields } from "../design/TypedFields.tsx"
import { Gate, Lead } from "./Frame.tsx"

/** A form whose answer is the failure. */
export interface KeptForm {
  readonly action: string
  readonly fields: FieldEntries
}

const Kept = ({ kept: { action, fields }, status }: { readonly kept: KeptForm; readonly status: number }) => (
  <>
    <p>What you entered is kept on this page.</p>
    <TypedFields fields={fields} />
    {passes(status) ? <SendAgain action={action} fields={fields} /> : null}
  </>
)

const titles: Readonly<Record<number, string>> = {
  403: "Not allowed",
  404: "Page not found",
  429: "Please wait",
  503: "Not available right now"
}

/** The page for a link that is invalid, used or expired. */
export const DeadLink = ({ hint, message, next }: {
  readonly message: string
  readonly hint?: string | undefined
  /** Where to go instead: path and label. */
  readonly next: readonly [string, string]
}) => (
  <Gate title="This link does not work">
    <p role="alert">{message}</p>
    {hint === undefined ? null : <p class="note">{hint}</p>}
    <Lead to={next[0]} label={next[1]} />
  </Gate>
)

export const FailurePage = ({ hint, kept = null, message, status }: {
  readonly status: number
  readonly message: string
  readonly hint?: string | undefined
  readonly kept?: KeptForm | null
}) => (
  <Gate title={titles[status] ?? "Something went wrong"}>
    <p role="alert">{message}</p>
    {hint === undefined ? null : <p class="note">{hint}</p>}
    {kept === null ? null : <Kept kept={kept} status={status} />}
    <p>
      <a href="/app">Go to your workspaces</a>
    </p>
  </Gate>
)

export const SignedOutPage = ({ action, fields }: {
  readonly action: string
  readonly fields: FieldEntries
}) => (
  <Gate title="You are signed out">
    <p role="alert">Your session has ended. What you entered is kept on this page.</p>
    <TypedFields fields={fields} />
    <ol class="steps">
      <li>
        <a href="/sign-in" target="_blank" rel="noopener">Sign in in a new tab</a>
      </li>
      <li>Come back to this tab and send the form again.</li>
    </ol>
    <SendAgain action={action} fields={fields} />
  </Gate>
)
