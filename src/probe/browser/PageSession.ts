/** One page of a browser: its window, its navigations and its log, and calls of functions in it. */
import { Data, Effect, Either, FiberSet, Option, Predicate, Schema } from "effect"
import type { BrowserEvidence } from "../../../schema/check/Check.ts"
import type { TargetOf } from "../../../schema/monitor/kinds.ts"
import { browserLimits } from "../../domain/check/answer/ScriptLimits.ts"
import { type DevTools, type DevToolsFailed, nothing } from "./DevTools.ts"

/** An action of a script that failed. The message is for the author of the script. */
export class PageFailed extends Data.TaggedError("PageFailed")<{ readonly message: string }> {}

export type Viewport = TargetOf<"browser">["viewport"]

type PageRequest = BrowserEvidence["requests"][number]
type PageLog = BrowserEvidence["console"][number]

type Command = <A, I>(
  method: string,
  params: Readonly<Record<string, unknown>>,
  result: Schema.Schema<A, I>
) => Effect.Effect<A, DevToolsFailed>

const mostRequests = 50
const mostLoaders = 200

const textAt = (value: unknown, name: string): string => {
  const found = Predicate.isRecord(value) ? value[name] : undefined
  return typeof found === "string" ? found : ""
}
const recordAt = (value: unknown, name: string): Readonly<Record<string, unknown>> => {
  const found = Predicate.isRecord(value) ? value[name] : undefined
  return Predicate.isRecord(found) ? found : {}
}

const levels: Readonly<Record<string, PageLog["level"]>> = { error: "error", assert: "error", warning: "warn" }

/** Collects what the page reports of itself, within the limits of a check. */
const watchPage = (devtools: DevTools, frame: string) => {
  const statuses = new Map<string, number>()
  const urls = new Map<string, string>()
  const loaded = new Set<string>()
  const requests: Array<PageRequest> = []
  const logs: Array<PageLog> = []
  const log = (level: PageLog["level"], text: string): void => {
    if (logs.length < browserLimits.consoleLines) logs.push({ level, text: text.slice(0, browserLimits.consoleCharacters) })
  }
  const record = (request: PageRequest): void => {
    if (requests.length < mostRequests) requests.push({ ...request, url: request.url.slice(0, 2000) })
  }
  devtools.on("Network.requestWillBeSent", (params) => {
    if (urls.size < mostLoaders * 5) {
      urls.set(textAt(params, "requestId"), textAt(recordAt(params, "request"), "url").slice(0, 2000))
    }
  })
  devtools.on("Network.responseReceived", (params) => {
    const response = recordAt(params, "response")
    const status = response["status"]
    if (textAt(params, "type") !== "Document" || typeof status !== "number") return
    if (textAt(params, "frameId") === frame && statuses.size < mostLoaders) statuses.set(textAt(params, "loaderId"), status)
    record({ url: textAt(response, "url"), status, error: null })
  })
  devtools.on("Network.loadingFailed", (params) => {
    if (params["canceled"] === true) return
    record({ url: urls.get(textAt(params, "requestId")) ?? "", status: null, error: textAt(params, "errorText") })
  })
  devtools.on("Page.lifecycleEvent", (params) => {
    if (textAt(params, "name") === "load" && textAt(params, "frameId") === frame && loaded.size < mostLoaders) {
      loaded.add(textAt(params, "loaderId"))
    }
  })
  devtools.on("Runtime.consoleAPICalled", (params) => {
    const args = Array.isArray(params["args"]) ? params["args"] : []
    const shown = args.slice(0, 10).map((one: unknown) =>
      Predicate.isRecord(one) ? String(one["value"] ?? one["description"] ?? "") : ""
    )
    log(levels[textAt(params, "type")] ?? "log", shown.join(" "))
  })
  devtools.on("Runtime.exceptionThrown", (params) => {
    const details = recordAt(params, "exceptionDetails")
    const thrown = textAt(recordAt(details, "exception"), "description")
    log("error", thrown === "" ? textAt(details, "text") : thrown)
  })
  return { statuses, loaded, requests, logs }
}

const World = Schema.Struct({ executionContextId: Schema.Int })
const Called = Schema.Struct({
  result: Schema.Struct({ value: Schema.optional(Schema.Unknown) }),
  exceptionDetails: Schema.optional(
    Schema.Struct({
      text: Schema.String,
      exception: Schema.optional(Schema.Struct({ description: Schema.optional(Schema.String) }))
    })
  )
})

