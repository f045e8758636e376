/** The rows of contact ways: how people of a workspace are reached beside their email address. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { UserId, WayId, WorkspaceId } from "../../../schema/Ids.ts"
import { AddedWayKind } from "../../../schema/oncall/Way.ts"
import { Role } from "../../../schema/workspace/Workspace.ts"
import { KeyedHashes } from "../KeyedHashes.ts"
import { mint } from "../Mint.ts"
import { exists, findAll, findOne, write } from "../postgres/Queries.ts"
import { cellOf } from "../SealedColumns.ts"
import { Vault } from "../Vault.ts"

const WayRow = Schema.Struct({
  id: WayId,
  workspaceId: WorkspaceId,
  userId: UserId,
  kind: AddedWayKind,
  label: Schema.String,
  shown: Schema.String,
  verifiedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  problem: Schema.NullOr(Schema.String),
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate
})
export type WayRow = typeof WayRow.Type

const columns = `
  id, workspace_id as "workspaceId", user_id as "userId", kind, label, shown, verified_at as "verifiedAt", problem,
  created_at as "createdAt", updated_at as "updatedAt"`

const Address = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const Sealed = Schema.parseJson(Address)
const encode = Schema.encodeSync(Sealed)
const decode = Schema.decodeSync(Sealed)

/** Opens the address of a way. Dies when it was sealed with a different deployment secret. */
export const openAddress = (id: string, sealed: string): Effect.Effect<typeof Address.Type, never, Vault> =>
  Effect.flatMap(Vault, (vault) => Effect.map(vault.unseal(cellOf("contact_ways.sealed", id), sealed), decode))

export interface NewWay {
  readonly userId: UserId
  readonly kind: AddedWayKind
  readonly label: string
  readonly shown: string
  readonly address: typeof Address.Type
  /** Set if nothing is left to prove. */
  readonly verifiedAt: DateTime.Utc | null
}

