/** Runs scripts in isolated processes, one process for each run; workspaces share the processes fairly. */
import { Effect, Runtime } from "effect"
import type { Scope } from "effect"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { Overloaded } from "../Overloaded.ts"
import { makeFairRuns } from "./FairRuns.ts"
import type { Isolation } from "./Isolation.ts"
import { findIsolation, launch } from "./Launcher.ts"
import { runScript } from "./ScriptRun.ts"
import type { PageHandler, ScriptEnd, ScriptJob } from "./ScriptRun.ts"

/** Each process holds up to about 130 MB, and 60 MB usually. */
const processes = 4

const overloaded = new Overloaded({
  resource: "scripts",
  message: "The script was not run: too many scripts of this workspace are waiting. Use longer intervals or shorter scripts."
})

const missing: ScriptEnd = {
  end: "crashed",
  message: "The sandbox program is missing; build it first",
  totalMs: 0,
  evidence: { logs: [], logsCut: false, steps: [], requests: [] }
}

export class Scripts extends Effect.Service<Scripts>()("belltower/Scripts", {
  scoped: Effect.gen(function*() {
    const guard = yield* EgressGuard
    const clock = yield* Effect.clock
    const runFork = Runtime.runFork(yield* Effect.runtime<Scope.Scope>())
    let isolation: Isolation | null = null
    let isSearching = false

    /** Runs a script in a new process. Returns a kill. */
    const runIn = (
      isolated: Isolation,
      job: ScriptJob,
      done: (end: ScriptEnd) => void,
      onPage: PageHandler | null = null
    ): () => void => {
      const child = launch(isolated)
      if (child !== null) return runScript(child, job, () => clock.unsafeCurrentTimeMillis(), done, onPage)
      done(missing)
      return () => {}
    }

    const find = Effect.flatMap(findIsolation, (found) => {
      isolation = found
      return Effect.as(Effect.logInfo(`Scripts run in processes with ${found.name}`), found)
    })

    /** At the first script: most workers never run one. */
    const isReady = (): boolean => {
      if (isolation !== null) return true
      if (!isSearching) {
        isSearching = true
        runFork(Effect.forkScoped(Effect.map(find, () => runs.pump())))
      }
      return false
    }

    const runs = makeFairRuns<ScriptJob, ScriptEnd>({
      deadlines: guard.deadlines,
      slots: processes,
      room: { total: 200, perOwner: 50 },
      longestWaitMs: 30_000,
      overloaded,
      isReady,
      begin: (job, end) => {
        if (isolation !== null) return runIn(isolation, job, end)
        end(missing)
        return () => {}
      }
    })
    yield* Effect.addFinalizer(() => Effect.sync(runs.killAll))

    /** A script with a page, which its browser's slot limits; fails never. Interruption kills it. */
    const runWithPage = (job: ScriptJob, onPage: PageHandler): Effect.Effect<ScriptEnd> =>
      Effect.flatMap(
        Effect.suspend(() => isolation === null ? find : Effect.succeed(isolation)),
        (isolated) =>
          Effect.async<ScriptEnd>((resume) => Effect.sync(runIn(isolated, job, (end) => resume(Effect.succeed(end)), onPage)))
      )

    return { run: runs.run, runWithPage }
  })
}) {}
