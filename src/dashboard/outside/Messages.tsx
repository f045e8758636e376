/** The page that shows a failure, with the values typed into the form that led to it. */
import { type FieldEntries, passes, SendAgain, TypedFields } from "../design/TypedFields.tsx"
import { Gate, Lead } from "./Frame.tsx"

/** A form whose answer is the failure. */
export interface KeptForm {
  /** Where it was sent. */
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
  <Gate title={titleOf(status)}>
    <p role="alert">{message}</p>
    {hint === undefined ? null : <p class="note">{hint}</p>}
    {kept === null ? null : <Kept kept={kept} status={status} />}
    <p>
      <a href="/app">Go to your workspaces</a>
    </p>
  </Gate>
)
