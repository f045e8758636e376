/** Tells who holds a database folder: nobody, another Belltower, or a server whose Belltower was killed. */
import { Data, DateTime, Duration, Effect, Option } from "effect"
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { DatabaseUnavailable } from "./DatabaseUnavailable.ts"

/** The setting on a server's command line that names the process which started it. */
export const ownerSetting = (pid: number): string => `belltower.owner=${pid}`

/** What the lock file in a cluster comes to. */
type Holder = Data.TaggedEnum<{
  /** No server runs. `stale` is a process that the lock file names and that is certainly not one. */
  Nobody: { readonly stale: Option.Option<number> }
  /** `orphaned`: its parent is no longer who started it. */
  Server: { readonly pid: number; readonly stopping: boolean; readonly orphaned: boolean }
}>
const Holder = Data.taggedEnum<Holder>()

/** How long after its death a process may still look like the parent of its server. */
const grace = Duration.seconds(1)
/** A shutdown writes what memory holds; a slow disk takes its time. */
const shutdownLimit = Duration.minutes(1)

const run = promisify(execFile)

interface Process {
  readonly parent: number
  readonly args: string
  /** It has ended, and whoever inherited it has not noticed. */
  readonly zombie: boolean
}

/** Fails where there is no such process. */
const inspect = (pid: number): Effect.Effect<Process, unknown> =>
  Effect.tryPromise(async () => {
    if (process.platform === "linux") {
      const status = await readFile(`/proc/${pid}/stat`, "utf8")
      // The second field is the program's name in parentheses and may hold spaces.
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
    // After a reboot, or in a new container, the number may be any process's.
    if (zombie || !args.includes("postgres")) return Holder.Nobody({ stale: Option.some(pid) })
    const owner = /belltower\.owner=(\d+)/.exec(args)?.[1]
    // A server that no Belltower started: PostgreSQL itself tells whether it has this cluster.
    if (owner === undefined || !args.includes(cluster)) return nobody
    return Holder.Server({ pid, stopping: lines[7]?.trim() === "stopping", orphaned: parent !== Number(owner) })
  }).pipe(Effect.orElseSucceed(() => nobody))

/**
 * The folder of the socket of a server that another Belltower runs on `cluster` and that takes connections; none when there
 * is no such server. (PostgreSQL's lock file: pid, cluster, start, port, socket folder, addresses, memory, status.)
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
      "Stop it first, or give this one another BELLTOWER_DATA_DIR."
  })

const interrupt = (pid: number) => Effect.ignore(Effect.try(() => process.kill(pid, "SIGINT")))

/**
 * Waits until no server runs on `cluster`; an abandoned one is stopped. Fails when its Belltower is alive. Returns the
 * process that the lock file names without right, for `disregard`.
 */
export const waitUntilFree = Effect.fn("DataFolderLock.waitUntilFree")(function*(cluster: string) {
  const since = yield* DateTime.now
  let told = false
  for (;;) {
    const holder = yield* findHolder(cluster)
    if (holder._tag === "Nobody") return holder.stale
    const waited = DateTime.distanceDuration(since, yield* DateTime.now)
    if (!holder.orphaned && !holder.stopping && Duration.greaterThan(waited, grace)) return yield* inUse(cluster)
    if (Duration.greaterThan(waited, shutdownLimit)) {
      return yield* new DatabaseUnavailable({
        message: `The database server of an earlier run (process ${holder.pid}) does not stop: end it, then start again.`
      })
    }
    if (holder.orphaned && !told) {
      told = true
      yield* Effect.logInfo(`Stopping the database server that an earlier run left behind (process ${holder.pid})`)
      yield* interrupt(holder.pid)
    }
    yield* Effect.sleep("20 millis")
  }
})

/**
 * PostgreSQL takes a lock file for valid while any process has its number, a zombie or a stranger too, unless that is
 * its own, its parent's, or the one in this variable (CreateLockFile in its miscinit.c). Its check that no old server
 * process still uses the cluster's memory stays in force.
 */
export const disregard = (stale: Option.Option<number>): Readonly<Record<string, string>> =>
  Option.match(stale, { onNone: () => ({}), onSome: (pid) => ({ PG_GRANDPARENT_PID: String(pid) }) })
