/** Starts sandbox processes with as little as the system lets us give them: no environment, files, network or rights. */
import { Effect, Option } from "effect"
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** How well a process is isolated beside its empty environment and QuickJS itself; for the log. */
export interface Isolation {
  readonly name: string
  readonly command: ReadonlyArray<string>
}

/** Numeric ids: `nobody` need not exist. 600 MB of data include what V8 and WebAssembly reserve. */
const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
const noRights = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--pdeathsig", "KILL"]
const limits = ["prlimit", "--core=0", "--fsize=0", "--nofile=64", "--data=600000000"]

const weakest: Isolation = { name: "an empty environment only", command: [] }

/** Strongest first. The first one that works on this machine is used. */
const isolations: ReadonlyArray<Isolation> = [
  {
    name: "another user without rights, network and large memory",
    command: ["unshare", "--net", "--ipc", "--uts", "--", ...nobody, ...noRights, ...limits]
  },
  {
    name: "namespaces of its own, without network and large memory",
    command: ["unshare", "--user", "--net", "--ipc", "--", "setpriv", "--no-new-privs", "--pdeathsig", "KILL", ...limits]
  },
  { name: "no new rights and no large memory", command: ["setpriv", "--no-new-privs", "--pdeathsig", "KILL", ...limits] },
  weakest
]

/** The heap of Node itself; the script's memory is WebAssembly's. The stack fits within the usual 8 MB. */
const nodeArguments = ["--max-old-space-size=128", "--stack-size=3900", "--no-warnings", "--input-type=module", "-"]

const environment = { env: {}, cwd: "/" }

const works = ({ command }: Isolation): Effect.Effect<boolean> =>
  Effect.async<boolean>((resume) => {
    const [program = process.execPath, ...rest] = [...command, process.execPath, "-e", "0"]
    const child = spawn(program, rest, { ...environment, stdio: "ignore" })
    child.on("error", () => resume(Effect.succeed(false)))
    child.on("exit", (code) => resume(Effect.succeed(code === 0)))
    return Effect.sync(() => child.kill("SIGKILL"))
  }).pipe(Effect.timeoutTo({ duration: "10 seconds", onSuccess: (worked) => worked, onTimeout: () => false }))

/** The strongest isolation that works on this machine. */
export const findIsolation: Effect.Effect<Isolation> = Effect.map(
  Effect.findFirst(isolations, works),
  Option.getOrElse(() => weakest)
)

/** Next to the program if bundled, else in `dist`. */
const programFile = (): string | null =>
  [new URL("./scriptSandbox.js", import.meta.url), new URL("../../../dist/scriptSandbox.js", import.meta.url)]
    .map((place) => fileURLToPath(place))
    .find((path) => existsSync(path)) ?? null

let program: Buffer | null = null

/** Null if the program is missing. The program comes over stdin, because its user may not be able to read our files. */
export const launch = ({ command: isolated }: Isolation): ChildProcess | null => {
  const file = programFile()
  if (file === null) return null
  program ??= readFileSync(file)
  const [command = process.execPath, ...rest] = [...isolated, process.execPath, ...nodeArguments]
  const child = spawn(command, rest, { ...environment, stdio: ["pipe", "ignore", "ignore", "pipe"] })
  child.stdin?.on("error", () => {})
  child.stdin?.end(program)
  return child
}
