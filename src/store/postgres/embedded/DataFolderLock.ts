/** Determines who uses a database folder: nobody, another Belltower, or a server whose Belltower was killed. */
import { Data, DateTime, Duration, Effect, Option } from "effect"
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { DatabaseUnavailable } from "../DatabaseUnavailable.ts"

/** The setting on a server's command line with the pid of the process that started it. */
export const ownerSetting = (pid: number): string => `belltower.owner=${pid}`

/** The state that the lock file of a cluster shows. */
type Holder = Data.TaggedEnum<{
  /** No server is running. `stale` is the pid in the lock file when that process is certainly not a server. */
  Nobody: { readonly stale: Option.Option<number> }
  /** `orphaned`: the process that started it is no longer its parent. */
  Server: { readonly pid: number; readonly stopping: boolean; readonly orphaned: boolean }
}>
const Holder = Data.taggedEnum<Holder>()

/** How long a dead process may still appear as the parent of its server. */
const grace = Duration.seconds(1)
/** A shutdown flushes memory to disk, which can be slow. */
const shutdownLimit = Duration.minutes(1)

const run = promisify(execFile)

interface Process {
  readonly parent: number
  readonly args: string
  /** It has exited, but its parent has not reaped it. */
  readonly zombie: boolean
}

/** Fails when the process does not exist. */
const inspect = (pid: number): Effect.Effect<Process, unknown> =>
  Effect.tryPromise(async () => {
    if (process.platform === "linux") {
      const status = await readFile(`/proc/${pid}/stat`, "utf8")
      // The second field is the program's name in parentheses, which may contain spaces.
      const [state = "", parent] = status.slice(status.lastIndexOf(")") + 2).split(" ")
      const args = await readFile(`/proc/${pid}/cmdline`, "utf8")
      return { parent: Number(parent), args: args.replaceAll("\0", " "), zombie: "ZX".includes(state) }
    }
    const { stdout } = await run("/bin/ps", ["-o", "ppid=,stat=,args=", "-p", String(pid)])
    const [parent, state = ""] = stdout.trim().split(/\s+/)
    return { parent: Number(parent), args: stdout, zombie: state.startsWith("Z") }
  })

const nobody = Holder.Nobody({ stale: Option.none() })

const findHolder = (cluster: string): Effect.Effect<Holder> =>
  Effect.gen(function*() {
    const lines = (yield* Effect.tryPromise(() => readFile(join(cluster, "postmaster.pid"), "utf8"))).split("\n")
    const pid = Number(lines[0])
    const { args, parent, zombie } = yield* inspect(pid)
    // After a reboot or in a new container, the pid may belong to any process.
    if (zombie || !args.includes("postgres")) return Holder.Nobody({ stale: Option.some(pid) })
    const owner = /belltower\.owner=(\d+)/.exec(args)?.[1]
    // Belltower did not start this server. PostgreSQL itself reports a conflict if it uses this cluster.
    if (owner === undefined || !args.includes(cluster)) return nobody
    return Holder.Server({ pid, stopping: lines[7]?.trim() === "stopping", orphaned: parent !== Number(owner) })
  }).pipe(Effect.orElseSucceed(() => nobody))

/**
 * The socket folder of a server that another Belltower runs on `cluster`; none unless that server accepts connections.
 * (Lines of PostgreSQL's lock file: pid, cluster, start, port, socket folder, addresses, memory, status.)
 */
export const socketOfAnother = Effect.fn("DataFolderLock.socketOfAnother")(function*(cluster: string) {
  const holder = yield* findHolder(cluster)
  if (holder._tag === "Nobody" || holder.orphaned || holder.stopping) return Option.none<string>()
  const file = yield* Effect.tryPromise(() => readFile(join(cluster, "postmaster.pid"), "utf8")).pipe(
    Effect.orElseSucceed(() => "")
  )
  const [, , , , folder, , , status] = file.split("\n")
  return status?.trim() === "ready" && folder !== undefined && folder !== "" ? Option.some(folder) : Option.none()
})

export const inUse = (cluster: string): DatabaseUnavailable =>
  new DatabaseUnavailable({
    message: `Another Belltower is using the database in ${cluster}. ` +
      "Stop it, or set a different BELLTOWER_DATA_DIR for this one."
  })

const interrupt = (pid: number) => Effect.ignore(Effect.try(() => process.kill(pid, "SIGINT")))

/**
 * Waits until no server runs on `cluster`, and stops an orphaned one. Fails when its Belltower is alive. Returns the stale
 * pid of the lock file, for `disregard`.
 */
export const waitUntilFree = Effect.fn("DataFolderLock.waitUntilFree")(function*(cluster: string) {
  const since = yield* DateTime.now
  let signaled = false
  for (;;) {
    const holder = yield* findHolder(cluster)
    if (holder._tag === "Nobody") return holder.stale
    const waited = DateTime.distanceDuration(since, yield* DateTime.now)
    if (!holder.orphaned && !holder.stopping && Duration.greaterThan(waited, grace)) return yield* inUse(cluster)
    if (Duration.greaterThan(waited, shutdownLimit)) {
      return yield* new DatabaseUnavailable({
        message:
          `The database server of an earlier run (process ${holder.pid}) does not stop. Kill it, then start Belltower again.`
      })
    }
    if (holder.orphaned && !signaled) {
      signaled = true
      yield* Effect.logInfo(`Stopping the database server that an earlier run left behind (process ${holder.pid})`)
      yield* interrupt(holder.pid)
    }
    yield* Effect.sleep("20 millis")
  }
})

/**
 * PostgreSQL treats a lock file as valid while any process has its pid, even a zombie or an unrelated process. Exceptions
 * are its own pid, its parent's, and the one in this variable (CreateLockFile in its miscinit.c). PostgreSQL still checks
 * that no old server process uses the cluster's shared memory.
 */
export const disregard = (stale: Option.Option<number>): Readonly<Record<string, string>> =>
  Option.match(stale, { onNone: () => ({}), onSome: (pid) => ({ PG_GRANDPARENT_PID: String(pid) }) })
