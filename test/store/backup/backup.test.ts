/** Backups hold everything, and a restore gives it back or refuses. */
import { SqlClient } from "@effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Option, Redacted, Scope } from "effect"
import { randomBytes } from "node:crypto"
import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Client } from "pg"
import { headLength } from "../../../src/domain/backup/BackupChunks.ts"
import { type BackupRecord, makeTally } from "../../../src/domain/backup/BackupRecords.ts"
import { type BackupKey, readBackup, verifyBackup, writeBackup } from "../../../src/store/backup/BackupFile.ts"
import { beginDump } from "../../../src/store/backup/DumpDatabase.ts"
import { acquireClient, fillFromBackup } from "../../../src/store/backup/FillDatabase.ts"
import { loadRecords } from "../../../src/store/backup/LoadBackup.ts"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { verify } from "../../../src/store/postgres/Migrations.ts"
import { canMount, smallDisk } from "../../support/database/SmallDisk.ts"
import { newDatabase } from "../../support/database/TestDatabase.ts"
import { otherSecret, testSecret } from "../../support/program/TestInstallation.ts"
import { contentsOf, fillEveryTable } from "./FilledDatabase.ts"

const key: BackupKey = Option.some(Redacted.make(testSecret))
const none: BackupKey = Option.none()

/** Not a name of a process of the service. */
const layerOf = (address: Redacted.Redacted, applicationName = "test of backups") =>
  Database.layer(address, { maxConnections: 3, applicationName })

const newFile = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "belltower-backup-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  ),
  (folder) => join(folder, "belltower.backup")
)

const backUp = (path: string) =>
  Effect.scoped(Effect.gen(function*() {
    const client = yield* acquireClient
    const dump = yield* Effect.promise(() => beginDump(client))
    yield* writeBackup(path, key, dump.records(() => {}))
  }))

const sourceOf = (path: string, with_: BackupKey = key, allowsPlain = false) => ({ path, key: with_, allowsPlain })

interface Wish {
  readonly replaces?: boolean
  readonly isStill?: boolean
}

/** `alter` changes the records on their way. */
const restore = (
  path: string,
  { isStill = true, replaces = false }: Wish = {},
  alter: (records: AsyncIterable<BackupRecord>) => AsyncIterable<BackupRecord> = (records) => records
) =>
  Effect.gen(function*() {
    const { head } = yield* verifyBackup(sourceOf(path))
    const load = (client: Client) => readBackup(sourceOf(path), (records) => loadRecords(client, head, alter(records), () => {}))
    return yield* fillFromBackup(head, { replaces, isStill, hasNewBrokers: false }, load)
  })

const smallRows = Buffer.from("1\n2\n")
const smallTally = makeTally("t")
smallTally.add(smallRows)
const smallCounts = [smallTally.count()]

/** A backup of one table of two rows. */
async function* small(): AsyncGenerator<BackupRecord> {
  const head = { programVersion: "1.0.0", takenAt: DateTime.unsafeMake(0), migrations: [], partitions: [], sequences: [] }
  yield { _tag: "Head", head }
  yield { _tag: "Table", table: { name: "t", columns: ["a"] } }
  yield { _tag: "Rows", bytes: smallRows }
  yield { _tag: "End", end: { tables: smallCounts } }
}

const messageOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(work), (error) => error instanceof Error ? error.message : String(error))

/** A backup of a database in which every table has a row. */
const makeBackup = Effect.gen(function*() {
  const path = yield* newFile
  const address = yield* newDatabase("migrated")
  yield* Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* fillEveryTable
    // What COPY has to escape, and a partition of the past.
    yield* sql`update workspaces set name = ${"tab\t line\n\\N \\. \r ü 🔔 \" end"}, agent_name = null`
    yield* sql`
      create table checks_2026010203 partition of checks
      for values from ('2026-01-02T03:00:00Z') to ('2026-01-02T04:00:00Z') with (autovacuum_enabled = false)`
    yield* sql`
      insert into checks (id, at, workspace_id, monitor_id, region, outcome, counted)
      select 'chk' || n, timestamptz '2026-01-02T03:00:00Z' + n * interval '1 second', 'x', 'x', 'main', 'up', true
      from generate_series(1, 3000) n`
    yield* backUp(path)
  }).pipe(Effect.provide(layerOf(address)))
  return { path, address }
})

