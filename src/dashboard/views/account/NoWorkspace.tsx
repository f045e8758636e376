/** The view for a person without a workspace. */
import { Empty, Head } from "../../design/Parts.tsx"
import { NewWorkspace } from "./NewWorkspace.tsx"

export const NoWorkspace = () => (
  <>
    <Head title="Welcome" />
    <section class="panel">
      <Empty
        title="You have no workspace yet"
        text="Create one, open a claim link that an agent gave you, or accept an invitation."
      >
        <NewWorkspace button="Create workspace" />
      </Empty>
    </section>
  </>
)
