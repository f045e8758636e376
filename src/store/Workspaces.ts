/** The rows of workspaces. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { ApiKeyId, WorkspaceId } from "../../schema/Ids.ts"
import { Plan } from "../../schema/Workspace.ts"
import { mintKey, shownPrefix } from "./Keys.ts"
import { mint, randomToken } from "./Mint.ts"
import { tokenHash } from "./Vault.ts"

/** A workspace as its records tell of it. */
export const WorkspaceRow = Schema.Struct({
  id: WorkspaceId,
  name: Schema.String,
  timezone: Schema.String,
  plan: Plan,
  claimed: Schema.Boolean,
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate
})
export type WorkspaceRow = typeof WorkspaceRow.Type

/** How long a workspace that nobody claims is kept. (Specification: Limits, other constants.) */
const unclaimedDays = 7

export class Workspaces extends Effect.Service<Workspaces>()("belltower/Workspaces", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const byId = SqlSchema.findOne({
      Request: WorkspaceId,
      Result: WorkspaceRow,
      execute: (id) => sql`
        select id, name, timezone, plan, claimed_at is not null as claimed, created_at as "createdAt",
               updated_at as "updatedAt"
        from workspaces where id = ${id}`
    })

    /** A new unclaimed workspace with its first key, and the secrets of both, which exist nowhere else. */
    const create = Effect.fn("Workspaces.create")(function*(fields: {
      readonly name: string
      readonly agentName: string
      readonly plan: Plan
    }) {
      const id = yield* mint("ws", WorkspaceId)
      const keyId = yield* mint("key", ApiKeyId)
      const secret = yield* mintKey
      const claimToken = yield* randomToken(40)
      const createdAt = yield* DateTime.now
      const expiresAt = DateTime.addDuration(createdAt, `${unclaimedDays} days`)
      const now = DateTime.toDateUtc(createdAt)
      const scopes = ["read", "write"] as const
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`
          insert into workspaces (id, name, agent_name, plan, claim_token_hash, expires_at, created_at, updated_at)
          values (${id}, ${fields.name}, ${fields.agentName}, ${fields.plan}, ${tokenHash(claimToken)},
                  ${DateTime.toDateUtc(expiresAt)}, ${now}, ${now})`
        yield* sql`
          insert into api_keys (id, workspace_id, name, hash, prefix, scopes, created_at)
          values (${keyId}, ${id}, ${fields.agentName}, ${tokenHash(secret)}, ${shownPrefix(secret)},
                  ${[...scopes]}::text[], ${now})`
      }))
      return {
        workspace: {
          id, name: fields.name, timezone: "UTC", plan: fields.plan, claimed: false, createdAt, updatedAt: createdAt
        } satisfies WorkspaceRow,
        key: {
          id: keyId, name: fields.agentName, prefix: shownPrefix(secret), scopes, createdAt, expiresAt: null, lastUsedAt: null
        },
        secret,
        claimToken,
        expiresAt
      }
    }, Effect.orDie)

    return { create, get: (id: WorkspaceId) => Effect.orDie(byId(id)) }
  })
}) {}
