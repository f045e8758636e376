/** Each check of the doctor beside what works and what is broken. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, Effect, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { diagnose } from "../../src/doctor/Doctor.ts"
import type { Role } from "../../src/domain/program/RoleOptions.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { checkSecret } from "../../src/store/SecretCheck.ts"
import { Vault } from "../../src/store/Vault.ts"
import { canRunPgBouncer, startPgBouncer } from "../support/database/PgBouncer.ts"
import { canMount, smallDisk } from "../support/database/SmallDisk.ts"
import { newDatabase, onServer } from "../support/database/TestDatabase.ts"
import { freePort } from "../support/network/FreePort.ts"
import { otherSecret, testSecret } from "../support/program/TestInstallation.ts"
import { localMail } from "../support/services/LocalMail.ts"
import { localTwilio, twilioAccount } from "../support/services/LocalTwilio.ts"

const closedPort = "127.0.0.1:9"

/** A folder of ours, removed with the scope. */
const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "belltower-doctor-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

type Environment = Readonly<Record<string, string>>

/** Findings of the doctor, by check. No check of this file reaches the internet. */
const examined = Effect.fn("examined")(function*(role: Role, environment: Environment) {
  const all = yield* diagnose(role, {
    PORT: "0",
    BELLTOWER_HOST: "127.0.0.1",
    BELLTOWER_DATA_DIR: yield* folder,
    BELLTOWER_RDAP_URL: "https://127.0.0.1/",
    ...environment
  })
  const by = Arr.groupBy(all, ({ check }) => check)
  const of = (check: string) => by[check] ?? []
  return {
    all,
    states: (check: string) => of(check).map(({ state }) => state),
    said: (check: string) => of(check).map(({ advice, found }) => `${found} ${advice}`).join("; ")
  }
})

