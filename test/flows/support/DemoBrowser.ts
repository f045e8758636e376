/** The demo and a browser that looks at it as the owner of its workspace. */
import { Context, Effect, Layer, Scope } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { type Browser, type BrowserContext, chromium as playwright, type Page } from "playwright-core"
import { type Demo, startDemo } from "../../../infra/demo/demo.mjs"
import { chromium, wholeChromium } from "../../support/browser/Browser.ts"
import { freePort } from "../../support/network/FreePort.ts"
import { temporaryRoot } from "../../support/run/TemporaryRoot.ts"
import { compiledOnce } from "./Program.ts"

export type Device = "desktop" | "phone"

const sizes = { desktop: { width: 1360, height: 900 }, phone: { width: 390, height: 844 } } as const

/** A page of a browser, and what went wrong in it. */
export interface Watched {
  readonly page: Page
  /** Errors of scripts and of the console. */
  readonly errors: ReadonlyArray<string>
}

export class DemoBrowser extends Context.Tag("DemoBrowser")<DemoBrowser, {
  readonly demo: Demo
  readonly browser: Browser
  /** A new page, signed in. */
  readonly open: (options?: PageOptions) => Promise<Watched>
}>() {}

interface PageOptions {
  readonly device?: Device
  readonly dark?: boolean
  readonly scripts?: boolean
  /** In a browser that can show notifications. */
  readonly notifications?: boolean
}

const signedIn = async (browser: Browser, demo: Demo): Promise<Awaited<ReturnType<BrowserContext["storageState"]>>> => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(await demo.link())
  await page.getByRole("button").first().click()
  await page.waitForURL(/\/app$/)
  const state = await context.storageState()
  await context.close()
  return state
}

/** The demo without its history, which the stories do not need. */
export const demoBrowser = Layer.scoped(
  DemoBrowser,
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(temporaryRoot, "belltower-demo-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
    )
    const port = yield* freePort
    const demo = yield* Effect.acquireRelease(
      Effect.promise(() => startDemo({ folder: join(folder, "data"), port, days: false, settings: compiledOnce })),
      (running) => Effect.promise(() => running.close())
    )
    const scope = yield* Effect.scope
    const launched = (path: string | undefined) =>
      Effect.acquireRelease(
        Effect.promise(() => playwright.launch({ executablePath: path ?? "", args: ["--no-sandbox"] })),
        (running) => Effect.promise(() => running.close())
      )
    const browser = yield* launched(chromium)
    const notifying = yield* Effect.cached(Scope.extend(launched(wholeChromium), scope))
    const state = yield* Effect.promise(() => signedIn(browser, demo))
    return {
      demo,
      browser,
      open: async ({ dark = false, device = "desktop", notifications = false, scripts = true } = {}) => {
        const context = await (notifications ? await Effect.runPromise(notifying) : browser).newContext({
          storageState: state,
          viewport: sizes[device],
          colorScheme: dark ? "dark" : "light",
          baseURL: demo.baseUrl,
          javaScriptEnabled: scripts,
          // Animations would be caught half done.
          reducedMotion: "reduce"
        })
        context.setDefaultTimeout(60_000)
        const page = await context.newPage()
        const errors: Array<string> = []
        page.on("pageerror", (error) => errors.push(error.message))
        page.on("console", (message) => {
          if (message.type() === "error") errors.push(`${page.url()}: ${message.text()}`)
        })
        return { page, errors }
      }
    }
  })
)
