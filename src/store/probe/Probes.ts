/** The rows of probes: their identities, the tokens that they enrol with, and the epochs of the keys of their regions. */
import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import { ProbeId, ProbeTokenId } from "../../../schema/Ids.ts"
import { mint } from "../Mint.ts"
import { decodedOverTurns, findAll, findOne, findSingle, write } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { inTransaction } from "../postgres/Transaction.ts"

/** Notified when a probe was enrolled or revoked, and when a region's key was replaced. */
export const probesSignal = "belltower_probes"

/** Identities of an installation, at most: every process keeps all of them in memory. */
const most = 10_000

/** An identity that was not seen for so long ends, unless no probe was: then the installation was off, or is restored. */
const keptDays = 30

const ProbeRow = Schema.Struct({
  id: ProbeId,
  region: RegionId,
  publicKey: Schema.Uint8ArrayFromSelf,
  version: Schema.String,
  enrolledAt: Schema.DateTimeUtcFromDate,
  lastSeenAt: Schema.DateTimeUtcFromDate,
  isRevoked: Schema.Boolean
})
export type ProbeRow = typeof ProbeRow.Type

const RegionEpoch = Schema.Struct({ region: RegionId, epoch: Schema.Int, published: Schema.Int })
export type RegionEpoch = typeof RegionEpoch.Type

const EnrolledRow = Schema.Struct({
  id: ProbeId,
  region: RegionId,
  tokenId: Schema.NullOr(ProbeTokenId),
  isRevoked: Schema.Boolean
})

const TokenRow = Schema.Struct({ region: RegionId, isUsed: Schema.Boolean, isExpired: Schema.Boolean })

/** A probe that asks to become known: its public key of 32 bytes, and the version of its program. */
interface Newcomer {
  readonly publicKey: Uint8Array
  readonly version: string
}

/** The identity of a probe; or why it gets none. */
type Enrolment =
  | { readonly _tag: "Known"; readonly id: ProbeId; readonly region: RegionId }
  | { readonly _tag: "Refused"; readonly why: "used" | "expired" | "revoked" | "full" }

const refused = (why: Extract<Enrolment, { _tag: "Refused" }>["why"]): Enrolment => ({ _tag: "Refused", why })

const makeEnrol = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const signals = yield* Signals

  const known = findOne(EnrolledRow, (publicKey: Uint8Array) =>
    sql`
    select id, region, token_id as "tokenId", revoked_at is not null as "isRevoked" from probes
    where public_key = ${Buffer.from(publicKey)}`)
  const token = findOne(TokenRow, (id: ProbeTokenId) =>
    sql`
    select region, uses_left = 0 as "isUsed", expires_at <= now() as "isExpired" from probe_tokens where id = ${id} for update`)
  const count = findSingle(Schema.Struct({ count: Schema.Int }), () => sql`select count(*)::int as count from probes`)

  const insert = (region: RegionId, tokenId: ProbeTokenId | null, { publicKey, version }: Newcomer) =>
    Effect.gen(function*() {
      if ((yield* count()).count >= most) return refused("full")
      const id = yield* mint("prb", ProbeId)
      yield* write(sql`
        insert into probes (id, region, token_id, public_key, version, enrolled_at, last_seen_at)
        values (${id}, ${region}, ${tokenId}, ${Buffer.from(publicKey)}, ${version}, now(), now())`)
      yield* signals.send(probesSignal)
      const enrolment: Enrolment = { _tag: "Known", id, region }
      return enrolment
    })

  /** With a token of which one use is taken. A probe that asks again, because no answer reached it, takes no second one. */
  const byToken = Effect.fn("Probes.enrol")(function*(id: ProbeTokenId, newcomer: Newcomer) {
    const found = Option.getOrNull(yield* token(id))
    const before = Option.getOrNull(yield* known(newcomer.publicKey))
    if (before !== null) {
      if (before.isRevoked) return refused("revoked")
      return before.tokenId === id ? { _tag: "Known" as const, id: before.id, region: before.region } : refused("used")
    }
    if (found === null || found.isExpired) return refused("expired")
    if (found.isUsed) return refused("used")
    const enrolment = yield* insert(found.region, id, newcomer)
    if (enrolment._tag === "Known") yield* write(sql`update probe_tokens set uses_left = uses_left - 1 where id = ${id}`)
    return enrolment
  }, inTransaction(sql))

  return { byToken, without: (region: RegionId, newcomer: Newcomer) => insert(region, null, newcomer) }
})

