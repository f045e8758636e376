/** What a person sees who belongs to no workspace. */
import { Empty, Head } from "../../design/Parts.tsx"

export const NoWorkspace = () => (
  <>
    <Head title="Welcome" />
    <section class="panel">
      <Empty
        title="You have no workspace yet"
        text="Create one, open a claim link that an agent gave you, or accept an invitation."
      >
        <form method="post" action="/app/workspaces" class="inline">
          <div class="field">
            <label for="workspace-name">Name</label>
            <input id="workspace-name" name="name" required maxlength={80} />
          </div>
          <button>Create workspace</button>
        </form>
      </Empty>
    </section>
  </>
)
