/** The apps that people connected to the workspace over OAuth, such as Claude or ChatGPT, and the end of their access. */
import type { Grant } from "../../../../schema/oauth/Grant.ts"
import type { Member } from "../../../../schema/workspace/Member.ts"
import { isolated } from "../../../domain/tools/text/Direction.ts"
import { Confirm } from "../../design/Confirm.tsx"
import { CopyText } from "../../design/CopyText.tsx"
import { Empty, Panel, Tag } from "../../design/Parts.tsx"
import { RecordTable } from "../../design/Table.tsx"
import { Ago, Moment } from "../../design/Time.tsx"
import { read, readOrNull, together, view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"

const personOf = ({ createdBy }: Grant, members: ReadonlyArray<Member>): string => {
  const member = members.find(({ userId }) => userId === createdBy)
  return member?.name ?? member?.email ?? "A former member"
}

const EndButton = ({ of: { app, id } }: { readonly of: Grant }) => (
  <Confirm
    call="end_grant"
    id={`end-${id}`}
    fixed={{ id }}
    said={`${app} was disconnected`}
    label="Disconnect"
    lost={`${isolated(app)} loses access immediately. It can be connected again.`}
  />
)

const Apps = ({ grants, members }: { readonly grants: ReadonlyArray<Grant>; readonly members: ReadonlyArray<Member> }) => (
  <Panel id="apps" title="Apps" flush>
    {grants.length === 0
      ? <Empty title="No apps yet" text="Add the address below in Claude, ChatGPT or another app that speaks MCP." />
      : (
        <RecordTable
          of={grants}
          idOf={({ id }) => id}
          columns={[
            {
              name: "App",
              class: () =>
                "lead",
              cell: (grant) => (
                <>
                  <b>{grant.app}</b>
                  <p class="note">{grant.redirectHost}, by {personOf(grant, members)}</p>
                </>
              )
            },
            {
              name: "Access",
              class: "named",
              cell: ({ operations, scopes }) => (
                <>
                  <Tag>{scopes.includes("write") ? "Read and write" : "Read only"}</Tag>
                  {operations === null ? null : <p class="note">{operations.length} tools</p>}
                </>
              )
            },
            {
              name: "Last used",
              cell: ({ lastUsedAt }) =>
                lastUsedAt === null ? <span class="note">Never</span> : <Ago at={lastUsedAt} />
            },
            { name: "Connected", cell: ({ createdAt }) => <Moment at={createdAt} style="dated" /> }
          ]}
          actions={{ class: "end", cell: (grant) => <EndButton of={grant} /> }}
        />
      )}
  </Panel>
)

const Connect = () => {
  const { baseUrl } = useVisit()
  return (
    <Panel id="connect" title="Connect an app">
      <p>Give the app this address as a remote MCP server. It sends you here to sign in and to decide what it may do.</p>
      <CopyText id="mcp-address" value={`${baseUrl}/mcp`} />
      <p class="note">
        <a href="/docs/guide/connect-an-app">How to connect Claude or ChatGPT</a>
      </p>
    </Panel>
  )
}

export const appsView = view("/app/apps", "apps", function*() {
  const [{ data }, members] = yield* together([read("list_grants"), readOrNull("list_members")])
  return {
    title: "Connected apps",
    head: {
      note: "Apps that act for the person who connected them, without a key.",
      actions: <a class="button" href="#connect">Connect an app</a>
    },
    stack: [<Apps grants={data} members={members?.data ?? []} />, <Connect />]
  }
})
