/** Starts Chromium for one check, in isolation and with its own sandbox. */
import { Context, Data, Deferred, Effect, Either, Schema } from "effect"
import type { ChildProcess } from "node:child_process"
import { existsSync } from "node:fs"
import { lstat, readdir, rm } from "node:fs/promises"
import { Server } from "node:net"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { Readable, Writable } from "node:stream"
import { browserLimits } from "../../domain/check/answer/ScriptLimits.ts"
import { type HelperIds, isHelperId } from "../isolation/HelperIds.ts"
import { bundledProgram, type Isolation, startIsolated } from "../isolation/Isolation.ts"
import { workerOf } from "./ProfileName.ts"

export class NoBrowser extends Data.TaggedError("NoBrowser")<{ readonly message: string }> {}

/** First the one without windows, which starts with a seventh of the CPU. */
const usualPaths = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable"
]

export class ChromiumPath extends Context.Reference<ChromiumPath>()("belltower/ChromiumPath", {
  defaultValue: (): string | null => usualPaths.find((path) => existsSync(path)) ?? null
}) {}

/** The browser's processes have up to about 200 threads. */
export const limits = { always: ["--core=0", "--nofile=4096"], perUser: ["--nproc=1024"] }

/** Nothing may leave except through the worker's proxy, which pages have. The browser itself gets a port where nothing listens. */
const flags = [
  "--headless=new",
  "--remote-debugging-pipe",
  "--proxy-server=http://127.0.0.1:9",
  "--proxy-bypass-list=<-loopback>",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  // WebRTC would send to any address by UDP. Its name has changed, and a browser ignores the one that it does not know.
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-client-side-phishing-detection",
  "--disable-default-apps",
  "--disable-extensions",
  "--disable-sync",
  "--disable-breakpad",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--disable-features=Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider",
  "--dns-prefetch-disable",
  "--hide-scrollbars",
  "--mute-audio",
  "--no-default-browser-check",
  "--no-first-run",
  "--no-pings",
  "--password-store=basic",
  "--renderer-process-limit=4",
  `--js-flags=--max-old-space-size=${browserLimits.heapMiB}`
]

const Greeting = Schema.Struct({ profile: Schema.String, port: Schema.Int })
const isGreeting = Schema.is(Greeting)

/** How browsers are started here. */
export interface Setup {
  readonly path: string
  readonly isolation: Isolation
  readonly ids: HelperIds
  /** Whether Chromium's own sandbox is on. */
  readonly isSandboxed: boolean
}

const start = ({ ids, isSandboxed, isolation, path }: Setup): ChildProcess | null => {
  const program = bundledProgram("browserLauncher")
  if (program === null) return null
  const node = ["--max-old-space-size=64", "--no-warnings", "--input-type=module", "-"]
  return startIsolated(
    isolation,
    ids,
    [...node, path, ...flags, ...(isSandboxed ? [] : ["--no-sandbox"])],
    // A group of its own, so that all of its processes end together.
    { detached: true, stdio: ["pipe", "ignore", "ignore", "pipe", "pipe", "ipc"] },
    program
  )
}

/**
 * The folder to remove after a run. The launcher, which names it, runs beside the browser and is not trusted: null for any but a
 * profile of this worker's browsers. In a file system of its own, the profile ends with it.
 */
const profileHere = (path: string): string | null =>
  dirname(path) === tmpdir() && workerOf(basename(path)) === process.pid ? path : null

/** Removes a profile. A folder that another user has put there instead is left alone. */
const removeProfile = (path: string): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(async () => {
    const { uid } = await lstat(path)
    if (!isHelperId(uid) && uid !== process.getuid?.()) return
    await rm(path, { recursive: true, force: true, maxRetries: 5 })
  }))

const killGroup = (pid: number): Effect.Effect<void> => Effect.ignore(Effect.try(() => process.kill(-pid, "SIGKILL")))

const end = Effect.fn("Chromium.end")(function*(child: ChildProcess, profile: () => string | null) {
  if (child.pid !== undefined) yield* killGroup(child.pid)
  child.kill("SIGKILL")
  const folder = profile()
  if (folder !== null) yield* removeProfile(folder)
})

/** Starts Chromium and closes it with the scope. */
export const startChromium = Effect.fn("Chromium.startChromium")(function*(setup: Setup) {
  let profile: string | null = null
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => start(setup)),
    (started) => started === null ? Effect.void : end(started, () => profile)
  )
  const ended = yield* Deferred.make<void>()
  child?.on("exit", () => Deferred.unsafeDone(ended, Effect.void))
  child?.on("error", () => Deferred.unsafeDone(ended, Effect.void))
  const listening = Effect.async<{ readonly listener: Server; readonly proxyPort: number }>((resume) => {
    child?.on("message", (message: unknown, handle: unknown) => {
      if (!isGreeting(message) || !(handle instanceof Server)) return
      profile = profileHere(message.profile)
      // Before the browser runs: code that breaks out of it has no channel to the worker but those with limits.
      child?.disconnect()
      resume(Effect.succeed({ listener: handle, proxyPort: message.port }))
    })
  })
  const [, , , toBrowser, fromBrowser] = child?.stdio ?? []
  if (child?.pid === undefined || !(toBrowser instanceof Writable) || !(fromBrowser instanceof Readable)) {
    return yield* new NoBrowser({
      message: "The browser's launcher cannot start. Build it, and allow the probe to start processes."
    })
  }
  toBrowser.on("error", () => {})
  const { listener, proxyPort } = yield* Effect.raceFirst(
    listening,
    Effect.zipRight(Deferred.await(ended), new NoBrowser({ message: "The browser's launcher ended" }))
  ).pipe(Effect.timeoutFail({
    duration: "15 seconds",
    onTimeout: () => new NoBrowser({ message: "The browser's launcher did not start in time" })
  }))
  yield* Effect.addFinalizer(() => Effect.sync(() => listener.close()))
  return {
    pid: child.pid,
    toBrowser,
    fromBrowser,
    /** Accepts the browser's connections, which all go to its proxy. */
    listener,
    proxyPort,
    ended: Deferred.await(ended)
  }
})
export type Chromium = Effect.Effect.Success<ReturnType<typeof startChromium>>

/** Processes of other users exist, too, but may not be signalled. */
const isAlive = (pid: number): boolean =>
  Either.match(Either.try({ try: () => process.kill(pid, 0), catch: (error) => error }), {
    onLeft: (error) => error instanceof Error && "code" in error && error.code === "EPERM",
    onRight: () => true
  })

/** Removes the profiles of browsers whose worker was killed, once. Never fails: what cannot be removed stays. */
export const removeStaleProfiles = (folder = tmpdir()): Effect.Effect<void> =>
  Effect.tryPromise(() => readdir(folder)).pipe(
    Effect.map((names) => names.filter((name) => !isAlive(workerOf(name) ?? process.pid))),
    Effect.flatMap(Effect.forEach((name) => removeProfile(join(folder, name)), { discard: true })),
    Effect.ignore
  )
