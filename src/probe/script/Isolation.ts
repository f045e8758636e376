/** How processes that run a tenant's work are isolated: the strongest way that works on this machine is used. */
import { Effect, Option } from "effect"
import { startProcess } from "../StartProcess.ts"

/** A command that runs another one in isolation; its name is for the log. */
export interface Isolation {
  readonly name: string
  readonly command: ReadonlyArray<string>
}

/** Numeric ids: `nobody` need not exist. */
export const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
export const noRights = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--pdeathsig", "KILL"]

export const environment = { env: {}, cwd: "/" }

/** Whether Node runs `code` in this isolation without failing. */
const works = ({ command }: Isolation, code: string): Effect.Effect<boolean> =>
  Effect.async<boolean>((resume) => {
    const [program = process.execPath, ...rest] = [...command, process.execPath, "-e", code]
    const child = startProcess(program, rest, { ...environment, stdio: "ignore" })
    if (child === null) return resume(Effect.succeed(false))
    child.on("exit", (status) => resume(Effect.succeed(status === 0)))
    return Effect.sync(() => child.kill("SIGKILL"))
  }).pipe(Effect.timeoutTo({ duration: "10 seconds", onSuccess: (worked) => worked, onTimeout: () => false }))

/**
 * The first isolation in which Node runs `code`; null if it runs in none. A machine that cannot start processes now must not leave tenants'
 * work in the weakest isolation once it can.
 */
export const strongest = (isolations: ReadonlyArray<Isolation>, code = "0"): Effect.Effect<Isolation | null> =>
  Effect.map(Effect.findFirst(isolations, (one) => works(one, code)), Option.getOrNull)
