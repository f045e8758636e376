/** The home page of a signed-in person: their workspaces, and the monitors and status pages of the current one. */
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"
import type { MyWorkspace } from "../../../schema/people/Person.ts"
import { Frame } from "./Frame.tsx"
import { Do, Wrong } from "./Shell.tsx"

export interface HomeProps {
  readonly email: string
  readonly workspaces: ReadonlyArray<MyWorkspace>
  readonly monitors: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly kind: string
    readonly state: MonitorState
  }>
  readonly pages: ReadonlyArray<{ readonly slug: string; readonly name: string }>
  readonly wrong?: string | undefined
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

const CreateWorkspace = () => (
  <section aria-labelledby="create">
    <h2 class="label" id="create">New workspace</h2>
    <form class="card inline" method="post" action="/app/workspaces">
      <label>
        Name<input name="name" required maxlength={80} />
      </label>
      <button>Create</button>
    </form>
  </section>
)

const Contents = ({ monitors, pages }: Pick<HomeProps, "monitors" | "pages">) => (
  <>
    <section aria-labelledby="monitors">
      <h2 class="label" id="monitors">Monitors</h2>
      {monitors.length === 0
        ? <p class="note">No monitors yet. Create them with an API key, over REST or MCP.</p>
        : (
          <ul class="card rows">
            {monitors.map(({ id, kind, name, state }) => (
              <li>
                <div>
                  <a href={`/app/monitors/${id}`}>{name}</a>
                </div>
                <p>{kind} · {state}</p>
              </li>
            ))}
          </ul>
        )}
    </section>
    {pages.length === 0 ? null : (
      <section aria-labelledby="pages">
        <h2 class="label" id="pages">Status pages</h2>
        <ul class="card rows">
          {pages.map(({ name, slug }) => (
            <li>
              <div>
                <a href={`/s/${slug}`}>{name}</a>
              </div>
              <p>/s/{slug}</p>
            </li>
          ))}
        </ul>
      </section>
    )}
  </>
)

export const HomePage = ({ email, monitors, pages, workspaces, wrong }: HomeProps) => {
  const current = workspaces.find((workspace) => workspace.current)
  return (
    <Frame email={email} here="/app">
      <h1>{current === undefined ? "Welcome" : current.name}</h1>
      <p class="note">Signed in as {email}</p>
      {wrong === undefined ? null : <Wrong>{wrong}</Wrong>}
      {current === undefined ? null : <Contents monitors={monitors} pages={pages} />}
      <Workspaces workspaces={workspaces} />
      <CreateWorkspace />
    </Frame>
  )
}
