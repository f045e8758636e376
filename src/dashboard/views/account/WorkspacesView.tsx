/** The workspaces of a person, of which one is the session's. */
import type { MyDeletedWorkspace, MyWorkspace } from "../../../../schema/people/Person.ts"
import { ShortId } from "../../design/CopyText.tsx"
import { CallButton } from "../../design/Form.tsx"
import { inWords, ListPanel, Panel, Tag } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { SwitchTo } from "../../frame/SwitchTo.tsx"
import { read, together, view } from "../../frame/View.ts"
import { accountTabs } from "./AccountTabs.ts"
import { NewWorkspace } from "./NoWorkspace.tsx"

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

const Deleted = ({ workspace: { id, name, restorableUntil } }: { readonly workspace: MyDeletedWorkspace }) => (
  <li>
    <div>
      <b>{name}</b>
      <p class="note">
        Can be restored until <Moment at={restorableUntil} /> · <ShortId id={id} />
      </p>
    </div>
    <CallButton
      call="restore_my_workspace"
      id={`restore-${id}`}
      fixed={{ id }}
      then="/app"
      said={`${name} was restored`}
      look="plain tight"
    >
      Restore
    </CallButton>
  </li>
)

export const workspacesView = view("/app/workspaces", "account", function*({ person }) {
  const [{ data }, deleted] = yield* together([read("my_workspaces"), read("my_deleted_workspaces")])
  return {
    title: "Workspaces",
    head: { tabs: accountTabs("/app/workspaces"), note: `Signed in as ${person.user.email}` },
    split: [
      <ListPanel
        id="workspaces"
        title="Your workspaces"
        none={["You have no workspaces yet", "Create one, open a claim link from an agent, or accept an invitation."]}
      >
        {data.map((workspace) => <Row workspace={workspace} />)}
      </ListPanel>,
      ...(deleted.data.length === 0 ? [] : [
        <ListPanel id="deleted" title="Deleted workspaces" none={["None", ""]}>
          {deleted.data.map((workspace) => <Deleted workspace={workspace} />)}
        </ListPanel>
      ]),
      <Panel id="create" title="New workspace">
        <NewWorkspace button="Create" />
      </Panel>
    ]
  }
})
