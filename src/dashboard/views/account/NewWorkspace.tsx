/** The form that makes a workspace, whose owner the person becomes. */
import { CallForm, Field } from "../../design/Form.tsx"

export const NewWorkspace = ({ button }: { readonly button: string }) => (
  <CallForm call="create_my_workspace" id="new-workspace" then="/app" class="inline">
    <Field name="name" label="Name" required attributes={{ maxlength: 80 }} />
    <button>{button}</button>
  </CallForm>
)
