/** PostgreSQL servers of the test's own, to kill, fill and stop: a primary with a streaming standby, or one alone. */
import { Effect, Exit, Redacted, Scope } from "effect"
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Client } from "pg"
import { findPostgres } from "../../../src/store/postgres/embedded/PostgresBinaries.ts"
import { findLauncher, type Launcher, runWith, systemPath } from "../../../src/store/postgres/embedded/PostgresLauncher.ts"
import { startServer } from "../../../src/store/postgres/embedded/PostgresServer.ts"
import { freePort } from "../network/FreePort.ts"
import { temporaryRoot } from "../run/TemporaryRoot.ts"
import { until } from "../time/Until.ts"

type Settings = Readonly<Record<string, string>>

/** Small, and without a flush of the disk: these servers are killed, their machine is not. */
const shared: Settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "off",
  shared_buffers: "32MB",
  wal_keep_size: "256MB",
  log_min_messages: "log",
  autovacuum: "off"
}

const makePlace = Effect.gen(function*() {
  const binaries = yield* findPostgres
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(temporaryRoot, "belltower-pair-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  // Lets the server's user enter when the tests run as root.
  yield* Effect.promise(() => chmod(folder, 0o755))
  const launcher = yield* findLauncher({
    program: binaries.postgres,
    folder: join(folder, "x"),
    cluster: join(folder, "x"),
    path: systemPath
  })
  const { owner } = launcher
  if (owner !== undefined) yield* Effect.promise(() => chown(folder, owner.uid, owner.gid))
  return { ...binaries, folder, launcher }
})
type Place = Effect.Effect.Success<typeof makePlace>

const succeeds = Effect.fnUntraced(function*(launcher: Launcher, program: string, args: ReadonlyArray<string>) {
  const { code, output } = yield* runWith(launcher, program, args)
  if (code !== 0) return yield* Effect.dieMessage(`${program} failed: ${output}`)
})

/** Signals a server and the processes that it has started. While it is stopped itself, it starts no more. Linux only. */
const signalAll = async (pid: number, signal: NodeJS.Signals): Promise<void> => {
  process.kill(pid, signal)
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")
  for (const child of children.split(" ").map(Number).filter((one) => one > 0)) process.kill(child, signal)
}

/** One server, which can be killed and started again on its files. */
const makeServer = Effect.fn("makeServer")(function*(place: Place, name: string, usual: Settings) {
  const outer = yield* Effect.scope
  const port = yield* freePort
  const cluster = join(place.folder, name)
  let running: { readonly pid: number; readonly scope: Scope.CloseableScope } | null = null

  const address = (database = "postgres") => Redacted.make(`postgresql://postgres@127.0.0.1:${port}/${database}`)
  const connected = async () => {
    const client = new Client({ connectionString: Redacted.value(address()) })
    await client.on("error", () => {}).connect()
    return client
  }
  const answers = Effect.promise(() => connected().then((client) => client.end()).then(() => true, () => false))

  const start = Effect.fn("start")(function*(settings: Settings = {}) {
    const scope = yield* Scope.fork(outer, { _tag: "Sequential" })
    const all = Object.entries({ ...shared, port: String(port), ...usual, ...settings }).map(([key, value]) => `${key}=${value}`)
    const server = yield* Scope.extend(startServer(place.launcher, place.postgres, cluster, all), scope)
    running = { pid: server.pid, scope }
    // A standby does not log that it accepts connections, but that it accepts those that read.
    yield* Effect.raceFirst(server.ended, until(answers, (isReady) => isReady, "30 seconds"))
  })
  /** Without a chance to say goodbye. Its children notice, and end. */
  const kill = Effect.suspend(() => {
    const one = running
    running = null
    if (one === null) return Effect.void
    process.kill(one.pid, "SIGKILL")
    return Scope.close(one.scope, Exit.void)
  })
  const thaw = Effect.promise(async () => running === null ? undefined : signalAll(running.pid, "SIGCONT").catch(() => {}))
  /** Stops it with SIGSTOP until it thaws: it takes connections, and answers nothing. */
  const freeze = Effect.acquireRelease(
    Effect.promise(async () => running === null ? undefined : signalAll(running.pid, "SIGSTOP")),
    () => thaw
  )
  /** Runs a statement over a connection of its own. */
  const ask = <A extends object>(text: string) =>
    Effect.promise(async () => {
      const client = await connected()
      const { rows } = await client.query<A>(text).finally(() => client.end())
      return rows
    })
  /** A standby after its next start, that follows the server at a port. */
  const becomesStandby = succeeds(place.launcher, "touch", [join(cluster, "standby.signal")])
  return { name, port, cluster, start, kill, freeze, ask, address, becomesStandby, target: { host: "127.0.0.1", port } }
})
export type TestServer = Effect.Effect.Success<ReturnType<typeof makeServer>>

const initialise = ({ initdb, launcher }: Place, { cluster }: TestServer) =>
  succeeds(launcher, initdb, [
    ...["-D", cluster, "-U", "postgres", "--no-sync", "--no-instructions", "--encoding=UTF8", "--auth=trust"],
    ...["--locale-provider=builtin", "--locale=C.UTF-8"]
  ])

/** Its files belong to `owner`, if not to the user who runs the tests. */
export const ownDatabase = Effect.fn("ownDatabase")(function*(settings: Settings) {
  const place = yield* makePlace
  const server = yield* makeServer(place, "own", settings)
  yield* initialise(place, server)
  yield* server.start()
  return { ...server, owner: place.launcher.owner }
})

/** Copies the files of a running server, as `pg_basebackup` does, which npm does not have. */
const copy = (place: Place, from: TestServer, to: TestServer) =>
  Effect.gen(function*() {
    const client = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const one = new Client({ connectionString: Redacted.value(from.address()) })
        await one.connect()
        return one
      }),
      (one) => Effect.promise(() => one.end())
    )
    yield* Effect.promise(() => client.query("select pg_backup_start('standby', true)"))
    yield* succeeds(place.launcher, "cp", ["-a", from.cluster, to.cluster])
    const { rows: [label] } = yield* Effect.promise(() =>
      client.query<{ readonly labelfile: string }>("select labelfile from pg_backup_stop(false)")
    )
    yield* succeeds(place.launcher, "rm", ["-f", join(to.cluster, "postmaster.pid")])
    const file = join(to.cluster, "backup_label")
    yield* Effect.promise(() => writeFile(file, label?.labelfile ?? ""))
    const { owner } = place.launcher
    if (owner !== undefined) yield* Effect.promise(() => chown(file, owner.uid, owner.gid))
    yield* to.becomesStandby
  }).pipe(Effect.scoped)

/**
 * The primary and its standby. With `confirms`, a commit is answered once the standby has it on disk; a promoted standby commits alone.
 */
export const replicatedDatabase = Effect.fn("replicatedDatabase")(function*({ confirms }: { readonly confirms: boolean }) {
  const place = yield* makePlace
  const primary = yield* makeServer(place, "primary", {})
  const standby = yield* makeServer(place, "standby", {
    primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`
  })
  yield* initialise(place, primary)
  yield* primary.start()
  yield* copy(place, primary, standby)
  yield* standby.start()
  yield* until(
    primary.ask<{ readonly state: string }>("select state from pg_stat_replication"),
    ([row]) => row?.state === "streaming",
    "30 seconds"
  )
  if (confirms) {
    yield* primary.ask("alter system set synchronous_standby_names = 'standby'")
    yield* primary.ask("select pg_reload_conf()")
    yield* until(
      primary.ask<{ readonly state: string }>("select sync_state as state from pg_stat_replication"),
      ([row]) => row?.state === "sync",
      "30 seconds"
    )
  }
  return { primary, standby, promote: standby.ask("select pg_promote()") }
})
