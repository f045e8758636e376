/** Runs an embedded PostgreSQL 18 server with its files in one private folder. */
import { Effect, Exit, Option, Redacted, Schedule, Scope } from "effect"
import { chmod, chown, mkdtemp, readdir, realpath, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseUnavailable } from "../DatabaseUnavailable.ts"
import { ensurePassword, passwordOf, writeAccessRules } from "./DatabasePassword.ts"
import { disregard, inUse, ownerSetting, socketOfAnother, waitUntilFree } from "./DataFolderLock.ts"
import { makeFolder } from "./MakeFolder.ts"
import { findPostgres } from "./PostgresBinaries.ts"
import { findLauncher, type Launcher, runWith, systemPath } from "./PostgresLauncher.ts"
import { type PostgresServer, reason, startServer } from "./PostgresServer.ts"

interface EmbeddedPostgresOptions {
  /** Created when missing. When this process is root, every user must be able to enter its parents. */
  readonly folder: string
  /** PostgreSQL settings on top of the defaults. */
  readonly settings?: Readonly<Record<string, string>>
  /** The search path for `setpriv`, `unshare` and `sh`, colon-separated. */
  readonly path?: string
}

export interface EmbeddedPostgres {
  /** The folder of the server's socket. */
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: Redacted.Redacted
  readonly database: string
  readonly pid: number
  /** Fails when the server exits before its scope closes; otherwise never completes. */
  readonly ended: Effect.Effect<never, DatabaseUnavailable>
}

export type ServerAddress = Pick<EmbeddedPostgres, "database" | "host" | "password" | "port" | "username">

/** The `postgresql://` URL of a server for other processes of this user, with its password. Works with both libpq and `pg`. */
export const addressOf = ({ database, host, password, port, username }: ServerAddress): string => {
  const address = new URLSearchParams({ host, port: String(port) })
  return `postgresql://${username}:${Redacted.value(password)}@localhost/${database}?${address}`
}

const port = 5432
const username = "postgres"

/** A small memory footprint with full durability. */
const defaults = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  port: String(port),
  max_connections: "40",
  shared_buffers: "64MB",
  fsync: "on",
  synchronous_commit: "on",
  wal_compression: "on",
  random_page_cost: "1.1",
  jit: "off",
  max_parallel_workers_per_gather: "0",
  log_checkpoints: "off",
  // Clients receive the errors of their statements, so the log only contains messages about the server.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_line_prefix: ""
}

/** The URL of the server that another Belltower of this user runs on a folder; none when there is no such server. */
export const servedByAnother = Effect.fn("EmbeddedPostgres.servedByAnother")(function*(folder: string) {
  const path = yield* Effect.tryPromise(() => realpath(folder)).pipe(Effect.orElseSucceed(() => folder))
  const cluster = join(path, "cluster")
  const socket = yield* socketOfAnother(cluster)
  if (Option.isNone(socket)) return Option.none<string>()
  // A server of an earlier version asks for none.
  const password = Option.getOrElse(yield* passwordOf(cluster), () => Redacted.make(""))
  return Option.some(addressOf({ host: socket.value, port, username, password, database: "postgres" }))
})

/** The maximum length of a socket path: 103 bytes on macOS, 107 on Linux. */
const longestSocket = 103

const attempt = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, DatabaseUnavailable> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new DatabaseUnavailable({ message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, cause })
  })

const removed = (path: string) => attempt(`Cannot remove ${path}`, () => rm(path, { recursive: true, force: true }))

const makePrivate = (folder: string, launcher: Launcher) =>
  attempt(`Cannot restrict access to ${folder} (does another user own it?)`, async () => {
    if (launcher.owner !== undefined) await chown(folder, launcher.owner.uid, launcher.owner.gid)
    await chmod(folder, 0o700)
  })

/** Creates the cluster in a temporary folder and renames it, so that a killed start leaves no partial cluster. */
const initialise = Effect.fn("EmbeddedPostgres.initialise")(function*(
  initdb: string,
  launcher: Launcher,
  folder: string,
  cluster: string
) {
  const fresh = join(folder, `new-${process.pid}`)
  yield* removed(fresh)
  // The built-in locale sorts the same on every machine. Files are synced after the server has started, see below.
  const { code, output } = yield* runWith(launcher, initdb, [
    ...["-D", fresh, "-U", username, "--no-sync", "--no-instructions", "--encoding=UTF8"],
    ...["--locale-provider=builtin", "--locale=C.UTF-8", "--auth-local=peer", "--auth-host=reject"]
  ])
  if (code !== 0) {
    return yield* new DatabaseUnavailable({
      message: `Cannot create the database in ${folder}: ${reason(output.split("\n"))}`
    })
  }
  // If another Belltower was faster, starting the server decides which of the two may use the folder.
  yield* Effect.tryPromise(() => rename(fresh, cluster)).pipe(Effect.catchAll(() => removed(fresh)))
})

