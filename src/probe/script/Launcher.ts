/** Starts sandbox processes with as little as the system lets us give them: no environment, files, network or rights. */
import type { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { startProcess } from "../StartProcess.ts"
import { environment, type Isolation, nobody, noRights, strongest } from "./Isolation.ts"

/** 600 MB of data include what V8 and WebAssembly reserve. */
const limits = ["prlimit", "--core=0", "--fsize=0", "--nofile=64", "--data=600000000"]

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
  { name: "an empty environment only", command: [] }
]

/** The heap of Node itself; the script's memory is WebAssembly's. The stack fits within the usual 8 MB. */
const nodeArguments = ["--max-old-space-size=128", "--stack-size=3900", "--no-warnings", "--input-type=module", "-"]

export const findIsolation: Effect.Effect<Isolation | null> = strongest(isolations)

const programs = new Map<string, Buffer>()

/** A program that is bundled beside this one, or in `dist`; null if it is missing. */
export const bundled = (name: string): Buffer | null => {
  const known = programs.get(name)
  if (known !== undefined) return known
  const file = [new URL(`./${name}.js`, import.meta.url), new URL(`../../../dist/${name}.js`, import.meta.url)]
    .map((place) => fileURLToPath(place))
    .find((path) => existsSync(path))
  if (file === undefined) return null
  const program = readFileSync(file)
  programs.set(name, program)
  return program
}

/** Null if the process cannot start. The program comes over stdin, because its user may not be able to read our files. */
export const launch = ({ command: isolated }: Isolation, program: Buffer): ChildProcess | null => {
  const [command = process.execPath, ...rest] = [...isolated, process.execPath, ...nodeArguments]
  const child = startProcess(command, rest, { ...environment, stdio: ["pipe", "ignore", "ignore", "pipe"] })
  child?.stdin?.on("error", () => {})
  child?.stdin?.end(program)
  return child
}
