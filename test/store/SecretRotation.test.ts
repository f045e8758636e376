/** Rotating the secret beside processes that go on: nothing is lost, overwritten or forgotten, wherever it is interrupted. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { InstallationKeys } from "../../src/store/InstallationKeys.ts"
import { KeyedHashes } from "../../src/store/KeyedHashes.ts"
import { formerLinksKeyName, LinkKeys } from "../../src/store/LinkKeys.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { cellOf } from "../../src/store/SealedColumns.ts"
import { checkSecret } from "../../src/store/SecretCheck.ts"
import { rotateSecret } from "../../src/store/SecretRotation.ts"
import { Vault } from "../../src/store/Vault.ts"
import { formerlySealed } from "../support/database/FormerlySealed.ts"
import { newDatabase } from "../support/database/TestDatabase.ts"
import { otherSecret as next, testSecret as first } from "../support/program/TestInstallation.ts"
import { until } from "../support/time/Until.ts"

const pool = { maxConnections: 4, applicationName: "belltower test" }

/** Processes with one secret, another, or both, on one database. */
const newPlace = Effect.gen(function*() {
  const database = Database.layer(yield* newDatabase("migrated"), pool)
  const context = yield* Layer.build(database)
  const sql = Context.get(context, SqlClient.SqlClient)
  const process = (present: string, previous: string | null = null) =>
    Layer.provideMerge(
      Vault.layer(Redacted.make(present), previous === null ? null : Redacted.make(previous)),
      Layer.succeedContext(context)
    )
  const start = (present: string, previous: string | null = null) =>
    Effect.isSuccess(Effect.provide(checkSecret("BELLTOWER_SECRET"), process(present, previous)))
  const rotate = Effect.provide(rotateSecret, process(next, first))
  return { sql, process, start, rotate }
})

const idOf = (at: number) => `mail_${String(at).padStart(6, "0")}`
const textOf = (at: number) => `what mail ${at} says`

/** Captured mails, sealed by an earlier version or by this one. */
const writeMails = Effect.fn("writeMails")(function*(count: number) {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* Vault
  const numbers = Array.from({ length: count }, (_, at) => at)
  const sealed = yield* Effect.forEach(
    numbers,
    (at) =>
      at % 2 === 0 ? Effect.succeed(formerlySealed(first, textOf(at))) : vault.seal(cellOf("mails.sealed", idOf(at)), textOf(at))
  )
  yield* sql`
    insert into mails (id, recipient, subject, sealed, priority, status, due_at, created_at)
    select id, 'ada@example.com', 'News', sealed, 1, 'captured', now(), now()
    from unnest(${numbers.map(idOf)}::text[], ${sealed}::text[]) as m (id, sealed)`
})

const readMails = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* Vault
  const rows = yield* sql<{ readonly id: string; readonly sealed: string }>`select id, sealed from mails order by id`
  return yield* Effect.forEach(rows, ({ id, sealed }) => vault.unseal(cellOf("mails.sealed", id), sealed))
})

const prefixOf = (present: string) =>
  Effect.runSync(Effect.provide(Effect.map(Vault, ({ prefix }) => prefix), Vault.layer(Redacted.make(present))))

const countSealedBy = (sql: SqlClient.SqlClient, secret: string) =>
  Effect.map(
    sql<{ readonly count: number }>`select count(*)::int as count from mails where starts_with(sealed, ${prefixOf(secret)})`,
    ([row]) => row?.count ?? 0
  )

