/** One run of a browser check: a browser of its own, a page in it, and the script that drives the page. */
import { Clock, Deferred, Effect, FiberSet, Option, Predicate, Schedule, Schema, type Scope } from "effect"
import { readFile } from "node:fs/promises"
import type { BrowserEvidence } from "../../../schema/check/Check.ts"
import type { AddressPermits } from "../../domain/check/address/PermitsAt.ts"
import { browserLimits } from "../../domain/check/answer/ScriptLimits.ts"
import { maskUrls } from "../../domain/secret/UrlSecrets.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import type { EgressGuard } from "../../egress/EgressGuard.ts"
import { endedEarly, type PageHandler, type ScriptEnd, type ScriptJob } from "../script/ScriptRun.ts"
import type { Scripts } from "../script/Scripts.ts"
import { makeBrowserProxy, type Refused } from "./BrowserProxy.ts"
import { NoBrowser, type Setup, startChromium } from "./Chromium.ts"
import { makeDevTools } from "./DevTools.ts"
import { act, type Stage } from "./PageActions.ts"
import { pageFunctions } from "./PageFunctions.ts"
import { openPage, type PageSession, type PageSettings, screenshot, type Viewport } from "./PageSession.ts"

export interface BrowserJob extends Omit<ScriptJob, "guard"> {
  readonly viewport: Viewport
  readonly workspaceId: string
  /** The permits of the check at the addresses that the pages reach. */
  readonly permits: AddressPermits
}

export interface BrowserEnd extends ScriptEnd {
  readonly browser: BrowserEvidence
}

type Action = BrowserEvidence["actions"][number]

const Shown = Schema.decodeUnknownOption(Schema.String)
const clean = (text: string): string => storable(maskUrls(text))

const makeAlbum = (session: PageSession, viewport: Viewport) => {
  const shots: Array<BrowserEvidence["screenshots"][number]> = []
  let room: number = browserLimits.screenshotCharacters
  const shoot = (name: string | null): Effect.Effect<boolean> =>
    shots.length >= browserLimits.screenshots ? Effect.succeed(false) : Effect.map(
      screenshot(session, viewport, room),
      Option.match({
        onNone: () => false,
        onSome: (jpeg) => {
          room -= jpeg.length
          shots.push({ name: name === null ? `Screenshot ${shots.length + 1}` : storable(name), jpeg })
          return true
        }
      })
    )
  return { shots, shoot }
}

/** An action and its target, for the evidence; not the text that it types. */
const described = (action: string, args: string): string => {
  const [first] = Option.getOrElse(Schema.decodeUnknownOption(Schema.parseJson(Schema.Array(Schema.Unknown)))(args), () => [])
  return Predicate.isString(first) ? `${action} ${first.slice(0, 200)}` : action
}

const makeHandler = (
  stage: Omit<Stage, "left">,
  actions: Array<Action>
): Effect.Effect<PageHandler, never, Scope.Scope> =>
  Effect.map(FiberSet.makeRuntime<never>(), (runFork): PageHandler => {
    let asked = 0
    return ({ action, args }, left, reply) => {
      if (++asked > browserLimits.actions) {
        return reply(JSON.stringify({ failed: `a script takes at most ${browserLimits.actions} actions` }))
      }
      const entry = { action: clean(described(action, args)), ms: 0, error: new Array<string>() }
      const run = Effect.gen(function*() {
        const startedAt = yield* Clock.currentTimeMillis
        const done = yield* Effect.either(act({ ...stage, left }, action, args))
        const ms = (yield* Clock.currentTimeMillis) - startedAt
        const error = done._tag === "Left" ? done.left.message.slice(0, 1000) : null
        actions.push({ action: entry.action, ms, error: error === null ? null : clean(error) })
        reply(done._tag === "Left" ? JSON.stringify({ failed: error }) : `{"value":${done.right}}`)
      })
      runFork(run)
    }
  })

