/** The API keys of the workspace: delegated ones under the key they came from, with their last use. */
import { Effect } from "effect"
import type { Member } from "../../../../schema/workspace/Member.ts"
import type { ApiKey } from "../../../../schema/workspace/Workspace.ts"
import { Confirm } from "../../design/Confirm.tsx"
import { Area, Buttons, CallForm, Field, Select, useAnswerOf } from "../../design/Form.tsx"
import { Empty, Head, Panel, Tag } from "../../design/Parts.tsx"
import { Secret } from "../../design/Secret.tsx"
import { Table } from "../../design/Table.tsx"
import { Ago, Moment } from "../../design/Time.tsx"
import { read, readOrNull, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"

/** Each key with its depth: 0 for one of its own, 1 for one that was delegated from it, and so on. */
const inOrder = (keys: ReadonlyArray<ApiKey>): ReadonlyArray<readonly [key: ApiKey, depth: number]> => {
  const ids = new Set<string>(keys.map(({ id }) => id))
  const below = (parent: string | null, depth: number): ReadonlyArray<readonly [ApiKey, number]> =>
    keys.filter(({ parentId }) => (parentId !== null && ids.has(parentId) ? parentId : null) === parent)
      .flatMap((key) => [[key, depth] as const, ...below(key.id, depth + 1)])
  return below(null, 0)
}

const ownerOf = ({ createdBy, parentId }: ApiKey, members: ReadonlyArray<Member>): string => {
  if (parentId !== null) return "Delegated"
  if (createdBy === null) return "The workspace's"
  const member = members.find(({ userId }) => userId === createdBy)
  return member?.name ?? member?.email ?? "A former member"
}

const KeyRow = (
  { depth, entry, members }: { readonly entry: ApiKey; readonly depth: number; readonly members: ReadonlyArray<Member> }
) => (
  <tr id={entry.id}>
    <td class={`lead depth-${Math.min(depth, 3)}`}>
      <b>{entry.name}</b>
      <p class="note">
        <code>{entry.prefix}…</code>, {ownerOf(entry, members)}
      </p>
    </td>
    <td data-label="May" class="named">
      {entry.scopes.includes("write") ? <Tag>Read and write</Tag> : <Tag>Read only</Tag>}
      {entry.operations === null ? null : (
        <p class="note">
          {entry.operations.join(", ")}
        </p>
      )}
    </td>
    <td data-label="Last used">{entry.lastUsedAt === null ? <span class="note">Never</span> : <Ago at={entry.lastUsedAt} />}</td>
    <td data-label="Expires">
      {entry.expiresAt === null ? <span class="note">Never</span> : <Moment at={entry.expiresAt} style="dated" />}
    </td>
    <td class="end">
      <Confirm
        call="revoke_api_key"
        id={`revoke-${entry.id}`}
        fixed={{ id: entry.id }}
        then="/app/keys"
        said={`${entry.name} was revoked`}
        label="Revoke"
        lost={`Whatever uses ${entry.name} loses access immediately, and so do keys that were delegated from it.`}
      />
    </td>
  </tr>
)

const Keys = ({ keys, members }: { readonly keys: ReadonlyArray<ApiKey>; readonly members: ReadonlyArray<Member> }) => (
  <Panel id="keys" title="Keys" flush>
    {keys.length === 0
      ? <Empty title="No keys yet" text="Create one for each agent or script, so that you can revoke one without the others." />
      : (
        <Table columns={["Key", "May", "Last used", "Expires"]} actions>
          {inOrder(keys).map(([entry, depth]) => <KeyRow entry={entry} depth={depth} members={members} />)}
        </Table>
      )}
  </Panel>
)

const NewKey = () => {
  const made = useAnswerOf("new-key", "create_api_key")
  return (
    <Panel id="new" title="New key">
      {made === null ? null : <Secret id="made-key" label={`The key ${made.name}.`} value={made.secret} />}
      <CallForm call="create_api_key" id="new-key" otherwise={<p class="note">Admins and owners create keys.</p>}>
        <Field name="name" label="Name" required attributes={{ maxlength: 80, placeholder: "deploy pipeline" }} />
        <Select
          name="scopes"
          as="list"
          label="May"
          options={[["read,write", "Read and write"], ["read", "Read only"]]}
        />
        <Field
          name="expiresInMinutes"
          type="number"
          label="Expires after minutes"
          hint="Leave empty for a key that does not expire."
        />
        <Area
          name="operations"
          as="list+"
          label="Only these operations"
          rows={2}
          hint="Names such as list_monitors, separated by commas. Leave empty for all."
        />
        <Buttons>
          <button>Create key</button>
        </Buttons>
      </CallForm>
    </Panel>
  )
}

const keys = Effect.gen(function*() {
  const [{ data }, members] = yield* Effect.all([read("list_api_keys"), readOrNull("list_members")], together)
  return {
    title: "API keys",
    body: (
      <>
        <Head
          title="API keys"
          note="For agents, scripts and CI. A key acts with the rights of the person who created it, or with fewer."
        />
        <div class="split">
          <Keys keys={data} members={members?.data ?? []} />
          <NewKey />
        </div>
      </>
    )
  }
})

export const keysView = view("/app/keys", "keys", keys)
