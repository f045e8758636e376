/** The workspaces of a signed-in person. */
import type { MyWorkspace } from "../../../schema/people/Person.ts"
import { Frame } from "./Frame.tsx"
import { Do, Wrong } from "./Shell.tsx"

export interface HomeProps {
  readonly email: string
  readonly workspaces: ReadonlyArray<MyWorkspace>
  readonly wrong?: string | undefined
  /** The name that was refused. */
  readonly typedName: string | null
}

const Workspaces = ({ workspaces }: { readonly workspaces: HomeProps["workspaces"] }) => (
  <section aria-labelledby="workspaces">
    <h2 class="label" id="workspaces">Your workspaces</h2>
    {workspaces.length === 0
      ? <p class="note">You have no workspaces yet. Create one, open a claim link from an agent, or accept an invitation.</p>
      : (
        <ul class="card rows">
          {workspaces.map(({ current, id, name, role }) => (
            <li>
              <div>
                <b>{name}</b>
                {current ? <span class="tag">current</span> : null}
                <p>{role} · {id}</p>
              </div>
              {current ? null : <Do action={`/app/workspaces/${id}/switch`} class="plain" label="Switch" />}
            </li>
          ))}
        </ul>
      )}
  </section>
)

const CreateWorkspace = ({ typed }: { readonly typed: string | null }) => (
  <section aria-labelledby="create">
    <h2 class="label" id="create">New workspace</h2>
    <form class="card inline" method="post" action="/app/workspaces">
      <label>
        Name<input name="name" value={typed ?? ""} aria-invalid={typed === null ? undefined : true} required maxlength={80} />
      </label>
      <button>Create</button>
    </form>
  </section>
)

export const HomePage = ({ email, typedName, workspaces, wrong }: HomeProps) => (
  <Frame email={email} here="/app/workspaces">
    <h1>Workspaces</h1>
    <p class="note">Signed in as {email}</p>
    {wrong === undefined ? null : <Wrong>{wrong}</Wrong>}
    <Workspaces workspaces={workspaces} />
    <CreateWorkspace typed={typedName} />
  </Frame>
)