/** The folder for the socket: `folder` itself, or a private temporary folder when the path would be too long. */
const socketFolder = (folder: string, launcher: Launcher) =>
  Buffer.byteLength(join(folder, `.s.PGSQL.${port}`)) <= longestSocket
    ? Effect.succeed(folder)
    : Effect.acquireRelease(
      attempt("Cannot create a folder for the database socket", () => mkdtemp(join(tmpdir(), "belltower-"))).pipe(
        Effect.tap((short) => makePrivate(short, launcher))
      ),
      (short) => Effect.ignore(removed(short))
    )

/** The previous server was killed, and its child processes still hold its shared memory. */
const memoryHeld = (failure: DatabaseUnavailable) => failure.message.includes("shared memory block")

/** Waits until the cluster is free, and says so if another Belltower was faster. */
const onceFree = <A, R>(cluster: string, start: Effect.Effect<A, DatabaseUnavailable, R>) =>
  start.pipe(
    Effect.retry({ while: memoryHeld, schedule: Schedule.spaced("200 millis"), times: 50 }),
    Effect.mapError((failure) => /lock file .* already exists/.test(failure.message) ? inUse(cluster) : failure)
  )

const startReady = (launcher: Launcher, postgres: string, cluster: string, settings: ReadonlyArray<string>) =>
  onceFree(
    cluster,
    Effect.gen(function*() {
      // Each attempt has its own scope, so that a failed one leaves nothing behind.
      const scope = yield* Scope.fork(yield* Effect.scope, { _tag: "Sequential" })
      const attempted = startServer(launcher, postgres, cluster, settings).pipe(
        Effect.tap((server) => server.ready),
        Scope.extend(scope)
      )
      return yield* attempted.pipe(Effect.tapError((failure) => Scope.close(scope, Exit.fail(failure))))
    })
  )

/** Sets the superuser's password in a process without connections (single-user mode). The password is in no command line. */
const setPassword = (launcher: Launcher, postgres: string, cluster: string) => (password: string) =>
  onceFree(
    cluster,
    Effect.flatMap(
      runWith(
        launcher,
        postgres,
        ["--single", "-D", cluster, "-c", "exit_on_error=on", "-c", "log_min_error_statement=panic", "postgres"],
        `alter role ${username} password '${password}'\n`
      ),
      ({ code, output }) =>
        code === 0 ? Effect.void : new DatabaseUnavailable({
          message: `Cannot set the password of the database in ${cluster}: ${reason(output.split("\n"))}`
        })
    )
  )

/** Starts a server. Failures have a one-line message. A folder that another Belltower uses is not changed. */
export const makeEmbeddedPostgres = Effect.fn("EmbeddedPostgres.make")(function*(
  options: EmbeddedPostgresOptions
): Effect.fn.Return<EmbeddedPostgres, DatabaseUnavailable, Scope.Scope> {
  const binaries = yield* findPostgres
  const folder = yield* attempt(`Cannot create ${options.folder}`, async () => {
    await makeFolder(options.folder)
    return realpath(options.folder)
  })
  const cluster = join(folder, "cluster")
  const stale = yield* waitUntilFree(cluster)

  const launcher = yield* findLauncher({
    program: binaries.postgres,
    folder,
    cluster,
    path: options.path ?? systemPath
  })
  yield* makePrivate(folder, launcher)
  const isNew = yield* attempt(`Cannot read ${cluster}`, () => readdir(folder)).pipe(
    Effect.map((names) => !names.includes("cluster"))
  )
  if (isNew) yield* initialise(binaries.initdb, launcher, folder, cluster)

  const served = { ...launcher, env: { ...launcher.env, ...disregard(stale) } }
  const password = yield* ensurePassword(cluster, served, setPassword(served, binaries.postgres, cluster))
  const host = yield* socketFolder(folder, launcher)
  const settings = {
    ...defaults,
    unix_socket_directories: `"${host}"`,
    hba_file: yield* writeAccessRules(cluster, served),
    ...options.settings
  }
  const server: PostgresServer = yield* startReady(served, binaries.postgres, cluster, [
    ownerSetting(process.pid),
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  ])
  if (isNew) yield* Effect.forkScoped(runWith(launcher, binaries.initdb, ["--sync-only", "-D", cluster]))
  return { host, port, username, password, database: "postgres", pid: server.pid, ended: server.ended }
})
