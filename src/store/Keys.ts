/** API keys: only their SHA-256 is stored. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { Cache, DateTime, Duration, Effect, Exit, Option, Schema } from "effect"
import { ApiKeyId, WorkspaceId } from "../../schema/Ids.ts"
import { Scope } from "../../schema/Workspace.ts"
import { randomToken } from "./Mint.ts"
import { tokenHash } from "./Vault.ts"

/** How every key begins. */
export const keyPrefix = "bell_live_"

const keyPattern = /^bell_live_[0-9A-Za-z]{40}$/

/** Whether a text can be a key at all; what cannot is refused without asking the database. */
export const isKeyShaped = (text: string): boolean => keyPattern.test(text)

/** A fresh secret key. */
export const mintKey: Effect.Effect<string> = Effect.map(randomToken(40), (token) => `${keyPrefix}${token}`)

/** As much of a key as may be shown, to recognise it by. */
export const shownPrefix = (key: string): string => key.slice(0, keyPrefix.length + 4)

/** A key that was not revoked. */
export const KeyRow = Schema.Struct({
  id: ApiKeyId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  prefix: Schema.String,
  scopes: Schema.Array(Scope),
  createdAt: Schema.DateTimeUtcFromDate,
  expiresAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  lastUsedAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type KeyRow = typeof KeyRow.Type

/** For so long a revoked key may go on working. */
const freshFor = Duration.seconds(5)

/** The time of last use is kept this coarse, so that a busy key is not a busy row. */
const usedWithin = Duration.minutes(1)

export class Keys extends Effect.Service<Keys>()("belltower/Keys", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`
      id, workspace_id as "workspaceId", name, prefix, scopes, created_at as "createdAt", expires_at as "expiresAt",
      last_used_at as "lastUsedAt"`)

    const byHash = SqlSchema.findOne({
      Request: Schema.String,
      Result: KeyRow,
      execute: (hash) => sql`
        select ${columns} from api_keys where hash = ${Buffer.from(hash, "hex")} and revoked_at is null`
    })
    const byId = SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, id: ApiKeyId }),
      Result: KeyRow,
      execute: ({ id, workspaceId }) => sql`
        select ${columns} from api_keys where workspace_id = ${workspaceId} and id = ${id} and revoked_at is null`
    })

    const touch = Effect.fn("Keys.touch")(function*(key: KeyRow) {
      const now = yield* DateTime.now
      const recent = DateTime.subtractDuration(now, usedWithin)
      if (key.lastUsedAt !== null && DateTime.greaterThan(key.lastUsedAt, recent)) return
      yield* sql`
        update api_keys set last_used_at = ${DateTime.toDateUtc(now)}
        where workspace_id = ${key.workspaceId} and id = ${key.id}
          and (last_used_at is null or last_used_at <= ${DateTime.toDateUtc(recent)})`
    })

    const load = Effect.fn("Keys.load")(function*(hash: string) {
      const key = yield* byHash(hash)
      if (Option.isSome(key)) yield* touch(key.value)
      return key
    }, Effect.orDie)

    const cache = yield* Cache.makeWith({
      capacity: 10_000,
      lookup: load,
      // Of an unknown key nothing is remembered: guesses must not push the good ones out.
      timeToLive: (exit) => (Exit.isSuccess(exit) && Option.isSome(exit.value) ? freshFor : Duration.zero)
    })

    return {
      /** The key of a secret, unless it is unknown, revoked or expired. A revocation is seen within 5 s. */
      find: Effect.fn("Keys.find")(function*(secret: string) {
        if (!isKeyShaped(secret)) return Option.none<KeyRow>()
        const key = yield* cache.get(tokenHash(secret).toString("hex"))
        const now = yield* DateTime.now
        return Option.filter(key, ({ expiresAt }) => expiresAt === null || DateTime.greaterThan(expiresAt, now))
      }),
      /** A key of the workspace, as it is now. */
      get: (workspaceId: WorkspaceId, id: ApiKeyId) => Effect.orDie(byId({ workspaceId, id }))
    }
  })
}) {}
