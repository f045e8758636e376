/** Runs browser checks, about one at a time for each core; workspaces share the browsers fairly. */
import { Effect, Either, Fiber, Runtime } from "effect"
import { availableParallelism } from "node:os"
import { EgressGuard, guardFor } from "../../egress/EgressGuard.ts"
import { makeFairRuns } from "../FairRuns.ts"
import { confinements } from "../isolation/Confinements.ts"
import { type HelperIds, makeHelperIds } from "../isolation/HelperIds.ts"
import { findIsolation, IsolationSettings } from "../isolation/Isolation.ts"
import { Overloaded } from "../Overloaded.ts"
import { Scripts } from "../script/Scripts.ts"
import { type BrowserEnd, type BrowserJob, canStart, runBrowser } from "./BrowserRun.ts"
import { ChromiumPath, limits, removeStaleProfiles, type Setup } from "./Chromium.ts"

/** Each browser holds 300 to 400 MB. */
const mostBrowsers = 4

const overloaded = new Overloaded({
  resource: "browsers",
  message:
    "The check was not made: too many browser checks of this workspace are waiting. Use longer intervals or shorter scripts."
})

const unavailable = (message: string): Overloaded => new Overloaded({ resource: "browsers", message })

const refusedFor = (why: string): Overloaded =>
  new Overloaded({ resource: "browsers", message: `The check was not made: ${why}`, isLasting: true })

const notInstalled = unavailable(
  "The check was not made: this probe has no Chromium. Install it (Debian: apt-get install chromium-headless-shell), or set BELLTOWER_CHROMIUM to its path."
)

/** The way in which Chromium runs. Where its own sandbox does not work, only an id of its own may stand in for it. */
const findSetup = Effect.fn("Browsers.findSetup")(
  function*(path: string | null, guard: EgressGuard, scripts: Scripts, ids: HelperIds) {
    const refused = yield* scripts.refused
    if (path === null) return notInstalled
    // Its script would not run.
    if (refused !== null) return refused
    const { hidden } = yield* IsolationSettings
    const ways = yield* Effect.either(Effect.try(() => confinements({ chromium: path, hidden }, limits)))
    if (Either.isLeft(ways)) return notInstalled
    const found = yield* findIsolation({ kind: "browsers", confinements: ways.right, ids, needsLoopback: true })
    if (Either.isLeft(found)) return refusedFor(found.left)
    const isolation = found.right
    if (isolation.lacks.includes("files")) yield* removeStaleProfiles()
    for (const isSandboxed of isolation.lacks.includes("user") ? [true] : [true, false]) {
      const setup = { path, isolation, ids, isSandboxed }
      if (!(yield* canStart(setup, guard))) continue
      const sandbox = isSandboxed ? "with its own sandbox" : "without its own sandbox, which this system does not support"
      yield* Effect.logInfo(`Chromium runs ${sandbox}`)
      return setup
    }
    return unavailable("The check was not made: Chromium does not start on this probe. docs/operations.md lists what it needs.")
  }
)

export class Browsers extends Effect.Service<Browsers>()("belltower/Browsers", {
  scoped: Effect.gen(function*() {
    const guard = yield* EgressGuard
    const scripts = yield* Scripts
    const path = yield* ChromiumPath
    const { isRequired } = yield* IsolationSettings
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    let setup: Setup | Overloaded = notInstalled
    let canRun = path !== null
    const ids = makeHelperIds("browsers")

    const prepare = Effect.gen(function*() {
      if (!(setup instanceof Overloaded)) return true
      setup = yield* findSetup(path, guard, scripts, ids)
      canRun = !(setup instanceof Overloaded)
      if (!canRun && path !== null) {
        yield* Effect.logWarning("Browser monitors are not checked by this probe; trying again in a minute")
      }
      return canRun
    })
    if (isRequired && path !== null) yield* Effect.forkScoped(prepare)

    const run = yield* makeFairRuns<BrowserJob, BrowserEnd | Overloaded>({
      deadlines: guard.deadlines,
      slots: Math.min(mostBrowsers, availableParallelism()),
      room: { total: 50, perOwner: 20 },
      longestWaitMs: 60_000,
      overloaded,
      prepare,
      begin: (job, end) => {
        if (setup instanceof Overloaded) {
          end(setup)
          return () => {}
        }
        // A page asks for names of any number: those that are not looked up are in its evidence, and do not hide its failure.
        const check = Effect.catchTag(
          runBrowser(setup, guardFor(guard, { owner: job.workspaceId, permits: job.permits }), scripts, job),
          "NoBrowser",
          ({ message }) => Effect.succeed(unavailable(`The check was not made: ${message}`))
        )
        const fiber = runFork(Effect.exit(check))
        let isKilled = false
        fiber.addObserver((exit) => {
          if (isKilled) return
          end(
            exit._tag === "Success" && exit.value._tag === "Success"
              ? exit.value.value
              : unavailable("The check was not made: the browser failed; see the probe's log")
          )
        })
        return () => {
          isKilled = true
          runFork(Fiber.interrupt(fiber))
        }
      }
    })
    /** This machine has a browser; false if none is installed, or the installed one did not start or may not. */
    return { run, isAvailable: () => canRun && scripts.isAvailable() }
  })
}) {}
