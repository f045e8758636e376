/**
 * Sealed values against somebody who can write to the database, or has read it once: a value opens in its own row and column only, and
 * none is forgotten when the secret is rotated.
 */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { DateTime, Effect, Either, Layer, Schema } from "effect"
import { createECDH, randomBytes } from "node:crypto"
import { EmailAddress } from "../../schema/people/Person.ts"
import * as MailSetup from "../../src/store/mail/MailSetup.ts"
import { Wakeups } from "../../src/store/postgres/Wakeups.ts"
import { cellOf, type KeyPart, type SealedColumn, sealedColumns } from "../../src/store/SealedColumns.ts"
import { UpstreamAlerts } from "../../src/store/upstream/UpstreamAlerts.ts"
import { Vault } from "../../src/store/Vault.ts"
import { bootstrapped, forgetLimits, newAddress, newOwner, newVisitor } from "../support/browser/Visitor.ts"
import { formerlySealed } from "../support/database/FormerlySealed.ts"
import { programKeys, programOf } from "../support/program/Program.ts"
import { testSecret } from "../support/program/TestInstallation.ts"

const columns = Object.keys(sealedColumns).filter((name): name is SealedColumn => name in sealedColumns)
const keyOf: Readonly<Record<SealedColumn, ReadonlyArray<string>>> = sealedColumns

/** The values of a column with the places that they should be sealed for. */
const valuesOf = Effect.fn("valuesOf")(function*(column: SealedColumn) {
  const sql = yield* SqlClient.SqlClient
  const [table = "", name = ""] = column.split(".")
  const key = keyOf[column]
  const rows = yield* sql<Readonly<Record<string, KeyPart>>>`
    select ${sql.csv(key.map((part) => sql.literal(part)))}, ${sql.literal(name)} as value
    from ${sql.literal(table)} where ${sql.literal(name)} is not null`
  return rows.map((row) => ({
    place: cellOf(column, ...key.flatMap((part) => row[part] ?? [])),
    sealed: String(row["value"])
  }))
})

/** Values that belong to no workspace, by the services that the program uses. */
const byServices = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into upstream_services (service, tracked_since) values ('acme', now())`
  const alerts = yield* UpstreamAlerts
  yield* alerts.ask({ service: "acme", component: "api" }, Schema.decodeSync(EmailAddress)(newAddress()), yield* DateTime.now)
  const setup = yield* MailSetup.MailSetup
  yield* setup.save({
    host: "127.0.0.1",
    port: 9,
    tls: "none",
    user: "mail",
    password: "pa55word",
    from: "Bell <bell@belltower.example>"
  })
}).pipe(
  Effect.provide(
    Layer.merge(UpstreamAlerts.Default, Layer.fresh(MailSetup.layer).pipe(Layer.provide(Layer.fresh(Wakeups.Default)))).pipe(
      Layer.provideMerge(programKeys)
    )
  ),
  Effect.scoped
)

/** One of everything that is sealed, by the interface where there is one. */
const oneOfEach = Effect.gen(function*() {
  const { key, visitor } = yield* newOwner()
  yield* bootstrapped
  const call = (path: string, body: unknown, more: Record<string, string> = {}) =>
    Effect.map(visitor.api("POST", path, body, { authorization: `Bearer ${key}`, ...more }), (answer) => {
      expect([path, answer.status, answer.status < 300 ? "" : answer.text]).toEqual([path, answer.status, ""])
      return answer.body
    })
  const headers = { authorization: "Bearer a-secret-of-the-target" }
  yield* call("/channels", { name: "Ops", type: "webhook", url: "https://hooks.example.com/a", headers })
  yield* call("/monitors", { name: "Shop", url: "https://shop.example.com/", headers, paused: true })
  yield* call("/monitors", { name: "Backup", periodSec: 3600 })
  yield* call("/ping-key", {})
  const page = yield* call("/pages", { name: "Acme" })
  yield* call(`/pages/${page.id}/components`, { name: "API", push: true })
  yield* call("/plan", { document: { version: 1, monitors: [] } })
  yield* call("/import/preview", { source: "belltower", document: { version: 1, monitors: [] } })
  yield* call("/api-keys", { name: "deploys" }, { "idempotency-key": "once" })
  yield* visitor.api("POST", "/me/2fa/setup")
  const { body: { user } } = yield* visitor.api("GET", "/me")
  const device = yield* visitor.api("POST", `/oncall/members/${user.id}/ways`, {
    kind: "push",
    endpoint: "https://127.0.0.1/device",
    p256dh: createECDH("prime256v1").generateKeys().toString("base64url"),
    auth: randomBytes(16).toString("base64url")
  })
  expect([device.status, device.text]).toEqual([201, device.text])
  yield* forgetLimits
  const stranger = yield* newVisitor
  yield* stranger.submit(`/s/${page.slug}?subscribe`, { type: "email", email: newAddress() })
  yield* stranger.submit("/sign-in", { email: newAddress(), next: "/app/security" })
  yield* byServices
})

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }), { excludeTestServices: true, timeout: "120 seconds" })(
  "a sealed value",
  (it) => {
    it.effect("opens in its own row and column, and nowhere else", () =>
      Effect.gen(function*() {
        yield* oneOfEach
        const all = yield* Effect.forEach(columns, valuesOf)
        expect(columns.filter((_, at) => all[at]?.length === 0)).toEqual([])
        const vault = yield* Vault
        const values = all.flat()
        for (const { place, sealed } of values) {
          expect([place.column, sealed.startsWith(vault.prefix), Either.isRight(vault.unsealed(place, sealed))])
            .toEqual([place.column, true, true])
          // Somebody who can write rows copies it into one that they may read.
          const elsewhere = values.filter((other) => other.place.column !== place.column || other.place.row !== place.row)
          expect(elsewhere.filter((other) => Either.isRight(vault.unsealed(other.place, sealed)))).toEqual([])
        }
      }).pipe(Effect.provide(programKeys)))

    it.effect("of an earlier version opens still", () =>
      Effect.gen(function*() {
        const vault = yield* Vault
        expect(yield* vault.unseal(cellOf("mails.sealed", "mail_1"), formerlySealed(testSecret, "what was said"))).toBe(
          "what was said"
        )
        expect(Either.isLeft(vault.unsealed(cellOf("mails.sealed", "mail_1"), formerlySealed("another", "what was said")))).toBe(
          true
        )
      }).pipe(Effect.provide(programKeys)))

    describe("is in a column of the list", () => {
      it.effect("which has every column of the schema that is named so, with the primary key of its table", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const named = yield* sql<{ readonly name: string }>`
            select table_name || '.' || column_name as name from information_schema.columns
            where table_schema = 'public' and column_name ~ '(^|_)sealed$' order by 1`
          const listed: ReadonlyArray<string> = columns
          expect(named.map(({ name }) => name).filter((name) => !listed.includes(name))).toEqual([])
          for (const column of columns) {
            const [table = "", name = ""] = column.split(".")
            const [found] = yield* sql<{ readonly key: ReadonlyArray<string>; readonly type: string }>`
              select (
                select json_agg(a.attname order by array_position(i.indkey::int[], a.attnum::int))
                from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
                where i.indrelid = ${table}::regclass and i.indisprimary
              ) as key, (
                select data_type from information_schema.columns where table_name = ${table} and column_name = ${name}
              ) as type`
            expect([column, found]).toEqual([column, { key: [...keyOf[column]], type: "text" }])
          }
        }))
    })
  }
)
