/** Runs scripts in isolated processes, one process for each run; workspaces share the processes fairly. */
import { Effect } from "effect"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { makeFairRuns } from "../FairRuns.ts"
import { Overloaded } from "../Overloaded.ts"
import { bundledProgram, type Isolation, nobody, noRights, startIsolated, strongest } from "./Isolation.ts"
import { endedEarly, type PageHandler, runScript, type ScriptEnd, type ScriptJob } from "./ScriptRun.ts"

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
    let isolation: Isolation | null = null

    /** Runs a script in a new process. Returns a kill. */
    const runIn = (
      isolated: Isolation | null,
      job: ScriptJob,
      done: (end: ScriptEnd | Overloaded) => void,
      onPage: PageHandler | null = null
    ): () => void => {
      const program = bundledProgram("scriptSandbox")
      const child = program === null || isolated === null
        ? null
        : startIsolated(isolated, nodeArguments, { stdio: ["pipe", "ignore", "ignore", "pipe"] }, program)
      if (child !== null) return runScript(child, job, () => clock.unsafeCurrentTimeMillis(), done, onPage)
      done(program === null ? missing : notStarted)
      return () => {}
    }

    const find = Effect.flatMap(strongest(isolations), (found) => {
      isolation = found
      return Effect.as(
        found === null
          ? Effect.logWarning("No process can be started for scripts; trying again in a minute")
          : Effect.logInfo(`Scripts run in processes with ${found.name}`),
        found
      )
    })

    /** Searched for at the first script: most workers never run one. */
    const known = Effect.suspend(() => isolation === null ? find : Effect.succeed(isolation))

    const run = yield* makeFairRuns<ScriptJob, ScriptEnd | Overloaded>({
      deadlines: guard.deadlines,
      slots: processes,
      room: { total: 200, perOwner: 50 },
      longestWaitMs: 30_000,
      overloaded,
      prepare: Effect.map(known, (found) => found !== null),
      begin: (job, end) => runIn(isolation, job, end)
    })

    /** A script with a page, which its browser's slot limits; fails never. Interruption kills it. */
    const runWithPage = (job: ScriptJob, onPage: PageHandler): Effect.Effect<ScriptEnd> =>
      Effect.flatMap(known, (isolated) =>
        Effect.async<ScriptEnd>((resume) => {
          const done = (end: ScriptEnd | Overloaded) =>
            resume(Effect.succeed(end instanceof Overloaded ? endedEarly("crashed", end.message) : end))
          return Effect.sync(runIn(isolated, job, done, onPage))
        }))

    return { run, runWithPage }
  })
}) {}
