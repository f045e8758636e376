/** The workspaces of a person, of which one is the session's. */
import { Effect } from "effect"
import type { MyWorkspace } from "../../../../schema/people/Person.ts"
import { Empty, inWords, Panel, Tag } from "../../design/Parts.tsx"
import { ShortId } from "../../design/ShortId.tsx"
import { read } from "../../frame/DashboardApi.ts"
import { SwitchTo } from "../../frame/SwitchTo.tsx"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { AccountHead } from "./AccountHead.tsx"
import { NewWorkspace } from "./NewWorkspace.tsx"

const Row = ({ workspace: { current, id, name, role } }: { readonly workspace: MyWorkspace }) => (
  <li>
    <div>
      <b>{name}</b> {current ? <Tag>current</Tag> : null}
      <p class="note">
        {inWords(role)} · <ShortId id={id} />
      </p>
    </div>
    {current ? null : <SwitchTo id={id} look="plain tight" name={name}>Switch</SwitchTo>}
  </li>
)

const workspaces = Effect.gen(function*() {
  const { person } = yield* Visit
  const { data } = yield* read("my_workspaces")
  return {
    title: "Workspaces",
    body: (
      <>
        <AccountHead title="Workspaces" here="/app/workspaces" note={`Signed in as ${person.user.email}`} />
        <div class="split">
          <Panel id="workspaces" title="Your workspaces" flush>
            {data.length === 0
              ? (
                <Empty
                  title="You have no workspaces yet"
                  text="Create one, open a claim link from an agent, or accept an invitation."
                />
              )
              : <ul class="rows">{data.map((workspace) => <Row workspace={workspace} />)}</ul>}
          </Panel>
          <Panel id="create" title="New workspace">
            <NewWorkspace button="Create" />
          </Panel>
        </div>
      </>
    )
  }
})

export const workspacesView = view("/app/workspaces", "account", workspaces)