const evidenceOf = Effect.fn("BrowserRun.evidenceOf")(function*(
  session: PageSession,
  refused: Refused,
  actions: ReadonlyArray<Action>,
  screenshots: BrowserEvidence["screenshots"]
) {
  const shown = (code: string) =>
    session.call(code).pipe(
      Effect.timeout("1 second"),
      Effect.option,
      Effect.map((found) => Option.getOrNull(Option.map(Option.flatMap(found, Shown), clean)))
    )
  return {
    url: yield* shown(pageFunctions.url),
    title: yield* shown(pageFunctions.title),
    actions: [...actions],
    requests: session.requests.map(({ error, status, url }) => ({ url: clean(url), status, error })),
    refused: [...refused].map(([host, { message }]) => ({ host: storable(host), error: storable(message) })),
    console: session.logs.map(({ level, text }) => ({ level, text: clean(text) })),
    screenshots
  }
})

const pageBytes = 4096

/** A process that ended meanwhile reads as nothing. */
const read = (path: string): Effect.Effect<string> =>
  Effect.orElseSucceed(Effect.tryPromise(() => readFile(path, "utf8")), () => "")

const numbers = (text: string): ReadonlyArray<number> => text.trim().split(/\s+/).filter((part) => part !== "").map(Number)

/** The memory of a process and its descendants without what they share, bytes. */
const heldBy = (pid: number): Effect.Effect<number> =>
  Effect.gen(function*() {
    const [, resident = 0, shared = 0] = numbers(yield* read(`/proc/${pid}/statm`))
    const children = numbers(yield* read(`/proc/${pid}/task/${pid}/children`))
    const held = yield* Effect.forEach(children, heldBy)
    return held.reduce((sum, one) => sum + one, (resident - shared) * pageBytes)
  })

/** Completes when the memory is beyond the limit. Where there is no /proc, it never does. */
const memoryExceeded = (pid: number): Effect.Effect<string> =>
  heldBy(pid).pipe(
    Effect.repeat({ until: (bytes) => bytes > browserLimits.memoryBytes, schedule: Schedule.spaced("500 millis") }),
    Effect.as(`The browser used more than ${browserLimits.memoryBytes / 1_048_576} MiB of memory`)
  )

const startMs = "15 seconds"

const opened = Effect.fn("BrowserRun.opened")(
  function*(setup: Setup, guard: EgressGuard, page: PageSettings, onFlood: (why: string) => void) {
    const chromium = yield* startChromium(setup)
    const devtools = yield* makeDevTools(chromium, () => onFlood("The browser sent too much and was stopped"))
    const refused = yield* makeBrowserProxy(
      guard,
      chromium.listener,
      () => onFlood(`The pages loaded more than ${browserLimits.transferBytes / 1_048_576} MiB`)
    )
    const session = yield* openPage(devtools, page, chromium.proxyPort).pipe(
      Effect.timeoutFail({ duration: startMs, onTimeout: () => new NoBrowser({ message: "The browser did not start in time" }) }),
      Effect.catchTag("DevToolsFailed", ({ message }) => new NoBrowser({ message: `The browser cannot open a page: ${message}` }))
    )
    return { chromium, refused, session }
  }
)

export const canStart = (setup: Setup, guard: EgressGuard): Effect.Effect<boolean> =>
  Effect.isSuccess(Effect.scoped(opened(setup, guard, { viewport: { width: 800, height: 600 }, verifiesTls: true }, () => {})))

/** Runs a script with a browser. The browser and all that it left ends with the run. */
export const runBrowser = Effect.fn("BrowserRun.runBrowser")(function*(
  setup: Setup,
  guard: EgressGuard,
  scripts: Scripts,
  job: BrowserJob
) {
  const flooded = yield* Deferred.make<string>()
  const { chromium, refused, session } = yield* opened(
    setup,
    guard,
    { viewport: job.viewport, verifiesTls: job.tls.verify },
    (why) => {
      Deferred.unsafeDone(flooded, Effect.succeed(why))
    }
  )
  const { shoot, shots } = makeAlbum(session, job.viewport)
  const actions: Array<Action> = []
  const handler = yield* makeHandler({ session, refused, shoot }, actions)
  const { code, env, timeoutMs, tls } = job
  const limit = Effect.map(
    Effect.raceFirst(Deferred.await(flooded), memoryExceeded(chromium.pid)),
    (why) => endedEarly("limit", why)
  )
  const ended = yield* Effect.raceFirst(scripts.runWithPage({ code, env, timeoutMs, guard, tls }, handler), limit)
  if (ended.end !== "passed") {
    yield* shoot("at the end")
  }
  return { ...ended, browser: yield* evidenceOf(session, refused, actions, shots) }
}, Effect.scoped)
