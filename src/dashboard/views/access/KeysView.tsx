/** The API keys of the workspace: delegated ones under the key they came from, with their last use. */
import type { Member } from "../../../../schema/workspace/Member.ts"
import type { ApiKey } from "../../../../schema/workspace/Workspace.ts"
import { isolated } from "../../../domain/tools/text/Direction.ts"
import { Confirm } from "../../design/Confirm.tsx"
import { Secret } from "../../design/CopyText.tsx"
import { DurationField } from "../../design/DurationField.tsx"
import { Area, CallForm, Field, Select, Submit, useAnswerOf } from "../../design/Form.tsx"
import { May } from "../../design/May.tsx"
import { Empty, Panel, Tag } from "../../design/Parts.tsx"
import { RecordTable } from "../../design/Table.tsx"
import { Ago, Moment } from "../../design/Time.tsx"
import { read, readOrNull, together, view } from "../../frame/View.ts"

/** Each key with its depth: 0 for one of its own, 1 for one that was delegated from it, and so on. */
const inOrder = (keys: ReadonlyArray<ApiKey>): ReadonlyArray<readonly [key: ApiKey, depth: number]> => {
  const ids = new Set<string>(keys.map(({ id }) => id))
  const below = (parent: string | null, depth: number): ReadonlyArray<readonly [ApiKey, number]> =>
    keys.filter(({ parentId }) => (parentId !== null && ids.has(parentId) ? parentId : null) === parent)
      .flatMap((key) => [[key, depth] as const, ...below(key.id, depth + 1)])
  return below(null, 0)
}

const never = <span class="note">Never</span>

const ownerOf = ({ createdBy, parentId }: ApiKey, members: ReadonlyArray<Member>): string => {
  if (parentId !== null) return "Delegated"
  if (createdBy === null) return "The workspace's"
  const member = members.find(({ userId }) => userId === createdBy)
  return member?.name ?? member?.email ?? "A former member"
}

const RevokeButton = ({ of: { id, name } }: { readonly of: ApiKey }) => (
  <Confirm
    call="revoke_api_key"
    id={`revoke-${id}`}
    fixed={{ id }}
    said={`${name} was revoked`}
    label="Revoke"
    lost={`Whatever uses ${isolated(name)} loses access immediately, and so do keys that were delegated from it.`}
  />
)

const Keys = ({ keys, members }: { readonly keys: ReadonlyArray<ApiKey>; readonly members: ReadonlyArray<Member> }) => (
  <Panel id="keys" title="Keys" flush>
    {keys.length === 0
      ? <Empty title="No keys yet" text="Create one for each agent or script, so that you can revoke one without the others." />
      : (
        <RecordTable
          of={inOrder(keys)}
          idOf={([{ id }]) => id}
          columns={[
            {
              name: "Key",
              class: ([, depth]) =>
                `lead depth-${Math.min(depth, 3)}`,
              cell: ([key]) => (
                <>
                  <b>{key.name}</b>
                  <p class="note">
                    <code>{key.prefix}…</code>, {ownerOf(key, members)}
                  </p>
                </>
              )
            },
            {
              name: "Access",
              class: "named",
              cell: ([{ operations, scopes }]) => (
                <>
                  <Tag>{scopes.includes("write") ? "Read and write" : "Read only"}</Tag>
                  {operations === null ? null : <p class="note">{operations.join(", ")}</p>}
                </>
              )
            },
            {
              name: "Last used",
              cell: ([{ lastUsedAt }]) =>
                lastUsedAt === null ? never : <Ago at={lastUsedAt} />
            },
            {
              name: "Expires",
              cell: ([{ expiresAt }]) =>
                expiresAt === null ? never : <Moment at={expiresAt} style="dated" />
            }
          ]}
          actions={{
            class: "end",
            cell: ([key]) => <RevokeButton of={key} />
          }}
        />
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
          label="Access"
          options={[["read,write", "Read and write"], ["read", "Read only"]]}
        />
        <DurationField
          name="expiresInMinutes"
          as="minutes"
          label="Expires after"
          placeholder="90 days"
          hint="For example 12 h or 90 days. Leave empty for a key that does not expire."
        />
        <Area
          name="operations"
          as="list+"
          label="Only these operations"
          rows={2}
          hint="Names such as list_monitors, separated by commas. Leave empty for all."
        />
        <Submit>Create key</Submit>
      </CallForm>
    </Panel>
  )
}

export const keysView = view("/app/keys", "keys", function*() {
  const [{ data }, members] = yield* together([read("list_api_keys"), readOrNull("list_members")])
  return {
    title: "API keys",
    head: {
      note: "For agents, scripts and CI. A key acts with the rights of the person who created it, or with fewer.",
      actions: (
        <May call="create_api_key">
          <a class="button" href="#new">New key</a>
        </May>
      )
    },
    stack: [<Keys keys={data} members={members?.data ?? []} />, <NewKey />]
  }
})
