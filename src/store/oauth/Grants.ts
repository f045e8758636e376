/** The grants of people to apps. Each is a row of `api_keys`, so that whatever holds for keys holds for it; this adds its tokens. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { ApiKeyId, UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { Scope } from "../../../schema/workspace/Workspace.ts"
import type { RefreshTokens } from "../../domain/oauth/RefreshVerdict.ts"
import { mintAccessToken } from "../access/Keys.ts"
import { mint, randomToken } from "../Mint.ts"
import { atNow, findAll, findOne } from "../postgres/Queries.ts"
import { sweepHourlyOlder } from "../Sweep.ts"
import { tokenHash } from "../Vault.ts"

/** The part that the refresh tokens of a grant have in common, and the one that each has for itself. */
const familyLength = 32
const refreshPattern = /^bell_ort_([0-9A-Za-z]{32})([0-9A-Za-z]{40})$/

const familyOf = (refreshToken: string): string | null => refreshPattern.exec(refreshToken)?.[1] ?? null

const hex = (token: string): string => tokenHash(token).toString("hex")

const GrantRow = Schema.Struct({
  id: ApiKeyId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  clientId: Schema.String,
  redirectUri: Schema.String,
  scopes: Schema.Array(Scope),
  operations: Schema.NullOr(Schema.Array(Schema.String)),
  createdBy: UserId,
  createdAt: Schema.DateTimeUtcFromDate,
  expiresAt: Schema.DateTimeUtcFromDate,
  lastUsedAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type GrantRow = typeof GrantRow.Type

const CodeRow = Schema.Struct({
  ...GrantRow.fields,
  challenge: Schema.String,
  codeExpiresAt: Schema.DateTimeUtcFromDate,
  codeUsedAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})

const RefreshRow = Schema.Struct({
  ...GrantRow.fields,
  present: Schema.Array(Schema.String),
  previous: Schema.Array(Schema.String),
  rotatedAt: Schema.DateTimeUtcFromDate
})

const TokenOwner = Schema.Struct({ id: ApiKeyId, workspaceId: WorkspaceId, clientId: Schema.String })

interface NewGrant {
  readonly workspaceId: WorkspaceId
  readonly userId: UserId
  readonly clientId: string
  readonly clientName: string
  readonly redirectUri: string
  readonly challenge: string
  readonly scopes: ReadonlyArray<Scope>
  readonly operations: ReadonlyArray<string> | null
  readonly code: string
  readonly codeExpiresAt: DateTime.Utc
}

export interface NewTokens {
  readonly id: ApiKeyId
  readonly accessToken: string
  readonly accessTokenEnd: Date
  readonly refreshToken: string
  readonly refreshTokenEnd: Date
}

export class Grants extends Effect.Service<Grants>()("belltower/Grants", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`
      k.id, k.workspace_id as "workspaceId", k.name, k.client_id as "clientId", g.redirect_uri as "redirectUri", k.scopes,
      k.operations, k.created_by as "createdBy", k.created_at as "createdAt", k.expires_at as "expiresAt",
      k.last_used_at as "lastUsedAt"`)
    /** Grants that have not ended, and are not of a former member. */
    const standing = sql.literal(`oauth_grants g join api_keys k on k.id = g.key_id and k.revoked_at is null
      join memberships m on m.workspace_id = k.workspace_id and m.user_id = k.created_by`)

    yield* sweepHourlyOlder(
      "Old access tokens",
      Duration.hours(1),
      (before) => sql`delete from oauth_access_tokens where expires_at < ${before}`
    )

    const refreshRow = findOne(RefreshRow, (family: string) =>
      atNow((now) =>
        sql`
        select ${columns}, g.present_hashes as present, g.previous_hashes as previous, g.rotated_at as "rotatedAt"
        from ${standing}
        where g.family_hash = ${tokenHash(family)} and k.expires_at > ${now} for update of g`
      ))

    return {
      /** Adds a grant with its code, in the caller's transaction. None if the person is no member any more. */
      add: Effect.fn("Grants.add")(function*(grant: NewGrant) {
        const id = yield* mint("key", ApiKeyId)
        // The row needs the hash of a key: of one that nobody has.
        const key = yield* randomToken(40)
        const now = DateTime.toDateUtc(yield* DateTime.now)
        const codeEnd = DateTime.toDateUtc(grant.codeExpiresAt)
        const written = yield* sql`
          with maker as (
            select user_id from memberships
            where user_id = ${grant.userId} and workspace_id = ${grant.workspaceId} for key share
          )
          insert into api_keys
            (id, workspace_id, name, hash, prefix, scopes, created_at, expires_at, created_by, operations, client_id)
          select ${id}, ${grant.workspaceId}, ${grant.clientName}, ${tokenHash(key)}, 'bell_oat_', ${[
          ...grant.scopes
        ]}::text[], ${now}, ${codeEnd}, user_id, ${grant.operations}::text[], ${grant.clientId}
          from maker returning id`
        if (written.length === 0) return Option.none<ApiKeyId>()
        yield* sql`
          insert into oauth_grants (key_id, client_id, redirect_uri, code_hash, challenge, code_expires_at)
          values (${id}, ${grant.clientId}, ${grant.redirectUri}, ${tokenHash(grant.code)}, ${grant.challenge}, ${codeEnd})`
        return Option.some(id)
      }, Effect.orDie),
      /** The grant of a code, which may have been used, or have expired. */
      byCode: findOne(CodeRow, (code: string) =>
        sql`
        select ${columns}, g.challenge, g.code_expires_at as "codeExpiresAt", g.code_used_at as "codeUsedAt"
        from ${standing} where g.code_hash = ${tokenHash(code)}`),
      /** Uses a code up. False if another request did. */
      useCode: (id: ApiKeyId): Effect.Effect<boolean> =>
        Effect.orDie(Effect.map(
          atNow((now) =>
            sql`update oauth_grants set code_used_at = ${now} where key_id = ${id} and code_used_at is null returning key_id`
          ),
          (rows) => rows.length > 0
        )),
      /** The grant of a refresh token that was given at any time, locked for the caller's transaction. */
      byRefreshToken: Effect.fnUntraced(function*(token: string) {
        const family = familyOf(token)
        return family === null ? Option.none<typeof RefreshRow.Type>() : yield* refreshRow(family)
      }),
      /** Whether a refresh token fits the others: what `refreshVerdict` compares. */
      hashOf: hex,
      mintAccessToken,
      /** A refresh token of the family of another one; of a new family without one. */
      mintRefreshToken: (other: string | null) =>
        Effect.flatMap(
          other === null ? randomToken(familyLength) : Effect.succeed(familyOf(other) ?? ""),
          (family) => Effect.map(randomToken(40), (own) => `bell_ort_${family}${own}`)
        ),
      /** Gives the first tokens, or the next ones, in the caller's transaction. `before` are those that they follow. */
      giveTokens: Effect.fn("Grants.giveTokens")(function*(tokens: NewTokens, before: RefreshTokens | null) {
        const { accessToken, accessTokenEnd, id, refreshToken, refreshTokenEnd } = tokens
        const now = DateTime.toDateUtc(yield* DateTime.now)
        const rotatedAt = before === null ? now : DateTime.toDateUtc(before.rotatedAt)
        const present = [...(before?.present ?? []), hex(refreshToken)]
        yield* sql`
          update oauth_grants set family_hash = ${tokenHash(familyOf(refreshToken) ?? "")}, rotated_at = ${rotatedAt},
            present_hashes = ${present}::text[], previous_hashes = ${[...(before?.previous ?? [])]}::text[]
          where key_id = ${id}`
        yield* sql`update api_keys set expires_at = ${refreshTokenEnd} where id = ${id}`
        yield* sql`
          insert into oauth_access_tokens (hash, key_id, expires_at) values (${tokenHash(accessToken)}, ${id}, ${accessTokenEnd})`
      }, Effect.orDie),
      /** The grant of a token of either kind. */
      ownerOf: findOne(TokenOwner, (token: string) =>
        sql`
        select k.id, k.workspace_id as "workspaceId", k.client_id as "clientId" from ${standing}
        where g.family_hash = ${tokenHash(familyOf(token) ?? "")}
          or g.key_id = (select key_id from oauth_access_tokens where hash = ${tokenHash(token)})`),
      /** The grants whose apps have got tokens, newest first. */
      list: findAll(GrantRow, (workspaceId: WorkspaceId) =>
        atNow((now) =>
          sql`
          select ${columns} from ${standing}
          where k.workspace_id = ${workspaceId} and k.expires_at > ${now} and g.family_hash is not null
          order by k.id desc`
        )),
      find: findOne(
        GrantRow,
        (workspaceId: WorkspaceId, id: ApiKeyId) =>
          sql`select ${columns} from ${standing} where k.workspace_id = ${workspaceId} and k.id = ${id}`
      )
    }
  })
}) {}
