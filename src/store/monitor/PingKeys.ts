/** The ping keys of workspaces, and the heartbeats that their slugs name. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { type MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { pingKeyLength } from "../../domain/monitor/job/PingSlug.ts"
import { randomToken } from "../Mint.ts"
import { findAll, findOne, write } from "../postgres/Queries.ts"
import { cellOf } from "../SealedColumns.ts"
import { tokenHash, Vault } from "../Vault.ts"

export interface PingKeyRow {
  readonly key: string
  readonly mayCreate: boolean
  readonly createdAt: DateTime.Utc
}

const Row = Schema.Struct({ sealed: Schema.String, mayCreate: Schema.Boolean, createdAt: Schema.DateTimeUtcFromDate })
const Owner = Schema.Struct({ workspaceId: WorkspaceId, mayCreate: Schema.Boolean })

export class PingKeys extends Effect.Service<PingKeys>()("belltower/PingKeys", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const row = findOne(Row, (workspaceId: WorkspaceId) =>
      sql`
        select sealed, may_create as "mayCreate", created_at as "createdAt" from ping_keys where workspace_id = ${workspaceId}`)
    const named = findAll(Schema.Struct({ hash: Schema.String }), (workspaceId: WorkspaceId, slug: string) =>
      sql`
        select encode(h.token_hash, 'hex') as hash from monitors m join heartbeats h on h.monitor_id = m.id
        where m.workspace_id = ${workspaceId} and m.kind = 'heartbeat'
          and trim(both '-' from regexp_replace(lower(m.name), '[^a-z0-9]+', '-', 'g')) = ${slug}
        limit 2`)

    return {
      find: (workspaceId: WorkspaceId): Effect.Effect<Option.Option<PingKeyRow>> =>
        Effect.flatMap(
          row(workspaceId),
          (found) =>
            Effect.transposeMapOption(found, ({ sealed, ...rest }) =>
              Effect.map(vault.unseal(cellOf("ping_keys.sealed", workspaceId), sealed), (key) => ({ key, ...rest })))
        ),
      /** Makes a new key; the one before stops working. */
      replace: Effect.fn("PingKeys.replace")(function*(workspaceId: WorkspaceId, mayCreate: boolean) {
        const key = yield* randomToken(pingKeyLength)
        const createdAt = yield* DateTime.now
        const sealed = yield* vault.seal(cellOf("ping_keys.sealed", workspaceId), key)
        yield* write(sql`
          insert into ping_keys (workspace_id, key_hash, sealed, may_create, created_at)
          values (${workspaceId}, ${tokenHash(key)}, ${sealed}, ${mayCreate}, ${DateTime.toDateUtc(createdAt)})
          on conflict (workspace_id) do update set key_hash = excluded.key_hash, sealed = excluded.sealed,
            may_create = excluded.may_create, created_at = excluded.created_at`)
        return { key, mayCreate, createdAt } satisfies PingKeyRow
      }),
      /** The workspace of a key. */
      owner: findOne(Owner, (key: string) =>
        sql`
          select workspace_id as "workspaceId", may_create as "mayCreate" from ping_keys where key_hash = ${tokenHash(key)}`),
      /** The hashes (hexadecimal) of the tokens of the heartbeats with this slug: two if it names more than one. */
      hashesOf: (workspaceId: WorkspaceId, slug: string) =>
        Effect.map(named(workspaceId, slug), (found) => found.map(({ hash }) => hash)),
      /** The hash of the token of a heartbeat. */
      hashOf: (workspaceId: WorkspaceId, id: MonitorId) =>
        Effect.orDie(Effect.map(
          sql<{ readonly hash: string }>`
            select encode(token_hash, 'hex') as hash from heartbeats where workspace_id = ${workspaceId} and monitor_id = ${id}`,
          ([found]) => Option.fromNullable(found?.hash)
        )),
      /** Waits, in the caller's transaction, for another that makes the heartbeat of this slug. */
      lockSlug: (workspaceId: WorkspaceId, slug: string) =>
        write(sql`select pg_advisory_xact_lock(hashtext(${`belltower_slug ${workspaceId} ${slug}`}))`)
    }
  })
}) {}
