/** Keeps a form that was sent after its session had ended: the person signs in in another tab, then sends it from here. */
import { type FieldEntries, SendAgain, TypedFields } from "../design/TypedFields.tsx"
import { Gate } from "./Frame.tsx"

export const SignedOutPage = ({ action, fields }: {
  /** Where the form was sent. */
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