const scope = Effect.runSync(Scope.make())
let made: Effect.Effect.Success<typeof makeBackup>
beforeAll(async () => {
  made = await Effect.runPromise(Scope.extend(makeBackup, scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** A copy of it, which a test may damage. */
const newBackup = Effect.tap(
  Effect.map(newFile, (path) => ({ path, address: made.address })),
  ({ path }) => Effect.promise(() => copyFile(made.path, path))
)

describe("a backup", () => {
  it.scopedLive("is refused with another key, without its key, and wherever it was cut, changed or added to", () =>
    Effect.gen(function*() {
      const { path } = yield* newBackup
      const bytes = yield* Effect.promise(() => readFile(path))
      expect(bytes.includes("generate")).toBe(false)
      const failure = (with_: BackupKey) => messageOf(verifyBackup(sourceOf(path, with_, true)))
      expect(yield* failure(Option.some(Redacted.make(otherSecret)))).toContain("BELLTOWER_BACKUP_KEY is not the key")
      expect(yield* failure(none)).toContain("It is encrypted")
      const changedTo = (content: Buffer) => Effect.zipRight(Effect.promise(() => writeFile(path, content)), failure(key))
      for (const length of [0, headLength - 1, headLength, headLength + 3, bytes.length >> 1, bytes.length - 1]) {
        expect(yield* changedTo(bytes.subarray(0, length))).toMatch(/It ends in the middle|It is not a backup/)
      }
      for (const at of [0, headLength - 1, headLength, headLength + 2, bytes.length >> 1, bytes.length - 1]) {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ 1
        expect(yield* changedTo(changed)).toMatch(/It was changed|It is not a backup|It ends in the middle/)
      }
      expect(yield* changedTo(Buffer.concat([bytes, Buffer.of(0)]))).toContain("bytes behind its end")
      yield* Effect.promise(() => writeFile(path, bytes))
      yield* verifyBackup(sourceOf(path))
    }))

  it.scopedLive("that is not encrypted is read only if the operator says so", () =>
    Effect.gen(function*() {
      const path = yield* newFile
      yield* writeBackup(path, none, small())
      expect(yield* messageOf(verifyBackup(sourceOf(path, key)))).toContain("Add --plain")
      expect((yield* verifyBackup(sourceOf(path, key, true))).tables).toEqual(smallCounts)
      const bytes = yield* Effect.promise(() => readFile(path))
      bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1
      yield* Effect.promise(() => writeFile(path, bytes))
      expect(yield* messageOf(verifyBackup(sourceOf(path, none, true)))).toContain("its checksums do not fit")
    }))

  it.scopedLive("has its name only once it is complete, only its owner reads it, and it replaces none", () =>
    Effect.gen(function*() {
      const path = yield* newFile
      const names = Effect.promise(() => readdir(join(path, "..")))
      async function* broken(): AsyncGenerator<BackupRecord> {
        yield { _tag: "Table", table: { name: "t", columns: [] } }
        while ((await readdir(join(path, ".."))).length === 0) continue
        throw new Error("the server has gone")
      }
      expect(yield* messageOf(writeBackup(path, key, broken()))).toBe("The backup failed: the server has gone")
      expect(yield* names).toEqual([])
      yield* writeBackup(path, key, small())
      const { mode } = yield* Effect.promise(() => stat(path))
      expect(mode & 0o777).toBe(0o600)
      const first = yield* Effect.promise(() => readFile(path))
      expect(yield* messageOf(writeBackup(path, key, small()))).toContain("EEXIST")
      expect(yield* Effect.promise(() => readFile(path))).toEqual(first)
      expect(yield* names).toEqual(["belltower.backup"])
    }))
})

describe.skipIf(!canMount())("a backup on a full disk", () => {
  it.scopedLive("leaves nothing behind, and says so", () =>
    Effect.gen(function*() {
      const path = join(yield* smallDisk(1), "belltower.backup")
      async function* endless(): AsyncGenerator<BackupRecord> {
        for (;;) yield { _tag: "Rows", bytes: randomBytes(65_536) }
      }
      expect(yield* messageOf(writeBackup(path, key, endless()))).toContain("The backup failed: ENOSPC")
      expect(yield* Effect.promise(() => readdir(join(path, "..")))).toEqual([])
    }))
})

/** Tables about processes, which a restored database has none of, and that of its backup. */
const ofProcesses = ["cluster_locks", "cluster_runners", "listeners", "open_streams", "stream_processes", "live_watchers"]
const except = ["backups", ...ofProcesses]

async function* machineStops(records: AsyncIterable<BackupRecord>): AsyncGenerator<BackupRecord> {
  for await (const record of records) {
    if (record._tag === "Table" && record.table.name === "channels") throw new Error("the machine stopped")
    yield record
  }
}

async function* withoutRegions(records: AsyncIterable<BackupRecord>): AsyncGenerator<BackupRecord> {
  let table = ""
  for await (const record of records) {
    if (record._tag === "Table") table = record.table.name
    if (record._tag !== "Rows" || table !== "regions") yield record
  }
}

describe("a restore", () => {
  it.scopedLive("replaces a database if told so, starts none that lacks rows, and gives back all that there was", () =>
    Effect.gen(function*() {
      const { address, path } = yield* newBackup
      const before = yield* Effect.provide(contentsOf(except), layerOf(address))
      expect(before.rows.filter((row) => row?.rows === 0)).toEqual([])
      expect(before.rows.length).toBeGreaterThan(80)
      yield* Effect.gen(function*() {
        expect(yield* messageOf(restore(path))).toContain("Add --replace")
        expect(yield* messageOf(restore(path, { replaces: true }, machineStops))).toContain("the machine stopped")
        expect(yield* messageOf(verify)).toContain("has not finished")
        expect(yield* messageOf(restore(path, {}, withoutRegions))).toContain("regions took 0 rows, not 1")
        expect(yield* messageOf(verify)).toContain("has not finished")
        const { tables } = yield* restore(path)
        yield* verify
        expect(tables.length).toBe(before.rows.length + except.length)
        const sql = yield* SqlClient.SqlClient
        for (const name of ofProcesses) expect([name, yield* sql`select from ${sql(name)}`]).toEqual([name, []])
        // Rows, sequences, partitions, indexes, references and triggers.
        expect(yield* contentsOf(except)).toEqual(before)
      }).pipe(Effect.provide(layerOf(yield* newDatabase("migrated"))))
    }))

  it.scopedLive("is refused into tables of another program, while a process runs, and of a newer version", () =>
    Effect.gen(function*() {
      const { path } = yield* newBackup
      const target = yield* newDatabase("empty")
      const { head } = yield* verifyBackup(sourceOf(path))
      const later = { ...head, migrations: [...head.migrations, { name: "9000_later", checksum: "x", appliedBy: "9000_later" }] }
      const wish = { replaces: false, isStill: true, hasNewBrokers: false }
      expect(yield* messageOf(Effect.provide(fillFromBackup(later, wish, () => Effect.dieMessage("It loads")), layerOf(target))))
        .toContain("Restore it with that version or a newer one")
      yield* Effect.gen(function*() {
        yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create table theirs (a int)`)
        const message = yield* messageOf(Effect.provide(restore(path), layerOf(target)))
        expect(message).toContain("Processes of Belltower use this database (connections named belltower runner 10.0.0.1:34431)")
      }).pipe(Effect.provide(layerOf(target, "belltower runner 10.0.0.1:34431")))
      expect(yield* messageOf(Effect.provide(restore(path, { replaces: true }), layerOf(target)))).toContain("another program")
    }))
})