const onDatabase = <A, E>(address: Redacted.Redacted, use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provide(use, Database.layer(address, { maxConnections: 1, applicationName: "belltower test" }))

/** A database that a server has started on. */
const usedDatabase = Effect.gen(function*() {
  const address = yield* newDatabase("migrated")
  yield* onDatabase(address, Effect.provide(checkSecret("The secret"), Vault.layer(Redacted.make(testSecret))))
  return address
})

const apiOn = (address: Redacted.Redacted): Environment => ({
  DATABASE_URL: Redacted.value(address),
  BELLTOWER_SECRET: testSecret
})

const databaseChecks = [
  "database",
  "database rights",
  "database clock",
  "connections",
  "durability",
  "upkeep",
  "replication slots",
  "migrations",
  "secret",
  "notifications"
]

describe("the doctor of a database", () => {
  it.scopedLive("finds nothing wrong with one that a server uses, and leaves it as it is", () =>
    Effect.gen(function*() {
      const address = yield* usedDatabase
      const rows = onDatabase(
        address,
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql`select (select count(*)::int from secret_check) as checks, (select count(*)::int from installation_keys) as keys,
                (select count(*)::int from pg_class) as classes`)
      )
      const before = yield* rows
      const { said, states } = yield* examined("api", apiOn(address))
      // The test server does not flush, to be fast.
      const unsafe = /fsync is off|synchronous_commit is off|full_page_writes is off/
      for (const check of databaseChecks) {
        expect([check, check === "durability" && unsafe.test(said(check)) ? ["ok"] : states(check), said(check)])
          .toEqual([check, ["ok"], said(check)])
      }
      expect(said("database")).toMatch(/^PostgreSQL \d+\S* at .* answers in \d+ ms, with the encoding UTF8/)
      expect(yield* rows).toEqual(before)
    }))

  it.scopedLive("names a server that does not answer, and skips the rest", () =>
    Effect.gen(function*() {
      const { said, states } = yield* examined("api", {
        DATABASE_URL: `postgres://bell:hunter22hunter22@${closedPort}/bell`,
        BELLTOWER_SECRET: testSecret
      })
      expect([states("database"), states("migrations"), states("notifications")]).toEqual([["failed"], ["skipped"], ["skipped"]])
      expect(said("database")).toMatch(/ECONNREFUSED.*Check DATABASE_URL/)
    }))

  it.scopedLive("names what a user may not do, another secret, and migrations that lack", () =>
    Effect.gen(function*() {
      const [used, empty] = [yield* usedDatabase, yield* newDatabase("empty")]
      const user = `doctor_${randomUUID().slice(0, 8)}`
      yield* Effect.acquireRelease(
        onServer((sql) => sql.unsafe(`create role ${user} login password 'hunter22hunter22' connection limit 5`)),
        () => onServer((sql) => sql.unsafe(`drop role ${user}`))
      )
      const url = new URL(Redacted.value(used))
      Object.assign(url, { username: user, password: "hunter22hunter22" })
      const poor = yield* examined("api", { DATABASE_URL: url.href, BELLTOWER_SECRET: testSecret })
      expect([poor.states("database"), poor.states("database rights"), poor.states("connections")])
        .toEqual([["ok"], ["failed", "failed"], ["failed"]])
      expect(poor.said("database rights")).toMatch(/may not create tables in the schema public.*may not read and write: \d+/)
      expect(poor.said("connections")).toContain("of 5 connections")
      const strange = yield* examined("api", { ...apiOn(used), BELLTOWER_SECRET: otherSecret })
      expect(strange.states("secret")).toEqual(["failed"])
      expect(strange.said("secret")).toContain("BELLTOWER_SECRET is not the secret that this database is sealed with")
      const without = yield* examined("api", { DATABASE_URL: Redacted.value(used) })
      expect([without.states("secret"), without.said("secret")])
        .toEqual([["failed"], expect.stringContaining("BELLTOWER_SECRET is required with DATABASE_URL")])
      const fresh = yield* examined("api", apiOn(empty))
      const refusing = yield* examined("api", { ...apiOn(empty), BELLTOWER_MIGRATE: "off" })
      expect([fresh.states("migrations"), refusing.states("migrations"), fresh.states("secret")])
        .toEqual([["warning"], ["failed"], ["ok"]])
      const { port } = yield* listener
      const runner = { KAFKA_BROKERS: closedPort, BELLTOWER_RUNNER_HOST: "127.0.0.1", BELLTOWER_RUNNER_PORT: String(port) }
      const first = yield* examined("runner", { ...apiOn(empty), ...runner })
      // No runner of ours can be there.
      expect([first.states("runners"), first.states("runner port")]).toEqual([["skipped"], ["failed"]])
    }))

  it.scopedLive("names a database that is read-only, as a standby is, and a transaction that stays open", () =>
    Effect.gen(function*() {
      const address = yield* usedDatabase
      const name = new URL(Redacted.value(address)).pathname.slice(1)
      yield* onServer((sql) => sql`alter database ${sql(name)} set default_transaction_read_only = on`)
      const { said, states } = yield* examined("api", apiOn(address))
      expect([states("database"), said("database")]).toEqual([["failed"], expect.stringContaining("The database is read-only")])
    }))

  describe.skipIf(!canRunPgBouncer())("behind PgBouncer", () => {
    it.scopedLive("learns that transaction mode loses notifications, and that session mode does not", () =>
      Effect.gen(function*() {
        const address = yield* usedDatabase
        const through = Effect.fnUntraced(function*(mode: string) {
          const { pathname, username } = new URL(Redacted.value(address))
          const port = yield* startPgBouncer([`pool_mode = ${mode}`])
          return yield* examined("api", apiOn(Redacted.make(`postgresql://${username}@127.0.0.1:${port}${pathname}`)))
        })
        const [transaction, session] = [yield* through("transaction"), yield* through("session")]
        expect([transaction.states("notifications"), session.states("notifications")]).toEqual([["failed"], ["ok"]])
        expect(transaction.said("notifications").split("pool_mode = session")).toHaveLength(2)
        expect(session.states("migrations")).toEqual(["ok"])
      }))
  })
})

describe("the doctor of a mail server", () => {
  it.scopedLive("connects and signs in as for a mail, and sends none", () =>
    Effect.gen(function*() {
      const mail = yield* localMail(0, "hunter22hunter22")
      const at = (password: string) => examined("api", { SMTP_URL: `smtp://bell:${password}@127.0.0.1:${mail.port}` })
      const [right, wrong] = [yield* at("hunter22hunter22"), yield* at("correct-horse")]
      expect([right.states("mail"), wrong.states("mail"), mail.received.length]).toEqual([["ok"], ["failed"], 0])
      expect(wrong.said("mail")).toContain("refused the user name or the password")
      // The server repeats the password that it was sent.
      expect(JSON.stringify(wrong.all)).not.toContain("correct-horse")
      const away = yield* examined("api", { SMTP_URL: `smtp://${closedPort}` })
      expect(away.states("mail")).toEqual(["failed"])
      expect((yield* examined("api", {})).states("mail")).toEqual(["skipped"])
    }))
})

