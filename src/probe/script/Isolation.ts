/** Starts processes that run a tenant's work in isolation: in the strongest way that works on this machine. */
import { Effect, Option } from "effect"
import type { ChildProcess, SpawnOptions } from "node:child_process"
import { readFileSync } from "node:fs"
import { bundledFile } from "../../domain/tools/BundledFile.ts"
import { startProcess } from "../StartProcess.ts"

/** A command that runs another one in isolation; its name is for the log. */
export interface Isolation {
  readonly name: string
  readonly command: ReadonlyArray<string>
}

/** Numeric ids: `nobody` need not exist. */
export const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
export const noRights = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--pdeathsig", "KILL"]

const programs = new Map<string, Buffer>()

/** A program that is bundled; null if it is missing. */
export const bundledProgram = (name: string): Buffer | null => {
  const known = programs.get(name)
  if (known !== undefined) return known
  const file = bundledFile(`${name}.js`)
  if (file === null) return null
  const program = readFileSync(file)
  programs.set(name, program)
  return program
}

/** Starts Node in isolation; null if it cannot. The program comes over stdin: its user may not be able to read our files. */
export const startIsolated = (
  { command }: Isolation,
  nodeArguments: ReadonlyArray<string>,
  options: SpawnOptions,
  program?: Buffer
): ChildProcess | null => {
  const [first = process.execPath, ...rest] = [...command, process.execPath, ...nodeArguments]
  const child = startProcess(first, rest, { ...options, env: {}, cwd: "/" })
  child?.stdin?.on("error", () => {})
  child?.stdin?.end(program)
  return child
}

/** Says whether Node runs `code` in this isolation without failing. */
const works = (isolation: Isolation, code: string): Effect.Effect<boolean> =>
  Effect.async<boolean>((resume) => {
    const child = startIsolated(isolation, ["-e", code], { stdio: "ignore" })
    if (child === null) return resume(Effect.succeed(false))
    child.on("exit", (status) => resume(Effect.succeed(status === 0)))
    return Effect.sync(() => child.kill("SIGKILL"))
  }).pipe(Effect.timeoutTo({ duration: "10 seconds", onSuccess: (worked) => worked, onTimeout: () => false }))

/** The first isolation in which Node runs `code`; null if it runs in none, so that a later attempt finds a strong one. */
export const strongest = (isolations: ReadonlyArray<Isolation>, code = "0"): Effect.Effect<Isolation | null> =>
  Effect.map(Effect.findFirst(isolations, (one) => works(one, code)), Option.getOrNull)
