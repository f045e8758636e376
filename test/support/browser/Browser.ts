/** A real Chromium, driven over the DevTools protocol through a pipe; it needs nothing but the browser itself. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import type { Json } from "../program/TestServer.ts"
import { temporaryRoot } from "../run/TemporaryRoot.ts"

const asked = process.env["CHROMIUM"]

const places = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
]

const firstOf = (paths: ReadonlyArray<string | undefined>) =>
  paths.find((path) => path !== undefined && path !== "" && existsSync(path))

/** The path of a Chromium that can show windows and notifications; undefined if there is none. */
export const wholeChromium = firstOf([asked, ...places])

/** The path of an installed Chromium, if possible of the one without windows: it starts with a seventh of the CPU. */
export const chromium = firstOf([asked, "/usr/bin/chromium-headless-shell", ...places])

interface Waiting {
  readonly fits: (message: Json) => boolean
  readonly done: (message: Json) => void
}

/** One page of a fresh browser, closed with the scope. */
export const openPage = Effect.fn("openPage")(function*(program: string) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(temporaryRoot, "belltower-chromium-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  )
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(program, [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-dev-shm-usage",
        `--user-data-dir=${folder}`,
        "--remote-debugging-pipe",
        "about:blank"
      ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true })
    ),
    (running) =>
      Effect.async<void>((resume) => {
        if (running.exitCode !== null || running.pid === undefined) return resume(Effect.void)
        running.once("exit", () => resume(Effect.void))
        process.kill(-running.pid, "SIGKILL")
      })
  )
  const [, , , toBrowser, fromBrowser] = child.stdio as unknown as [null, null, null, Writable, Readable]
  const waiting = new Set<Waiting>()
  let rest = ""
  let last = 0
  fromBrowser.on("data", (chunk: Buffer) => {
    const parts = (rest + chunk.toString("utf8")).split("\0")
    rest = parts.pop() ?? ""
    for (const part of parts) {
      const message: Json = JSON.parse(part)
      for (const one of waiting) if (one.fits(message)) one.done(message)
    }
  })

  const heard = (fits: Waiting["fits"]) =>
    Effect.async<Json>((resume) => {
      const one: Waiting = {
        fits,
        done: (message) => {
          waiting.delete(one)
          resume(Effect.succeed(message))
        }
      }
      waiting.add(one)
      return Effect.sync(() => waiting.delete(one))
    })

  const command = (method: string, params: object, sessionId?: string) =>
    Effect.gen(function*() {
      const id = ++last
      const answer = yield* Effect.fork(heard((message) => message.id === id))
      yield* Effect.yieldNow()
      toBrowser.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`)
      const { error, result } = yield* answer
      return error === undefined ? result as Json : yield* Effect.dieMessage(`${method}: ${error.message}`)
    })

  const { targetId } = yield* command("Target.createTarget", { url: "about:blank" })
  const { sessionId } = yield* command("Target.attachToTarget", { targetId, flatten: true })
  const ask = (method: string, params: object = {}) => command(method, params, String(sessionId))
  yield* ask("Page.enable")

  const evaluate = (expression: string) =>
    Effect.map(
      ask("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true }),
      ({ exceptionDetails, result }) => {
        if (exceptionDetails !== undefined) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`)
        return result.value as Json
      }
    )

  /** Completes when the page that `action` leads to has loaded. */
  const leading = <A>(action: Effect.Effect<A>) =>
    Effect.gen(function*() {
      const loaded = yield* Effect.fork(heard(({ method }) => method === "Page.loadEventFired"))
      yield* Effect.yieldNow()
      yield* action
      yield* loaded
    })

  const element = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`

  return {
    evaluate,
    leading,
    goTo: (url: string) => leading(ask("Page.navigate", { url })),
    /** Clicks the first matching element, and waits for the page that it leads to. */
    click: (selector: string) => leading(evaluate(`${element(selector)}.click()`)),
    /** Types into a field as a person does. */
    type: (selector: string, text: string) =>
      Effect.zipRight(evaluate(`${element(selector)}.focus()`), ask("Input.insertText", { text })),
    path: evaluate("location.pathname"),
    text: evaluate("document.body.innerText"),
    read: (selector: string) => evaluate(`${element(selector)}.textContent`),
    resize: (width: number) =>
      ask("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 }),
    /** Sets the colour scheme that the visitor prefers. */
    prefer: (scheme: "light" | "dark") =>
      ask("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] }),
    /** Takes the colours of the operating system, as those set who need more contrast. */
    forceColors: ask("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "active" }] }),
    /** Shows pages as they are printed. Closed groups open with the next frame that is drawn. */
    printed: Effect.zipRight(
      ask("Emulation.setEmulatedMedia", { media: "print", features: [] }),
      evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done))).then(() => null)")
    ),
    cookies: Effect.map(ask("Network.getCookies"), ({ cookies }) => cookies as ReadonlyArray<Json>),
    screenshot: (path: string, look: { readonly width: number; readonly dark: boolean }) =>
      Effect.gen(function*() {
        yield* ask("Emulation.setEmulatedMedia", {
          features: [{ name: "prefers-color-scheme", value: look.dark ? "dark" : "light" }]
        })
        yield* ask("Emulation.setDeviceMetricsOverride", {
          width: look.width,
          height: 900,
          deviceScaleFactor: 1,
          mobile: look.width < 600
        })
        const { data } = yield* ask("Page.captureScreenshot", { format: "png", captureBeyondViewport: true })
        yield* Effect.promise(() => writeFile(path, Buffer.from(data, "base64")))
      })
  }
})