const world = "belltower"

export interface PageSettings {
  readonly viewport: Viewport
  /** Whether certificates that the browser does not trust stop it. */
  readonly verifiesTls: boolean
}

const prepare = (
  command: Command,
  { verifiesTls, viewport: { height, width } }: PageSettings
): Effect.Effect<void, DevToolsFailed> =>
  Effect.all([
    command("Security.setIgnoreCertificateErrors", { ignore: !verifiesTls }, nothing),
    command("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false }, nothing),
    command("Page.enable", {}, nothing),
    command("Page.setLifecycleEventsEnabled", { enabled: true }, nothing),
    command("Network.enable", { maxTotalBufferSize: 1_000_000, maxResourceBufferSize: 100_000 }, nothing),
    command("Runtime.enable", {}, nothing)
  ], { discard: true })

/** Opens a page with nothing in it, in a context of its own whose connections go to the proxy on this port. */
export const openPage = Effect.fn("PageSession.openPage")(function*(
  devtools: DevTools,
  settings: PageSettings,
  proxyPort: number
) {
  const runFork = yield* FiberSet.makeRuntime<never>()
  const { browserContextId } = yield* devtools.command(
    "Target.createBrowserContext",
    { proxyServer: `http://127.0.0.1:${proxyPort}`, proxyBypassList: "<-loopback>" },
    Schema.Struct({ browserContextId: Schema.String })
  )
  yield* devtools.command("Browser.setDownloadBehavior", { behavior: "deny", browserContextId }, nothing)
  const { targetId } = yield* devtools.command(
    "Target.createTarget",
    { url: "about:blank", browserContextId },
    Schema.Struct({ targetId: Schema.String })
  )
  const { sessionId } = yield* devtools.command(
    "Target.attachToTarget",
    { targetId, flatten: true },
    Schema.Struct({ sessionId: Schema.String })
  )
  // The main frame of a page has the id of its target.
  const seen = watchPage(devtools, targetId)
  const command: Command = (method, params, result) => devtools.command(method, params, result, sessionId)
  /** Calls one of the page functions in the current document. */
  const call = Effect.fnUntraced(function*(code: string, ...args: ReadonlyArray<unknown>) {
    const { executionContextId } = yield* command("Page.createIsolatedWorld", { frameId: targetId, worldName: world }, World)
    const { exceptionDetails, result } = yield* command("Runtime.callFunctionOn", {
      functionDeclaration: code,
      executionContextId,
      arguments: args.map((value) => ({ value })),
      returnByValue: true
    }, Called)
    if (exceptionDetails === undefined) return result.value
    const [first = ""] = (exceptionDetails.exception?.description ?? exceptionDetails.text).split("\n")
    return yield* new PageFailed({ message: first.slice(0, 300) })
  })
  // A dialog would hold the page up.
  devtools.on("Page.javascriptDialogOpening", () => {
    runFork(Effect.ignore(command("Page.handleJavaScriptDialog", { accept: true }, nothing)))
  })
  yield* prepare(command, settings)
  return {
    command,
    call,
    /** The status of the document that a navigation loaded; null if it came without one. */
    statusOf: (loader: string): number | null => seen.statuses.get(loader) ?? null,
    /** The document of a navigation has loaded with all of its parts. */
    hasLoaded: (loader: string): boolean => seen.loaded.has(loader),
    requests: seen.requests,
    logs: seen.logs
  }
})
export type PageSession = Effect.Effect.Success<ReturnType<typeof openPage>>

const Shot = Schema.Struct({ data: Schema.String })

/** A JPEG of the window, base64; none if it cannot be taken within `room` characters. */
export const screenshot = (
  session: PageSession,
  { height, width }: Viewport,
  room: number
): Effect.Effect<Option.Option<string>> => {
  const scale = Math.min(1, browserLimits.screenshotWidth / width)
  const take = (quality: number) =>
    session.command(
      "Page.captureScreenshot",
      { format: "jpeg", quality, clip: { x: 0, y: 0, width, height, scale }, captureBeyondViewport: false },
      Shot
    )
  return take(60).pipe(
    Effect.flatMap((shot) => shot.data.length > room ? take(25) : Effect.succeed(shot)),
    Effect.timeout("5 seconds"),
    Effect.either,
    Effect.map(Either.match({
      onLeft: () => Option.none(),
      onRight: ({ data }) => data.length > room ? Option.none() : Option.some(data)
    }))
  )
}
