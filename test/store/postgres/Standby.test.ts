/** A server with a standby: who reads where, which commits count, and what happens to connections after a failover. */
import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Option, Redacted } from "effect"
import { register } from "prom-client"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { refusedByDatabase } from "../../../src/store/postgres/PostgresErrors.ts"
import { makeRunnerRows } from "../../../src/store/RunnerRows.ts"
import { replicatedDatabase } from "../../support/database/ReplicatedDatabase.ts"
import { newDatabase, onServer } from "../../support/database/TestDatabase.ts"
import { databaseLine } from "../../support/network/Line.ts"
import { until } from "../../support/time/Until.ts"

const options = { maxConnections: 4, applicationName: "belltower test" }

const isStandby = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ readonly standby: boolean }>`select pg_is_in_recovery() as standby`, ([row]) => row?.standby)

const readsBy = (server: string) =>
  Effect.promise(async () => {
    const metric = await register.getSingleMetric("belltower_replica_reads_total")?.get()
    return metric?.values.find(({ labels }) => labels["server"] === server)?.value ?? 0
  })

describe("a replica", () => {
  it.scopedLive("answers reads once it has what was written before; without it, or behind, the primary does", () =>
    Effect.gen(function*() {
      const { primary, promote, standby } = yield* replicatedDatabase({ confirms: false })
      const line = yield* databaseLine(primary.address())
      const replicaLine = yield* databaseLine(standby.address())
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { ping, reading } = yield* Database.Database
        const count = Effect.map(sql<{ readonly n: number }>`select count(*) as n from written`, ([row]) => row?.n)
        yield* sql`create table written (n int)`
        assert.isFalse(yield* isStandby(sql))

        // Each read sees the write before it, whoever answers.
        for (let n = 1; n <= 50; n++) {
          yield* sql`insert into written values (${n})`
          assert.strictEqual(yield* reading(count), n)
        }
        assert.isAbove(yield* readsBy("replica"), 0)
        yield* until(reading(isStandby(sql)), (isOnStandby) => isOnStandby === true)
        assert.deepStrictEqual(yield* reading(Effect.all([isStandby(sql), sql.withTransaction(isStandby(sql))])), [true, true])
        // A transaction, and a read that writes after all, belong to the primary.
        assert.isFalse(yield* sql.withTransaction(reading(isStandby(sql))))
        yield* reading(sql`insert into written values (51)`)

        yield* standby.ask("select pg_wal_replay_pause()")
        yield* sql`insert into written values (52)`
        assert.deepStrictEqual(yield* reading(Effect.all([count, isStandby(sql)])), [52, false])
        yield* standby.ask("select pg_wal_replay_resume()")
        yield* until(reading(isStandby(sql)), (isOnStandby) => isOnStandby === true)

        yield* replicaLine.cut
        assert.deepStrictEqual(yield* reading(Effect.all([count, isStandby(sql)])), [52, false])
        yield* replicaLine.mend
        yield* until(reading(isStandby(sql)), (isOnStandby) => isOnStandby === true, "10 seconds")

        // Status pages are served from the replica while there is no primary.
        yield* line.cut
        yield* primary.kill
        assert.deepStrictEqual(yield* reading(Effect.all([count, isStandby(sql)])), [52, true])
        assert.isTrue(Option.isNone(yield* Effect.option(ping)))

        // A server that was promoted is no replica: only the address of the primary says which server counts.
        yield* promote
        yield* line.moveTo(standby.target)
        yield* line.mend
        yield* until(Effect.exit(sql`insert into written values (53)`), (exit) => exit._tag === "Success", "10 seconds")
        const before = yield* readsBy("replica")
        assert.strictEqual(yield* reading(count), 53)
        assert.strictEqual(yield* readsBy("replica"), before)
      }).pipe(Effect.provide(Database.layer(line.address, { ...options, replica: replicaLine.address })))
    }))
})

describe("a commit that the standby does not confirm", () => {
  it.scopedLive("is not answered as done, although the server says so; the health says why, and runners keep their shards", () =>
    Effect.gen(function*() {
      const { primary, standby } = yield* replicatedDatabase({ confirms: true })
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { ping } = yield* Database.Database
        const { lock, refresh } = yield* makeRunnerRows({ answer: Duration.seconds(5), expiry: Duration.seconds(10) })
        yield* sql`create table written (n int)`
        yield* sql`create table cluster_runners (address text, last_heartbeat timestamptz)`
        yield* sql`create table cluster_locks (shard_id text primary key, address text, acquired_at timestamptz)`
        yield* standby.kill
        for (const insert of [sql`insert into written values (1)`, sql.withTransaction(sql`insert into written values (2)`)]) {
          const commit = yield* Effect.exit(insert)
          assert.isTrue(commit._tag === "Failure" && refusedByDatabase(commit.cause))
          assert.match((yield* Effect.flip(ping)).message, /standby of the database does not confirm commits/)
        }
        // They are stored, and a failover would have lost them.
        const rows = yield* sql`select n from written order by n`
        assert.deepStrictEqual(rows, [{ n: 1 }, { n: 2 }])
        assert.deepStrictEqual(yield* lock("127.0.0.1:1", ["default:1"]), ["default:1"])
        assert.deepStrictEqual(yield* refresh("127.0.0.1:1", ["default:1"]), ["default:1"])
      }).pipe(Effect.provide(Database.layer(primary.address(), { ...options, silence: 900 })))
    }))
})

describe("a server that became read-only", () => {
  it.scopedLive("loses its connections, gets no new ones, and is used again when it takes writes", () =>
    Effect.gen(function*() {
      const address = yield* newDatabase("empty")
      const name = new URL(Redacted.value(address)).pathname.slice(1)
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { ping } = yield* Database.Database
        const isReadOnly = (mode: "on" | "off") =>
          onServer((other) => other`alter database ${other(name)} set default_transaction_read_only = ${other.literal(mode)}`)
        yield* sql`create table written (n int)`
        const onBoth = (text: string) =>
          Effect.all([1, 2].map(() => sql.unsafe(`select ${text}, pg_sleep(0.2)`)), { concurrency: "unbounded" })
        yield* onBoth("1")
        yield* isReadOnly("on")
        // As a primary that is demoted without a restart: its sessions are read-only from now on.
        yield* onBoth("set_config('default_transaction_read_only', 'on', false)")
        assert.strictEqual((yield* Effect.exit(sql`insert into written values (1)`))._tag, "Failure")
        const refusal = yield* Effect.flip(sql`select 1`)
        assert.match(String(refusal.cause), /read-only/)
        assert.match((yield* Effect.flip(ping)).message, /read-only, as a standby is\. Point DATABASE_URL at the primary/)
        yield* isReadOnly("off")
        yield* sql`insert into written values (2)`
        assert.deepStrictEqual(yield* sql`select n from written`, [{ n: 2 }])
      }).pipe(Effect.provide(Database.layer(address, options)))
    }))
})
