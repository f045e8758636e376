/** Recovery to a point in time as docs/operations.md describes it: a base backup, an archive of the WAL, and the last command. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { execFile } from "node:child_process"
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { Client } from "pg"
import { lastSignOfLife, settleRestore } from "../../../src/store/backup/SettleRestore.ts"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { addressOf, makeEmbeddedPostgres } from "../../../src/store/postgres/embedded/EmbeddedPostgres.ts"
import { migrate } from "../../../src/store/postgres/Migrations.ts"
import { temporaryRoot } from "../../support/run/TemporaryRoot.ts"

const run = promisify(execFile)

const newFolder = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = await mkdtemp(join(temporaryRoot, "belltower-pitr-"))
    // Lets the server's user enter and write when the tests run as root.
    await chmod(folder, 0o777)
    return folder
  }),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** The base backup of a server that runs: its files between two calls of one session, without its locks and sockets. */
const copyBase = (address: string, from: string, to: string) =>
  Effect.promise(async () => {
    const session = new Client({ connectionString: address })
    await session.connect()
    await session.query("select pg_backup_start('base', true)")
    // It keeps the owner, and fails where a file vanishes meanwhile, which belongs to no backup.
    await run("cp", ["-a", join(from, "cluster"), join(to, "cluster")]).catch(() => {})
    const { rows: [stop] } = await session.query("select labelfile from pg_backup_stop(false)")
    await session.end()
    await rm(join(to, "cluster", "postmaster.pid"))
    await rm(join(to, "cluster", "pg_wal"), { recursive: true })
    await mkdir(join(to, "cluster", "pg_wal"), { mode: 0o700 })
    await writeFile(join(to, "cluster", "backup_label"), stop.labelfile)
    await writeFile(join(to, "cluster", "recovery.signal"), "")
    const { gid, uid } = await stat(join(from, "cluster"))
    for (const name of ["pg_wal", "backup_label", "recovery.signal"]) await chown(join(to, "cluster", name), uid, gid)
  })

describe("a database", () => {
  it.scopedLive(
    "recovered to a point in time has what was committed by then, and settles what was due since",
    () =>
      Effect.gen(function*() {
        const [folder, target, archive] = [yield* newFolder, yield* newFolder, yield* newFolder]
        const on = (address: string) =>
          Database.layer(Redacted.make(address), { maxConnections: 2, applicationName: "test of recovery" })
        const settings = { archive_mode: "on", archive_command: `cp %p ${archive}/%f`, wal_level: "replica" }
        const until = yield* Effect.scoped(Effect.gen(function*() {
          const address = addressOf(yield* makeEmbeddedPostgres({ folder, settings }))
          return yield* Effect.gen(function*() {
            const sql = yield* SqlClient.SqlClient
            yield* migrate
            yield* copyBase(address, folder, target)
            yield* sql`insert into regions (id, first_seen_at, last_beat_at) values ('main', now(), now())`
            yield* sql`insert into workspaces (id, name, plan, digest_at, created_at, updated_at)
                     values ('kept', 'Kept', 'free', now(), now(), now())`
            yield* sql`select pg_sleep(0.05)`
            const [moment] = yield* sql<{ readonly at: string }>`select clock_timestamp()::text as at`
            yield* sql`select pg_sleep(0.05)`
            yield* sql`delete from workspaces`
            yield* sql`select pg_switch_wal()`
            return moment?.at ?? ""
          }).pipe(Effect.provide(on(address)))
        }))
        expect((yield* Effect.promise(() => readdir(archive))).length).toBeGreaterThan(0)
        const recovery = {
          restore_command: `cp ${archive}/%f %p`,
          recovery_target_time: until,
          recovery_target_action: "promote"
        }
        const server = yield* makeEmbeddedPostgres({ folder: target, settings: recovery })
        yield* Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          expect(yield* sql`select id from workspaces`).toEqual([{ id: "kept" }])
          const { at } = yield* lastSignOfLife
          const restore = yield* sql.withTransaction(settleRestore(at ?? DateTime.unsafeMake(0)))
          expect(restore.notSent).toMatchObject({ digests: 1 })
          expect(DateTime.lessThan(restore.restoredTo, DateTime.unsafeMake(new Date(until)))).toBe(true)
        }).pipe(Effect.provide(on(addressOf(server))))
      }),
    120_000
  )
})
