/** Chooses how to run PostgreSQL's programs here: never as root, and not outliving this process. */
import { Effect } from "effect"
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process"
import { stat } from "node:fs/promises"
import { dirname } from "node:path"
import { DatabaseUnavailable } from "./DatabaseUnavailable.ts"

/** PostgreSQL refuses root; this is the user `nobody` of every Linux distribution. */
const nobody = 65534

export interface Launcher {
  /** What goes before the program on the command line. */
  readonly prefix: ReadonlyArray<string>
  /** The user that Node itself switches to, where `setpriv` is not there to do it. */
  readonly switchTo?: { readonly uid: number; readonly gid: number }
  /** Who must own the files; absent where that is this process's own user. */
  readonly owner?: { readonly uid: number; readonly gid: number }
  /** The kernel tells the program when this process dies, however it dies. */
  readonly guarded: boolean
  readonly env: Readonly<Record<string, string>>
}

/** The folders in which `setpriv`, `unshare` and `sh` are looked for. */
export const systemPath = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

export const spawnWith = (
  launcher: Launcher,
  program: string,
  args: ReadonlyArray<string>,
  stdio: SpawnOptions["stdio"]
): ChildProcess => {
  const [command = program, ...rest] = [...launcher.prefix, program, ...args]
  // A process group of its own, so that Ctrl-C reaches this process alone, which then stops its database last.
  return spawn(command, rest, { cwd: "/", env: launcher.env, detached: true, stdio, ...launcher.switchTo })
}

/** Runs a program to its end: its exit code (null when it could not run or was killed) and all it wrote. */
export const runWith = (launcher: Launcher, program: string, args: ReadonlyArray<string>) =>
  Effect.async<{ readonly code: number | null; readonly output: string }>((resume) => {
    const child = spawnWith(launcher, program, args, ["ignore", "pipe", "pipe"])
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
  // In a user namespace of its own, root is `nobody` to the program and still root to the files.
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

/** The first way that works here, may enter `program` and the parent of `folder`, and fits the files in `cluster`. */
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
    message: `The built-in PostgreSQL cannot run as root here: let every user enter ${dirname(options.folder)} and ` +
      `${dirname(options.program)} (chmod o+x on each parent folder), start as another user, or set DATABASE_URL.`
  })
})