const makeEpochs = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const signals = yield* Signals

  /** Begins an epoch in each of these regions. */
  const next = (regions: ReadonlyArray<RegionId>) =>
    Effect.zipRight(
      write(sql`
        insert into region_epochs as e (region, epoch, published)
        select distinct region, 2, 1 from unnest(${regions}::text[]) as region
        on conflict (region) do update set epoch = e.epoch + 1`),
      signals.send(probesSignal)
    )

  return {
    next,
    /** The epochs of all regions whose key was ever replaced. */
    all: findAll(RegionEpoch, () => sql`select region, epoch, published from region_epochs order by region`)(),
    /** Records that all assignments of a region are published under the key of an epoch. */
    published: (region: RegionId, epoch: number) =>
      write(sql`update region_epochs set published = greatest(published, ${epoch}::int) where region = ${region}`)
  }
})

export class Probes extends Effect.Service<Probes>()("belltower/Probes", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const enrol = yield* makeEnrol
    const epochs = yield* makeEpochs

    const revoked = findOne(Schema.Struct({ region: RegionId }), (id: ProbeId) =>
      sql`
      update probes set revoked_at = now() where id = ${id} and revoked_at is null returning region`)
    const ended = findAll(
      Schema.Struct({ region: RegionId, isRevoked: Schema.Boolean }),
      () =>
        sql`
        delete from probes where last_seen_at < (select max(last_seen_at) from probes) - make_interval(days => ${keptDays})
        returning region, revoked_at is not null as "isRevoked"`
    )

    return {
      enrol,
      epochs,
      /** All that have not ended, with those revoked. At most 10,000. */
      all: sql`
        select id, region, public_key as "publicKey", version, enrolled_at as "enrolledAt", last_seen_at as "lastSeenAt",
          revoked_at is not null as "isRevoked"
        from probes order by region, id`.pipe(Effect.flatMap(decodedOverTurns(ProbeRow)), Effect.orDie),
      /** Makes a token that enrols probes in a region. */
      createToken: (id: ProbeTokenId, region: RegionId, uses: number, days: number) =>
        write(sql`
          insert into probe_tokens (id, region, uses_left, expires_at)
          values (${id}, ${region}, ${uses}, now() + make_interval(days => ${days}))`),
      /** Records that these probes were heard, and their versions. At most one write per probe and 20 s. */
      seen: (versions: ReadonlyMap<ProbeId, string>) =>
        write(sql`
          with seen as (
            select p.id, given.version from unnest(${[...versions.keys()]}::text[], ${[...versions.values()]}::text[])
              as given (id, version)
            join probes p on p.id = given.id
            where p.last_seen_at < now() - interval '20 seconds' order by p.id for update of p skip locked
          )
          update probes p set last_seen_at = now(), version = seen.version from seen where p.id = seen.id`),
      /** Ends an identity, and the key of its region. Returns the region; none if there is no such probe that was not revoked. */
      revoke: Effect.fn("Probes.revoke")(
        (id: ProbeId) =>
          Effect.tap(revoked(id), Option.match({ onNone: () => Effect.void, onSome: ({ region }) => epochs.next([region]) })),
        inTransaction(sql)
      ),
      /** Deletes tokens that have expired, and identities that nobody has used for 30 days; their regions get other keys. */
      sweep: Effect.gen(function*() {
        yield* write(sql`delete from probe_tokens where expires_at < now() - interval '1 day'`)
        const unrevoked = (yield* ended()).filter(({ isRevoked }) => !isRevoked)
        if (unrevoked.length > 0) yield* epochs.next(unrevoked.map(({ region }) => region))
        return unrevoked.length
      }).pipe(inTransaction(sql))
    }
  })
}) {}
