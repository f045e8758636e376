/** The rows of API keys. Only the SHA-256 of a key is stored. */
import { SqlClient, type Statement } from "@effect/sql"
import { Cache, DateTime, Duration, Effect, Exit, Option, Schema, Stream } from "effect"
import { ApiKeyId, UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { type ApiKey, Role, Scope } from "../../../schema/workspace/Workspace.ts"
import type { KeyTimes } from "../../domain/access/KeyEnd.ts"
import type { KeyGrant } from "../../domain/access/KeyGrant.ts"
import { mint, randomToken } from "../Mint.ts"
import { atNow, findAll, findOne } from "../postgres/Queries.ts"
import { readFirst, run } from "../postgres/Read.ts"
import { inTransaction } from "../postgres/Transaction.ts"
import { sweepHourlyOlder } from "../Sweep.ts"
import { tokenHash } from "../Vault.ts"
import { AccessEnded } from "./AccessEnded.ts"

const keyPrefix = "bell_live_"

const keyPattern = /^bell_live_[0-9A-Za-z]{40}$/

/** Whether a text has the format of a key. Other texts are rejected without a query. */
const isKeyShaped = (text: string): boolean => keyPattern.test(text)

const accessTokenPrefix = "bell_oat_"

const accessTokenPattern = /^bell_oat_[0-9A-Za-z]{40}$/

/** Whether a text has the format of an access token of OAuth, which stands for a grant for an hour. */
export const isAccessTokenShaped = (text: string): boolean => accessTokenPattern.test(text)

export const mintAccessToken: Effect.Effect<string> = Effect.map(randomToken(40), (token) => `${accessTokenPrefix}${token}`)

export const mintKey: Effect.Effect<string> = Effect.map(randomToken(40), (token) => `${keyPrefix}${token}`)

/** The part of a key that may be shown, to recognize it by. */
export const shownPrefix = (key: string): string => key.slice(0, keyPrefix.length + 4)

/** A key that has not been revoked. */
export const KeyRow = Schema.Struct({
  id: ApiKeyId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  prefix: Schema.String,
  scopes: Schema.Array(Scope),
  createdAt: Schema.DateTimeUtcFromDate,
  expiresAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  lastUsedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** The key that delegated to this one. */
  parentId: Schema.NullOr(ApiKeyId),
  /** The member responsible for it; null for a key of the workspace itself. */
  createdBy: Schema.NullOr(UserId),
  /** That member's role in the workspace. */
  makerRole: Schema.NullOr(Role),
  /** The operations it may call; null for all. */
  operations: Schema.NullOr(Schema.Array(Schema.String)),
  /** The app that it was granted to over OAuth; null for a key. */
  clientId: Schema.NullOr(Schema.String),
  /** Whether a person has claimed its workspace. */
  claimed: Schema.Boolean
})
export type KeyRow = typeof KeyRow.Type

const KeyTimesRow = Schema.Struct({
  /** When its workspace was deleted; null if it is not. */
  deletedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  revokedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  expiresAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})

const NamedKey = Schema.Struct({ id: ApiKeyId, name: Schema.String })

/** A key as the API returns it. */
export const shownKey = ({ claimed: _, clientId: __, makerRole: ___, workspaceId: ____, ...shown }: KeyRow): ApiKey => shown

/** How long an expired key stays in the list, so that users can see why it fails. */
const listedFor = Duration.days(7)

/** How long the row of a revoked or expired key is kept. */
const keptFor = Duration.days(30)

/** How long a key is cached. This bounds the delay of a revocation whose notification a broken connection lost. */
const freshFor = Duration.seconds(5)

/** The precision of the time of last use, so that a busy key does not update its row on every call. */
const usedWithin = Duration.minutes(1)

const readKey = readFirst(KeyRow)

export class Keys extends Effect.Service<Keys>()("belltower/Keys", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const ended = yield* AccessEnded
    const unending = `
      k.id, k.workspace_id as "workspaceId", k.name, k.prefix, k.scopes, k.created_at as "createdAt",
      k.last_used_at as "lastUsedAt", k.parent_id as "parentId", k.operations, k.client_id as "clientId",
      k.created_by as "createdBy", m.role as "makerRole", w.claimed_at is not null as claimed`
    const columns = sql.literal(`${unending}, k.expires_at as "expiresAt"`)
    const joined = `join workspaces w on w.id = k.workspace_id
      left join memberships m on m.workspace_id = k.workspace_id and m.user_id = k.created_by`
    const source = sql.literal(`api_keys k ${joined}`)
    /** A key stands that is not revoked, was not created by a former member, and is not of a deleted workspace. */
    const stands = sql.literal(
      "k.revoked_at is null and (k.created_by is null or m.user_id is not null) and w.deleted_at is null"
    )

    const byHash = findOne(KeyRow, (hash: string) =>
      sql`/* one plan */
        select ${columns} from ${source} where k.hash = ${Buffer.from(hash, "hex")} and ${stands}`)
    /** The grant of an access token. It ends with the token. */
    const byAccessToken = findOne(KeyRow, (hash: string) =>
      sql`/* one plan */
        select ${sql.literal(unending)}, least(k.expires_at, t.expires_at) as "expiresAt"
        from oauth_access_tokens t join api_keys k on k.id = t.key_id ${sql.literal(joined)}
        where t.hash = ${Buffer.from(hash, "hex")} and ${stands}`)
    const read = (workspaceId: WorkspaceId, id: ApiKeyId) =>
      readKey(
        sql`/* one plan */
        select ${columns} from ${source}
        where k.workspace_id = ${workspaceId} and k.id = ${id} and ${stands}`
      )

    const timesBy = findOne(
      KeyTimesRow,
      (hash: Uint8Array) =>
        sql`
        select w.deleted_at as "deletedAt", k.revoked_at as "revokedAt", k.expires_at as "expiresAt"
        from api_keys k join workspaces w on w.id = k.workspace_id where k.hash = ${Buffer.from(hash)}`
    )

    const listed = findAll(KeyRow, (workspaceId: WorkspaceId, after: DateTime.Utc) =>
      sql`
        select ${columns} from ${source}
        where k.workspace_id = ${workspaceId} and k.client_id is null and ${stands}
          and (k.expires_at is null or k.expires_at > ${DateTime.toDateUtc(after)})
        order by k.id desc`)

    const revoke = Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: ApiKeyId) {
      const now = DateTime.toDateUtc(yield* DateTime.now)
      // Two statements: the second sees a child key whose creation the first one waited for.
      yield* sql`select from api_keys where workspace_id = ${workspaceId} and id = ${id} for update`
      const ids = yield* sql<{ readonly id: string }>`
      update api_keys set revoked_at = ${now}
      where workspace_id = ${workspaceId} and (id = ${id} or parent_id = ${id}) and revoked_at is null
      returning id`
      return ids.some((one) => one.id === id)
    }, inTransaction(sql))

    /** Changes the keys of a member and those delegated from them. Returns the ones that had not expired. */
    const settle = findAll(
      NamedKey,
      (workspaceId: WorkspaceId, userId: UserId, change: Statement.Fragment, which: Statement.Fragment) =>
        atNow((now) =>
          sql`
        with changed as (
          update api_keys set ${change}
          where workspace_id = ${workspaceId} and revoked_at is null and ${which} and (created_by = ${userId} or parent_id in (
            select id from api_keys where workspace_id = ${workspaceId} and created_by = ${userId}))
          returning id, name, expires_at
        )
        select id, name from changed where expires_at is null or expires_at > ${now} order by id`
        )
    )

    const touch = Effect.fnUntraced(function*(key: KeyRow) {
      const now = yield* DateTime.now
      const recent = DateTime.subtractDuration(now, usedWithin)
      if (key.lastUsedAt !== null && DateTime.greaterThan(key.lastUsedAt, recent)) return
      yield* sql`
        update api_keys set last_used_at = ${DateTime.toDateUtc(now)}
        where workspace_id = ${key.workspaceId} and id = ${key.id}
          and (last_used_at is null or last_used_at <= ${DateTime.toDateUtc(recent)})`
    })

    /** `name` is a hash, after the prefix of access tokens if it is the one of such a token. */
    const load = Effect.fnUntraced(function*(name: string) {
      const key = yield* name.startsWith(accessTokenPrefix) ? byAccessToken(name.slice(accessTokenPrefix.length)) : byHash(name)
      if (Option.isSome(key)) yield* touch(key.value)
      return key
    }, Effect.orDie)

    const cache = yield* Cache.makeWith({
      capacity: 10_000,
      lookup: (key: string) => load(key.slice(key.lastIndexOf(":") + 1)),
      // Unknown keys are not cached, so that guesses cannot evict valid keys.
      timeToLive: (exit) => (Exit.isSuccess(exit) && Option.isSome(exit.value) ? freshFor : Duration.zero)
    })

    // Part of the cache key: a key read in one epoch is never used in another, even if the read finishes later.
    let epoch = 0
    const forget = Effect.sync(() => {
      epoch++
    })
    yield* ended.heard.pipe(
      Stream.filter((id) => id === "" || id.startsWith("key_") || id.startsWith("usr_")),
      Stream.runForEach(() => forget),
      Effect.forkScoped
    )

    /** Bypasses the cache while no connection receives revocations. */
    const look = (name: string) =>
      Effect.flatMap(
        ended.hearing,
        (connection) => connection === null ? load(name) : cache.get(`${connection}:${epoch}:${name}`)
      )

    /** Deletes keys that ended long ago; the audit log keeps their history. */
    yield* sweepHourlyOlder(
      "Old API keys",
      keptFor,
      (before) => sql`delete from api_keys where least(revoked_at, expires_at) < ${before}`
    )

    return {
      /** The key or grant of a secret; none when it is unknown, revoked or expired. Revocations take effect immediately. */
      find: Effect.fnUntraced(function*(secret: string) {
        const isAccessToken = isAccessTokenShaped(secret)
        if (!isAccessToken && !isKeyShaped(secret)) return Option.none<KeyRow>()
        const key = yield* look(`${isAccessToken ? accessTokenPrefix : ""}${tokenHash(secret).toString("hex")}`)
        const now = yield* DateTime.now
        return Option.filter(key, ({ expiresAt }) => expiresAt === null || DateTime.greaterThan(expiresAt, now))
      }),
      /** When the key of a secret ended or ends, for up to 30 days after its end; none when it is unknown. */
      timesOf: (secret: string): Effect.Effect<Option.Option<KeyTimes>> =>
        isKeyShaped(secret) ? timesBy(tokenHash(secret)) : Effect.succeedNone,
      /** A key of the workspace, read without the cache. */
      read,
      get: (workspaceId: WorkspaceId, id: ApiKeyId) => run(read(workspaceId, id)),
      /** The valid keys and those that expired within the last 7 days, newest first. */
      list: Effect.fnUntraced(function*(workspaceId: WorkspaceId) {
        const after = DateTime.subtractDuration(yield* DateTime.now, listedFor)
        return yield* listed(workspaceId, after)
      }),
      /** Creates a key. Its secret is returned only here. None when the parent was revoked or the creator was removed. */
      create: Effect.fnUntraced(function*(
        workspaceId: WorkspaceId,
        fields: KeyGrant & { readonly name: string; readonly createdBy: UserId | null }
      ) {
        const id = yield* mint("key", ApiKeyId)
        const secret = yield* mintKey
        const createdAt = DateTime.toDateUtc(fields.createdAt)
        const expiresAt = fields.expiresAt === null ? null : DateTime.toDateUtc(fields.expiresAt)
        // Locks the parent and the creator during the insert: a concurrent removal of either comes before it or sees the new key.
        const written = yield* sql`
          with parent as (
            select id from api_keys
            where id = ${fields.parentId} and workspace_id = ${workspaceId} and revoked_at is null for key share
          ), maker as (
            select user_id from memberships
            where user_id = ${fields.createdBy} and workspace_id = ${workspaceId} for key share
          )
          insert into api_keys
            (id, workspace_id, name, hash, prefix, scopes, created_at, expires_at, parent_id, created_by, operations)
          select ${id}, ${workspaceId}, ${fields.name}, ${tokenHash(secret)}, ${shownPrefix(secret)},
                 ${[...fields.scopes]}::text[], ${createdAt}, ${expiresAt}::timestamptz, ${fields.parentId}::text,
                 ${fields.createdBy}::text, ${fields.operations}::text[]
          where (${fields.parentId}::text is null or exists (select from parent))
            and (${fields.createdBy}::text is null or exists (select from maker))
          returning id`
        return written.length === 0 ? Option.none() : Option.map(yield* run(read(workspaceId, id)), (key) => ({ key, secret }))
      }, Effect.orDie),
      /** Revokes the keys of a member, in the caller's transaction. */
      revokeOf: Effect.fnUntraced(function*(workspaceId: WorkspaceId, userId: UserId) {
        return yield* settle(workspaceId, userId, sql`revoked_at = ${DateTime.toDateUtc(yield* DateTime.now)}`, sql`true`)
      }),
      /**
       * Transfers the keys of a member to another member or, with null, to the workspace, in the caller's transaction. What they
       * granted to apps ends for good, also if they become a member again, and so do keys that the apps created.
       */
      handOver: Effect.fnUntraced(function*(workspaceId: WorkspaceId, userId: UserId, to: UserId | null) {
        const ofApps = sql`(client_id is not null or parent_id in (
          select id from api_keys where workspace_id = ${workspaceId} and client_id is not null))`
        yield* settle(workspaceId, userId, sql`revoked_at = ${DateTime.toDateUtc(yield* DateTime.now)}`, ofApps)
        return yield* settle(workspaceId, userId, sql`created_by = ${to}`, sql`true`)
      }),
      /** Revokes a key and those delegated from it. False when it does not exist. */
      revoke: (workspaceId: WorkspaceId, id: ApiKeyId) => Effect.zipLeft(revoke(workspaceId, id), forget)
    }
  })
}) {}
