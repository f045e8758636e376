/** The rows of workspaces. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema, Struct } from "effect"
import { ApiKeyId, WorkspaceId } from "../../../schema/Ids.ts"
import { type Plan, Workspace, type WorkspaceUpdate } from "../../../schema/workspace/Workspace.ts"
import { mintKey, shownPrefix } from "../access/Keys.ts"
import { mint } from "../Mint.ts"
import { pagesSignal } from "../page/Pages.ts"
import { readFirst, run } from "../postgres/Read.ts"
import { Signals } from "../postgres/Signals.ts"
import { inTransaction } from "../postgres/Transaction.ts"
import { tokenHash } from "../Vault.ts"

const WorkspaceRow = Schema.Struct({
  ...Struct.omit(Workspace.fields, "claimUrl"),
  expiresAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate
})
export type WorkspaceRow = typeof WorkspaceRow.Type

/** How long an unclaimed workspace is kept. (Specification: Limits, Other constants.) */
const unclaimedDays = 7

const readWorkspace = readFirst(WorkspaceRow)

export class Workspaces extends Effect.Service<Workspaces>()("belltower/Workspaces", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals

    const read = (id: WorkspaceId) =>
      readWorkspace(
        sql`/* one plan */
        select id, name, timezone, plan, claimed_at is not null as claimed, upstreams,
               case when claimed_at is null then expires_at end as "expiresAt", created_at as "createdAt",
               updated_at as "updatedAt"
        from workspaces where id = ${id}`
      )
    const byId = (id: WorkspaceId) => run(read(id))

    /** Creates an unclaimed workspace and its first key. The key's secret is returned only here. */
    const create = Effect.fn("Workspaces.create")(function*(fields: {
      readonly name: string
      readonly agentName: string
      readonly plan: Plan
    }) {
      const id = yield* mint("ws", WorkspaceId)
      const keyId = yield* mint("key", ApiKeyId)
      const secret = yield* mintKey
      const createdAt = yield* DateTime.now
      const expiresAt = DateTime.addDuration(createdAt, `${unclaimedDays} days`)
      const now = DateTime.toDateUtc(createdAt)
      const scopes = ["read", "write"] as const
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`
          insert into workspaces (id, name, agent_name, plan, expires_at, created_at, updated_at)
          values (${id}, ${fields.name}, ${fields.agentName}, ${fields.plan}, ${DateTime.toDateUtc(expiresAt)}, ${now}, ${now})`
        yield* sql`
          insert into api_keys (id, workspace_id, name, hash, prefix, scopes, created_at)
          values (${keyId}, ${id}, ${fields.agentName}, ${tokenHash(secret)}, ${shownPrefix(secret)},
                  ${scopes}::text[], ${now})`
      }))
      return {
        workspace: {
          id,
          name: fields.name,
          timezone: "UTC",
          plan: fields.plan,
          claimed: false,
          upstreams: [],
          expiresAt,
          createdAt,
          updatedAt: createdAt
        } satisfies WorkspaceRow,
        key: {
          id: keyId,
          name: fields.agentName,
          prefix: shownPrefix(secret),
          scopes,
          createdAt,
          expiresAt: null,
          lastUsedAt: null,
          parentId: null,
          createdBy: null,
          operations: null
        },
        secret,
        expiresAt
      }
    }, Effect.orDie)

    /** Changes the given fields. None when the workspace does not exist. */
    const update = Effect.fn("Workspaces.update")(function*(id: WorkspaceId, { name, timezone, upstreams }: WorkspaceUpdate) {
      yield* sql`
      update workspaces
      set name = coalesce(${name ?? null}::text, name), timezone = coalesce(${timezone ?? null}::text, timezone),
          upstreams = coalesce(${upstreams === undefined ? null : JSON.stringify(upstreams)}::jsonb, upstreams),
          -- The weekly digest is due at another time.
          digest_at = case when ${timezone ?? null}::text <> timezone then now() else digest_at end,
          updated_at = ${DateTime.toDateUtc(yield* DateTime.now)}
      where id = ${id}`
      // Pages without their own time zone show the workspace's.
      if (timezone !== undefined) {
        const pages = yield* sql<{ readonly slug: string }>`select slug from pages where workspace_id = ${id}`
        yield* Effect.forEach(pages, ({ slug }) => signals.send(pagesSignal, slug), { discard: true })
      }
      return yield* byId(id)
    }, inTransaction(sql))

    return { create, update, read, get: byId }
  })
}) {}
