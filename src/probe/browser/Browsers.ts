/** Runs browser checks, about one at a time for each core; workspaces share the browsers fairly. */
import { Effect, Fiber, Runtime } from "effect"
import { availableParallelism } from "node:os"
import { EgressGuard, guardFor } from "../../egress/EgressGuard.ts"
import { makeFairRuns } from "../FairRuns.ts"
import { Overloaded } from "../Overloaded.ts"
import { strongest } from "../script/Isolation.ts"
import { Scripts } from "../script/Scripts.ts"
import { type BrowserEnd, type BrowserJob, canStart, runBrowser, type Setup } from "./BrowserRun.ts"
import { ChromiumPath, isolations, removeStaleProfiles } from "./Chromium.ts"

/** Each browser holds 300 to 400 MB. */
const mostBrowsers = 4

const overloaded = new Overloaded({
  resource: "browsers",
  message:
    "The check was not made: too many browser checks of this workspace are waiting. Use longer intervals or shorter scripts."
})

const unavailable = (message: string): Overloaded => new Overloaded({ resource: "browsers", message })

const notInstalled = unavailable(
  "The check was not made: this probe has no Chromium. Install it (Debian: apt-get install chromium), or set BELLTOWER_CHROMIUM to its path."
)

/** Fails where a new network has no loopback. */
const reachesItself = "const n=require(\"net\");const s=n.createServer(()=>process.exit(0)).listen(0,\"127.0.0.1\"," +
  "()=>n.connect(s.address().port,\"127.0.0.1\").on(\"error\",()=>process.exit(1)))"

/** The way in which Chromium runs. Where Chromium's own sandbox does not work, only another user's rights may stand in for it. */
const findSetup = Effect.fn("Browsers.findSetup")(function*(path: string | null, guard: EgressGuard) {
  if (path === null) return notInstalled
  yield* removeStaleProfiles()
  const isolation = yield* strongest(isolations, reachesItself)
  if (isolation === null) return unavailable("The check was not made: this probe cannot start a process.")
  const isOther = isolations.indexOf(isolation) < 2
  for (const isSandboxed of isOther ? [true, false] : [true]) {
    if (!(yield* canStart({ path, isolation, isSandboxed }, guard))) continue
    const sandbox = isSandboxed ? "with its own sandbox" : "without its own sandbox, which this system does not support"
    yield* Effect.logInfo(`Chromium runs as a process with ${isolation.name}, ${sandbox}`)
    return { path, isolation, isSandboxed }
  }
  return unavailable("The check was not made: Chromium does not start on this probe. docs/operations.md lists what it needs.")
})

export class Browsers extends Effect.Service<Browsers>()("belltower/Browsers", {
  scoped: Effect.gen(function*() {
    const guard = yield* EgressGuard
    const scripts = yield* Scripts
    const path = yield* ChromiumPath
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    let setup: Setup | Overloaded = notInstalled
    let canRun = path !== null

    const prepare = Effect.gen(function*() {
      setup = yield* findSetup(path, guard)
      canRun = !(setup instanceof Overloaded)
      if (!canRun && path !== null) {
        yield* Effect.logWarning("Chromium does not start on this probe; trying again in a minute")
      }
      return canRun
    })

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
          runBrowser(setup, guardFor(guard, { owner: job.workspaceId }), scripts, job),
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
    /** This machine has a browser; false if none is installed, or the installed one did not start. */
    return { run, isAvailable: () => canRun }
  })
}) {}