/** Codes of a way: how many were sent, in an hour that began at `since`, and how many wrong ones were entered for the last. */
const CodeRow = Schema.Struct({
  hash: Schema.NullOr(Schema.Uint8ArrayFromSelf),
  expiresAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  tries: Schema.Int,
  sent: Schema.Int,
  since: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type WayCodes = typeof CodeRow.Type

const makeCodes = (sql: SqlClient.SqlClient) => ({
  /** Locked in the caller's transaction. */
  lock: findOne(CodeRow, (workspaceId: WorkspaceId, id: WayId) =>
    sql`
    select code_hash as hash, code_expires_at as "expiresAt", code_tries as tries, codes_sent as sent, codes_since as since
    from contact_ways where workspace_id = ${workspaceId} and id = ${id} for no key update`),
  save: (workspaceId: WorkspaceId, id: WayId, { expiresAt, hash, sent, since, tries }: WayCodes) =>
    write(sql`
      update contact_ways
      set code_hash = ${hash === null ? null : Buffer.from(hash)},
          code_expires_at = ${expiresAt === null ? null : DateTime.toDateUtc(expiresAt)}, code_tries = ${tries},
          codes_sent = ${sent}, codes_since = ${since === null ? null : DateTime.toDateUtc(since)}
      where workspace_id = ${workspaceId} and id = ${id}`)
})

export class ContactWays extends Effect.Service<ContactWays>()("belltower/ContactWays", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const hash = yield* KeyedHashes
    const selected = sql.literal(columns)

    const ofPeople = findAll(WayRow, (workspaceId: WorkspaceId, userIds: ReadonlyArray<string>) =>
      sql`
      select ${selected} from contact_ways
      where workspace_id = ${workspaceId} and user_id = any(${userIds}::text[]) order by id`)

    const find = findOne(
      WayRow,
      (workspaceId: WorkspaceId, userId: UserId, id: WayId) =>
        sql`select ${selected} from contact_ways where workspace_id = ${workspaceId} and user_id = ${userId} and id = ${id}`
    )

    const byId = findOne(
      WayRow,
      (workspaceId: WorkspaceId, id: WayId) =>
        sql`select ${selected} from contact_ways where workspace_id = ${workspaceId} and id = ${id}`
    )

    /** The ways of a workspace's members are few enough to look through. */
    const ownerOf = findOne(
      Schema.Struct({ userId: UserId, role: Role }),
      (workspaceId: WorkspaceId, kind: AddedWayKind, target: Buffer) =>
        sql`
        select w.user_id as "userId", m.role
        from contact_ways w join memberships m on m.workspace_id = w.workspace_id and m.user_id = w.user_id
        where w.workspace_id = ${workspaceId} and w.kind = ${kind} and w.target_hash = ${target} and w.verified_at is not null
        order by w.id limit 1`
    )

    const sealedOf = findOne(
      Schema.Struct({ sealed: Schema.String }),
      (workspaceId: WorkspaceId, id: WayId) =>
        sql`select sealed from contact_ways where workspace_id = ${workspaceId} and id = ${id}`
    )

    return {
      codes: makeCodes(sql),
      find,
      /** The ways of people, oldest first; a cap bounds their number. */
      ofPeople: (workspaceId: WorkspaceId, userIds: ReadonlyArray<string>) =>
        userIds.length === 0 ? Effect.succeed([]) : ofPeople(workspaceId, [...new Set(userIds)]),
      /** The way with its address, sealed; it is that of `id` even if the person has it already, whose name and proof then stay. */
      put: Effect.fn("ContactWays.put")(function*(workspaceId: WorkspaceId, way: NewWay, now: DateTime.Utc) {
        const id = yield* mint("way", WayId)
        const text = encode(way.address)
        const sealed = yield* vault.seal(cellOf("contact_ways.sealed", id), text)
        const at = DateTime.toDateUtc(now)
        const verifiedAt = way.verifiedAt === null ? null : DateTime.toDateUtc(way.verifiedAt)
        const rows = yield* sql<{ readonly id: string }>`
          insert into contact_ways (id, workspace_id, user_id, kind, label, shown, sealed, target_hash, verified_at, created_at,
                                    updated_at)
          values (${id}, ${workspaceId}, ${way.userId}, ${way.kind}, ${way.label}, ${way.shown}, ${sealed}, ${hash(text)},
                  ${verifiedAt}, ${at}, ${at})
          on conflict (workspace_id, user_id, kind, target_hash) do update
          set problem = null, problem_at = null, verified_at = coalesce(contact_ways.verified_at, excluded.verified_at),
              updated_at = excluded.updated_at
          returning id`
        return WayId.make(rows[0]?.id ?? id)
      }, Effect.orDie),
      addressOf: Effect.fn("ContactWays.addressOf")(function*(workspaceId: WorkspaceId, id: WayId) {
        const found = yield* sealedOf(workspaceId, id)
        if (Option.isNone(found)) return Option.none<typeof Address.Type>()
        return Option.some(yield* Effect.provideService(openAddress(id, found.value.sealed), Vault, vault))
      }),
      verify: (workspaceId: WorkspaceId, id: WayId, at: DateTime.Utc) =>
        write(sql`
          update contact_ways
          set verified_at = coalesce(verified_at, ${DateTime.toDateUtc(at)}), problem = null, problem_at = null, code_hash = null,
              updated_at = ${DateTime.toDateUtc(at)}
          where workspace_id = ${workspaceId} and id = ${id}`),
      /** The way of an id, whoever's it is. */
      byId: (workspaceId: WorkspaceId, id: WayId) => byId(workspaceId, id),
      /**
       * Gives a way that had no address one that its person has proved. If the person had another way to it, that one stays instead.
       * In the caller's transaction.
       */
      link: Effect.fn("ContactWays.link")(
        function*(
          { id, kind, userId, workspaceId }: WayRow,
          address: typeof Address.Type,
          shown: string,
          at: DateTime.Utc
        ) {
          const text = encode(address)
          const now = DateTime.toDateUtc(at)
          const others = yield* sql`
          update contact_ways set verified_at = coalesce(verified_at, ${now}), problem = null, problem_at = null, updated_at = ${now}
          where workspace_id = ${workspaceId} and user_id = ${userId} and kind = ${kind} and target_hash = ${
            hash(text)
          } and id <> ${id}
          returning id`
          if (others.length > 0) return yield* sql`delete from contact_ways where workspace_id = ${workspaceId} and id = ${id}`
          const sealed = yield* vault.seal(cellOf("contact_ways.sealed", id), text)
          yield* sql`
          update contact_ways
          set sealed = ${sealed}, target_hash = ${hash(text)}, shown = ${shown}, verified_at = ${now}, problem = null,
              problem_at = null, code_hash = null, updated_at = ${now}
          where workspace_id = ${workspaceId} and id = ${id}`
        },
        Effect.asVoid,
        Effect.orDie
      ),
      /** The member who has proved that an address is theirs, with their role. */
      ownerOf: (workspaceId: WorkspaceId, kind: AddedWayKind, address: typeof Address.Type) =>
        ownerOf(workspaceId, kind, hash(encode(address))),
      /** Deletes a way with what waits for it. False when it does not exist. */
      remove: (workspaceId: WorkspaceId, userId: UserId, id: WayId): Effect.Effect<boolean> =>
        exists(sql`
          delete from contact_ways where workspace_id = ${workspaceId} and user_id = ${userId} and id = ${id} returning 1`)
    }
  })
}) {}
