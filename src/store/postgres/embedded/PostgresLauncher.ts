/** Selects how to run PostgreSQL's programs here: never as root, and never longer than this process. */
import { Effect } from "effect"
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process"
import { stat } from "node:fs/promises"
import { dirname } from "node:path"
import type { FileOwner } from "../../PrivateFile.ts"
import { DatabaseUnavailable } from "../DatabaseUnavailable.ts"

/** The user `nobody` of every Linux distribution, because PostgreSQL refuses to run as root. */
const nobody = 65534

export interface Launcher {
  /** The part of the command line before the program. */
  readonly prefix: ReadonlyArray<string>
  /** The user that Node switches to when `setpriv` is not available. */
  readonly switchTo?: FileOwner
  /** The required owner of the files; absent when it is this process's own user. */
  readonly owner?: FileOwner
  /** Whether the kernel signals the program when this process dies for any reason. */
  readonly guarded: boolean
  readonly env: Readonly<Record<string, string>>
}

/** The default search path for `setpriv`, `unshare` and `sh`. */
export const systemPath = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

export const spawnWith = (
  launcher: Launcher,
  program: string,
  args: ReadonlyArray<string>,
  stdio: SpawnOptions["stdio"]
): ChildProcess => {
  const [command = program, ...rest] = [...launcher.prefix, program, ...args]
  // Its own process group: Ctrl-C reaches only this process, which then stops the database last.
  return spawn(command, rest, { cwd: "/", env: launcher.env, detached: true, stdio, ...launcher.switchTo })
}

/** Runs a program on an input to completion. Returns its output and its exit code, null when it could not run or was killed. */
export const runWith = (launcher: Launcher, program: string, args: ReadonlyArray<string>, input = "") =>
  Effect.async<{ readonly code: number | null; readonly output: string }>((resume) => {
    const child = spawnWith(launcher, program, args, [input === "" ? "ignore" : "pipe", "pipe", "pipe"])
    child.stdin?.on("error", () => {})
    child.stdin?.end(input)
    let output = ""
    const collect = (chunk: Buffer) => {
      output += chunk.toString("utf8")
    }
    child.stdout?.on("data", collect)
    child.stderr?.on("data", collect)
    child.on("error", (cause) => resume(Effect.succeed({ code: null, output: String(cause) })))
    child.on("close", (code) => resume(Effect.succeed({ code, output })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const deathSignal = ["--pdeathsig", "INT", "--"]

const candidates = (path: string, owner: Launcher["owner"] | null): ReadonlyArray<Launcher> => {
  const env = { PATH: path, LC_ALL: "C", TZ: "UTC" }
  if (process.getuid?.() !== 0) {
    return [{ prefix: ["setpriv", ...deathSignal], guarded: true, env }, { prefix: [], guarded: false, env }]
  }
  // In a separate user namespace, the program sees root as `nobody`, but file access is still root's.
  const inside: Launcher = { prefix: ["unshare", "-U", "setpriv", ...deathSignal], guarded: true, env }
  if (owner?.uid === 0) return [inside]
  const as = owner ?? { uid: nobody, gid: nobody }
  const ids = ["--reuid", String(as.uid), "--regid", String(as.gid), "--clear-groups"]
  const switched: ReadonlyArray<Launcher> = [
    { prefix: ["setpriv", ...ids, ...deathSignal], owner: as, guarded: true, env },
    { prefix: [], switchTo: as, owner: as, guarded: false, env }
  ]
  return owner === null ? [...switched, inside] : switched
}

/** The first launcher that works, can access `program` and the parent of `folder`, and matches the owner of `cluster`. */
export const findLauncher = Effect.fn("PostgresLauncher.find")(function*(options: {
  readonly program: string
  readonly folder: string
  readonly cluster: string
  readonly path: string
}) {
  const owner = yield* Effect.promise(() => stat(options.cluster).then(({ uid, gid }) => ({ uid, gid }), () => null))
  const test = ["-c", "test -x \"$1\" && test -x \"$2\"", "sh", options.program, dirname(options.folder)]
  for (const launcher of candidates(options.path, owner)) {
    const { code } = yield* runWith(launcher, "sh", test)
    if (code === 0) return launcher
  }
  return yield* new DatabaseUnavailable({
    message: `The built-in PostgreSQL cannot run as root here. Give every user access to ${dirname(options.folder)} and ` +
      `${dirname(options.program)} (chmod o+x on each parent folder), start as another user, or set DATABASE_URL.`
  })
})