describe("the doctor of texts and calls", () => {
  it.scopedLive("tries the account, and sends nothing", () =>
    Effect.gen(function*() {
      const twilio = yield* localTwilio
      const at = (token: string, url = twilio.url) =>
        examined("api", {
          BELLTOWER_TWILIO_ACCOUNT_SID: twilioAccount.sid,
          BELLTOWER_TWILIO_AUTH_TOKEN: token,
          BELLTOWER_TWILIO_FROM: "+15005550006",
          BELLTOWER_TWILIO_URL: url
        })
      const [right, wrong] = [yield* at(twilioAccount.token), yield* at("correct-horse")]
      expect([right.states("phones"), wrong.states("phones"), twilio.orders.length]).toEqual([["ok"], ["failed"], 0])
      expect(wrong.said("phones")).toContain("does not take the account and the token: it answered 401")
      expect(JSON.stringify(wrong.all)).not.toContain("correct-horse")
      expect((yield* at(twilioAccount.token, `http://${closedPort}`)).states("phones")).toEqual(["failed"])
      expect((yield* examined("api", {})).states("phones")).toEqual(["skipped"])
    }))
})

/** A program of somebody else that listens at a port, and says nothing. */
const listener = Effect.acquireRelease(
  Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
    const server = createServer((socket) => socket.unref()).listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed({
        port: typeof address === "object" && address !== null ? address.port : 0,
        close: () => void server.close()
      }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

describe("the doctor of a machine", () => {
  it.scopedLive("names ports that another program has, names that do not resolve, and addresses that do not answer", () =>
    Effect.gen(function*() {
      const { port } = yield* listener
      const brokers = { KAFKA_BROKERS: "broker.invalid:9092", DATABASE_URL: `postgres://bell@${closedPort}/bell` }
      const { said, states } = yield* examined("runner", {
        ...brokers,
        BELLTOWER_SECRET: testSecret,
        PORT: String(port),
        BELLTOWER_RUNNER_HOST: "127.0.0.1",
        BELLTOWER_RUNNER_PORT: String(port),
        BELLTOWER_URL: `http://${closedPort}`
      })
      expect([states("port"), states("runner port"), states("dns"), states("address"), states("kafka")])
        .toEqual([["failed"], ["warning"], ["failed"], ["warning"], ["failed"]])
      expect(said("port")).toContain(`127.0.0.1:${port} (PORT): EADDRINUSE Stop what listens there`)
      // It may be the runner, which only the database can tell.
      expect(said("runner port")).toContain(`Something listens on 127.0.0.1:${port} (BELLTOWER_RUNNER_PORT)`)
      expect([states("runners"), said("runners")]).toEqual([["skipped"], expect.stringContaining("database and secret")])
      expect(said("dns")).toContain("broker.invalid does not resolve")
      const free = yield* examined("all", { PORT: String(yield* freePort) })
      expect([free.states("port"), free.states("database"), free.states("kafka")]).toEqual([["ok"], ["skipped"], ["skipped"]])
    }))

  it.scopedLive("says how a probe is isolated, and that it needs a token", () =>
    Effect.gen(function*() {
      const { said, states } = yield* examined("probe", {
        KAFKA_BROKERS: closedPort,
        BELLTOWER_ISOLATION: "best",
        BELLTOWER_CANARIES: closedPort,
        BELLTOWER_CHROMIUM: "/nowhere/chromium",
        HTTPS_PROXY: "http://proxy.example.com:3128"
      })
      expect(states("isolation")).toHaveLength(1)
      expect(said("isolation")).toMatch(/^Scripts get /)
      expect([states("identity"), states("chromium"), states("kafka")]).toEqual([["failed"], ["failed"], ["failed"]])
      expect(said("identity")).toContain("BELLTOWER_PROBE_TOKEN")
      expect(said("egress")).toMatch(/canaries 127\.0\.0\.1:9 cannot be reached.*HTTPS_PROXY is set, and is not used/)
    }))

  it.scopedLive("names a data folder that cannot be one", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "file")
      writeFileSync(file, "")
      for (const path of [file, join(file, "below")]) {
        const { said, states } = yield* examined("all", { BELLTOWER_DATA_DIR: path })
        expect([states("data folder"), said("data folder")]).toEqual([["failed"], expect.stringContaining("is no folder")])
      }
      expect((yield* examined("all", {})).states("data folder")).not.toEqual(["failed"])
    }))

  describe.skipIf(!canMount())("on a small disk", () => {
    it.scopedLive("says that it is nearly full", () =>
      Effect.gen(function*() {
        const path = yield* smallDisk(8)
        const { said, states } = yield* examined("all", { BELLTOWER_DATA_DIR: path })
        expect([states("data folder"), said("data folder")]).toEqual([["failed"], expect.stringContaining("8 MB of 8 MB free")])
      }))
  })

  it.scopedLive("says all that is wrong with the settings", () =>
    Effect.gen(function*() {
      const { all, states } = yield* examined("api", { PORT: "abc", DATABASE_POOL: "0", BELLTOWER_ALOW_TARGETS: "1" })
      expect(states("settings")).toEqual(["failed", "failed", "failed", "failed", "failed", "warning"])
      expect(all).toHaveLength(6)
    }))
})
