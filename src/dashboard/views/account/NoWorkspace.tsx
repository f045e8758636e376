/** The form that makes a workspace, whose owner the person becomes, and the view of a person without one. */
import { CallForm, Field } from "../../design/Form.tsx"
import { Empty } from "../../design/Parts.tsx"
import type { Shown } from "../../frame/View.ts"

export const NewWorkspace = ({ button }: { readonly button: string }) => (
  <CallForm call="create_my_workspace" id="new-workspace" then="/app" class="inline">
    <Field name="name" label="Name" required attributes={{ maxlength: 80 }} />
    <button>{button}</button>
  </CallForm>
)

/** The text of a view for a person without a workspace. */
export const noWorkspace = (title: string): Shown => ({
  title,
  head: { title: "Welcome" },
  body: (
    <section class="panel">
      <Empty
        title="You have no workspace yet"
        text="Create one, open a claim link that an agent gave you, or accept an invitation."
      >
        <NewWorkspace button="Create workspace" />
      </Empty>
    </section>
  )
})
