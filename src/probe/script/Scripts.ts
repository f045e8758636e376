/** Runs scripts in isolated processes, one process for each run; workspaces share the processes fairly. */
import { Duration, Effect, Runtime, type Scope } from "effect"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { Overloaded } from "../Overloaded.ts"
import { makeFairRuns } from "./FairRuns.ts"
import type { Isolation } from "./Isolation.ts"
import { bundled, findIsolation, launch } from "./Launcher.ts"
import { type PageHandler, runScript, type ScriptEnd, type ScriptJob } from "./ScriptRun.ts"

/** Each process holds up to about 130 MB, and 60 MB usually. */
const processes = 4

const overloaded = new Overloaded({
  resource: "scripts",
  message: "The script was not run: too many scripts of this workspace are waiting. Use longer intervals or shorter scripts."
})

const crashed = (message: string): ScriptEnd => ({
  end: "crashed",
  message,
  totalMs: 0,
  evidence: { logs: [], logsCut: false, steps: [], requests: [] }
})

const missing = crashed("The sandbox program is missing; build it first")

const unable = "The check was not made: this probe cannot start a process. Give it more process ids and memory."

/** The target has no part in it. */
const notStarted = new Overloaded({ resource: "scripts", message: unable })

/** After this, a probe that could not start a process tries again. */
const retryAfter = Duration.minutes(1)

export class Scripts extends Effect.Service<Scripts>()("belltower/Scripts", {
  scoped: Effect.gen(function*() {
    const guard = yield* EgressGuard
    const clock = yield* Effect.clock
    const runFork = Runtime.runFork(yield* Effect.runtime<Scope.Scope>())
    let isolation: Isolation | null = null
    let isSearching = false
    let isUnable = false

    /** Runs a script in a new process. Returns a kill. */
    const runIn = (
      isolated: Isolation | null,
      job: ScriptJob,
      done: (end: ScriptEnd | Overloaded) => void,
      onPage: PageHandler | null = null
    ): () => void => {
      const program = bundled("scriptSandbox")
      const child = program === null || isolated === null ? null : launch(isolated, program)
      if (child !== null) return runScript(child, job, () => clock.unsafeCurrentTimeMillis(), done, onPage)
      done(program === null ? missing : notStarted)
      return () => {}
    }

    const find = Effect.flatMap(findIsolation, (found) => {
      isolation = found
      return Effect.as(
        found === null
          ? Effect.logWarning("No process can be started for scripts; trying again in a minute")
          : Effect.logInfo(`Scripts run in processes with ${found.name}`),
        found
      )
    })

    const search = Effect.gen(function*() {
      isUnable = (yield* find) === null
      runs.pump()
      if (isUnable) yield* Effect.sleep(retryAfter)
      isSearching = false
      isUnable = false
    })

    /** At the first script: most workers never run one. */
    const isReady = (): boolean => {
      if (isolation !== null || isUnable) return true
      if (!isSearching) {
        isSearching = true
        runFork(Effect.forkScoped(search))
      }
      return false
    }

    const runs = makeFairRuns<ScriptJob, ScriptEnd | Overloaded>({
      deadlines: guard.deadlines,
      slots: processes,
      room: { total: 200, perOwner: 50 },
      longestWaitMs: 30_000,
      overloaded,
      isReady,
      begin: (job, end) => runIn(isolation, job, end)
    })
    yield* Effect.addFinalizer(() => Effect.sync(runs.killAll))

    /** A script with a page, which its browser's slot limits; fails never. Interruption kills it. */
    const runWithPage = (job: ScriptJob, onPage: PageHandler): Effect.Effect<ScriptEnd> =>
      Effect.flatMap(
        Effect.suspend(() => isolation === null ? find : Effect.succeed(isolation)),
        (isolated) =>
          Effect.async<ScriptEnd>((resume) => {
            const done = (end: ScriptEnd | Overloaded) =>
              resume(Effect.succeed(end instanceof Overloaded ? crashed(end.message) : end))
            return Effect.sync(runIn(isolated, job, done, onPage))
          })
      )

    return { run: runs.run, runWithPage }
  })
}) {}
