/** The page that shows a failure, with what was typed into the form that led to it. */
import { Gate } from "./Shell.tsx"
import { type FieldEntries, SendAgain, TypedFields } from "./TypedFields.tsx"

/** A form whose answer is the failure. */
export interface KeptForm {
  /** Where it was sent. */
  readonly action: string
  readonly fields: FieldEntries
}

/** Failures that pass, so that the same form may succeed later. */
const passes = (status: number): boolean => status === 429 || status >= 500

const Kept = ({ kept: { action, fields }, status }: { readonly kept: KeptForm; readonly status: number }) => (
  <>
    <p>What you entered is kept on this page.</p>
    <TypedFields fields={fields} />
    {passes(status) ? <SendAgain action={action} fields={fields} look="wide" /> : null}
  </>
)

const titleOf = (status: number): string =>
  status === 403
    ? "Not allowed"
    : status === 404
    ? "Page not found"
    : status === 429
    ? "Please wait"
    : status === 503
    ? "Not available right now"
    : "Something went wrong"

/** A link of a message that is wrong, used or over. */
export const DeadLink = ({ hint, message, next }: {
  readonly message: string
  readonly hint?: string | undefined
  /** Where to go instead: path and label. */
  readonly next: readonly [string, string]
}) => (
  <Gate title="This link does not work">
    <p role="alert">{message}</p>
    {hint === undefined ? null : <p class="note">{hint}</p>}
    <p class="wide">
      <a class="button" href={next[0]}>{next[1]}</a>
    </p>
  </Gate>
)

export const FailurePage = ({ hint, kept = null, message, status }: {
  readonly status: number
  readonly message: string
  readonly hint?: string | undefined
  readonly kept?: KeptForm | null
}) => (
  <Gate title={titleOf(status)}>
    <p role="alert">{message}</p>
    {hint === undefined ? null : <p class="note">{hint}</p>}
    {kept === null ? null : <Kept kept={kept} status={status} />}
    <p>
      <a href="/app">Go to your workspaces</a>
    </p>
  </Gate>
)
