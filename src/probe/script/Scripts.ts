/** Runs scripts in isolated processes, one process for each run; workspaces share the processes fairly. */
import { Effect, Either } from "effect"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { makeFairRuns } from "../FairRuns.ts"
import { confinements } from "../isolation/Confinements.ts"
import { makeHelperIds } from "../isolation/HelperIds.ts"
import { bundledProgram, findIsolation, type Isolation, IsolationSettings, startIsolated } from "../isolation/Isolation.ts"
import { reservedData } from "../isolation/ReservedData.ts"
import { Overloaded } from "../Overloaded.ts"
import { endedEarly, type PageHandler, runScript, type ScriptEnd, type ScriptJob } from "./ScriptRun.ts"

/** Bytes of data of one process, with what V8 and WebAssembly use beside the script, but not what V8 only sets aside for code. */
const usedData = 600_000_000

/** Node itself has about a dozen threads. */
export const limits = {
  always: ["--core=0", "--fsize=0", "--nofile=64", `--data=${usedData + reservedData()}`],
  perUser: ["--nproc=128"]
}

const hasFlag = (flag: string): boolean => process.allowedNodeEnvironmentFlags.has(flag)

/**
 * Node's permission model, the last line where nothing else isolates: no files, processes, threads or addons. It holds back JavaScript
 * only, no signals, and with Node below 25 no connections; from there on, the pipe to the worker counts as one.
 */
const permissions = [
  ...["--permission", "--experimental-permission"].filter(hasFlag).slice(0, 1),
  ...["--allow-net"].filter(hasFlag)
]

/** The heap of Node itself; the script's memory is WebAssembly's. The stack fits within the usual 8 MB. */
const nodeArguments = [
  ...permissions,
  ...["--max-old-space-size=128", "--stack-size=3900", "--no-warnings", "--input-type=module", "-"]
]

/** Each process holds up to about 130 MB, and 60 MB usually. */
const processes = 4

const overloaded = new Overloaded({
  resource: "scripts",
  message: "The script was not run: too many scripts of this workspace are waiting. Use longer intervals or shorter scripts."
})

const missing = endedEarly("crashed", "The sandbox program is missing; build it first")

/** The target has no part in it. */
const notStarted = new Overloaded({
  resource: "scripts",
  message: "The check was not made: this probe cannot start a process. Give it more process ids and memory."
})

export class Scripts extends Effect.Service<Scripts>()("belltower/Scripts", {
  scoped: Effect.gen(function*() {
    const guard = yield* EgressGuard
    const clock = yield* Effect.clock
    const { hidden, isRequired } = yield* IsolationSettings
    const ids = makeHelperIds("scripts")
    let isolation: Isolation | Overloaded = notStarted
    let isRefused = false

    /** Runs a script in a new process. Returns a kill. */
    const runIn = (
      job: ScriptJob,
      done: (end: ScriptEnd | Overloaded) => void,
      onPage: PageHandler | null = null
    ): () => void => {
      const program = bundledProgram("scriptSandbox")
      const child = program === null || isolation instanceof Overloaded
        ? null
        : startIsolated(isolation, ids, nodeArguments, { stdio: ["pipe", "ignore", "ignore", "pipe"] }, program)
      if (child !== null) return runScript(child, job, () => clock.unsafeCurrentTimeMillis(), done, onPage)
      done(program === null ? missing : isolation instanceof Overloaded ? isolation : notStarted)
      return () => {}
    }

    const find = Effect.suspend(() =>
      findIsolation({
        kind: "scripts",
        confinements: confinements({ chromium: null, hidden }, limits),
        ids,
        needsLoopback: false
      })
    ).pipe(Effect.map((found) => {
      isRefused = Either.isLeft(found)
      isolation = Either.getOrElse(
        found,
        (why) => new Overloaded({ resource: "scripts", message: `The check was not made: ${why}`, isLasting: true })
      )
    }))
    const alone = yield* Effect.makeSemaphore(1)
    /** Why this probe runs no scripts; null if it does. */
    const refused = Effect.map(
      alone.withPermits(1)(Effect.unless(find, () => !(isolation instanceof Overloaded))),
      () => isolation instanceof Overloaded ? isolation : null
    )
    // Other workers search at their first script, because most never run one.
    if (isRequired) yield* Effect.forkScoped(refused)

    const run = yield* makeFairRuns<ScriptJob, ScriptEnd | Overloaded>({
      deadlines: guard.deadlines,
      slots: processes,
      room: { total: 200, perOwner: 50 },
      longestWaitMs: 30_000,
      overloaded,
      prepare: Effect.map(refused, (why) => why === null),
      begin: (job, end) => runIn(job, end)
    })

    /** A script with a page, which its browser's slot limits; fails never. Interruption kills it. */
    const runWithPage = (job: ScriptJob, onPage: PageHandler): Effect.Effect<ScriptEnd> =>
      Effect.zipRight(
        refused,
        Effect.async<ScriptEnd>((resume) => {
          const done = (end: ScriptEnd | Overloaded) =>
            resume(Effect.succeed(end instanceof Overloaded ? endedEarly("crashed", end.message) : end))
          return Effect.sync(runIn(job, done, onPage))
        })
      )

    /** False once this probe has found that it may not run scripts, or cannot. */
    return { run, runWithPage, refused, isAvailable: () => !isRefused }
  })
}) {}