describe("a rotation of the secret", () => {
  it.scopedLive(
    "seals all with the new one, after which the previous one opens nothing and starts nothing",
    () =>
      Effect.gen(function*() {
        const { process, rotate, start } = yield* newPlace
        expect(yield* start(first)).toBe(true)
        yield* Effect.provide(writeMails(450), process(first))
        expect([yield* start(next), yield* start(next, first), yield* start(first, next)]).toEqual([false, true, true])
        const { resealed, unreadable } = yield* rotate
        expect([resealed, unreadable]).toEqual([450 + 2, []])
        expect(yield* Effect.provide(readMails, process(next))).toEqual(Array.from({ length: 450 }, (_, at) => textOf(at)))
        expect(yield* Effect.isFailure(Effect.sandbox(Effect.provide(readMails, process(first))))).toBe(true)
        expect([yield* start(first), yield* start(next)]).toEqual([false, true])
        expect((yield* rotate).resealed).toBe(0)
      }),
    60_000
  )

  it.scopedLive(
    "that is interrupted goes on where it stopped, and until its end needs the previous one",
    () =>
      Effect.gen(function*() {
        const { process, rotate, sql, start } = yield* newPlace
        yield* start(first)
        yield* Effect.provide(writeMails(2_000), process(first))
        const running = yield* Effect.fork(rotate)
        const done = yield* until(countSealedBy(sql, next), (count) => count > 0)
        yield* Fiber.interrupt(running)
        expect(done).toBeLessThan(2_000)
        expect([yield* start(next), yield* start(next, first)]).toEqual([false, true])
        // Processes with both read all, whatever has been sealed again.
        expect(yield* Effect.provide(readMails, process(next, first))).toHaveLength(2_000)
        expect((yield* rotate).resealed).toBeLessThan(2_000)
        expect(yield* Effect.provide(readMails, process(next))).toHaveLength(2_000)
      }),
    60_000
  )

  it.scopedLive(
    "overwrites nothing that others write meanwhile, and waits for rows that somebody holds",
    () =>
      Effect.gen(function*() {
        const { process, rotate, sql, start } = yield* newPlace
        yield* start(first)
        yield* Effect.provide(writeMails(300), process(first))
        const held = yield* Deferred.make<void>()
        const release = yield* Deferred.make<void>()
        const changed = Effect.gen(function*() {
          const vault = yield* Vault
          const sealed = yield* vault.seal(cellOf("mails.sealed", idOf(7)), "what was written meanwhile")
          yield* sql`update mails set sealed = ${sealed} where id = ${idOf(7)}`
          yield* Deferred.succeed(held, undefined)
          yield* Deferred.await(release)
        }).pipe(sql.withTransaction, Effect.provide(process(first, next)))
        const writer = yield* Effect.fork(changed)
        yield* Deferred.await(held)
        const running = yield* Effect.fork(rotate)
        yield* until(countSealedBy(sql, next), (count) => count === 299)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(writer)
        expect((yield* Fiber.join(running)).resealed).toBe(300 + 2)
        const texts = yield* Effect.provide(readMails, process(next))
        expect(texts.filter((text, at) => text !== textOf(at))).toEqual(["what was written meanwhile"])
      }),
    60_000
  )

  it.scopedLive("names what neither secret opens, and leaves it as it is", () =>
    Effect.gen(function*() {
      const { process, rotate, sql, start } = yield* newPlace
      yield* start(first)
      yield* Effect.provide(writeMails(150), process(first))
      // A copy of another row's value, and one of a lost secret.
      yield* sql`update mails set sealed = (select sealed from mails where id = ${idOf(1)}) where id = ${idOf(3)}`
      yield* sql`update mails set sealed = ${formerlySealed("lost", "x")} where id = ${idOf(120)}`
      const before = yield* sql`select id, sealed from mails where id in (${idOf(3)}, ${idOf(120)})`
      expect((yield* rotate).unreadable).toEqual([`mails.sealed of ${idOf(3)}`, `mails.sealed of ${idOf(120)}`])
      expect(yield* sql`select id, sealed from mails where id in (${idOf(3)}, ${idOf(120)})`).toEqual(before)
      expect(yield* start(next)).toBe(true)
    }), 60_000)
})

describe("the keys of an installation", () => {
  const keys = Layer.merge(LinkKeys.layer, KeyedHashes.layer).pipe(Layer.provideMerge(InstallationKeys.Default))
  const hashOf = Effect.map(KeyedHashes, (hash) => hash("a target").toString("hex"))

  it.scopedLive("outlast a rotation, for processes with the new secret, the previous one or both", () =>
    Effect.gen(function*() {
      const { process, rotate, start } = yield* newPlace
      yield* start(first)
      const known = Effect.gen(function*() {
        const { key } = yield* InstallationKeys
        const signer = yield* LinkKeys
        return [yield* hashOf, signer.sign("a link"), Buffer.from(yield* key("cluster")).toString("hex")]
      }).pipe(Effect.provide(keys))
      const before = yield* Effect.provide(known, process(first))
      expect(new Set(before).size).toBe(3)
      expect(yield* Effect.provide(known, process(next, first))).toEqual(before)
      yield* rotate
      expect(yield* Effect.provide(known, process(next))).toEqual(before)
      expect(yield* Effect.provide(known, process(first, next))).toEqual(before)
    }))

  it.scopedLive("of an earlier version stay: targets are found, and links open until the secret is rotated", () =>
    Effect.gen(function*() {
      const { process, rotate, sql, start } = yield* newPlace
      yield* sql`insert into secret_check (sealed) values (${formerlySealed(first, "belltower")})`
      // Started with both, it must still be the key of the secret that was in use.
      expect(yield* start(next, first)).toBe(true)
      const former = yield* Effect.provide(
        Effect.map(
          Vault,
          (vault) => vault.openerOf(cellOf("secret_check.sealed", true), formerlySealed(first, "x"))?.formerHashing
        ),
        process(first)
      )
      const formerHash = KeyedHashes.withKey(former ?? new Uint8Array())
      const seen = Effect.gen(function*() {
        const hash = yield* KeyedHashes
        const signer = yield* LinkKeys
        const link = formerHash("oncall feed sch_1 0").toString("base64url")
        return {
          finds: hash("a target").equals(formerHash("a target")),
          opens: signer.wasSigned("oncall feed sch_1 0", link),
          admits: signer.isSigned("oncall feed sch_1 0", link),
          signsSo: signer.sign("oncall feed sch_1 0") === link
        }
      }).pipe(Effect.provide(keys))
      expect(yield* Effect.provide(seen, process(next, first))).toEqual({
        finds: true,
        opens: true,
        admits: false,
        signsSo: false
      })
      yield* rotate
      expect(yield* Effect.provide(seen, process(next))).toEqual({ finds: true, opens: false, admits: false, signsSo: false })
      expect(yield* sql`select from installation_keys where name = ${formerLinksKeyName}`).toEqual([])
    }))

  it.scopedLive("of processes that start together on a new database are the same", () =>
    Effect.gen(function*() {
      const { process, start } = yield* newPlace
      const begin = Effect.zipRight(start(first), Effect.provide(Effect.provide(hashOf, keys), process(first)))
      const hashes = yield* Effect.all(Array.from({ length: 6 }, () => begin), { concurrency: "unbounded" })
      expect(new Set(hashes).size).toBe(1)
    }))
})
