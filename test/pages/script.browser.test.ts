/** The script of a status page, in a real browser. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { MonitorId } from "../../schema/Ids.ts"
import { runSteps } from "../../src/domain/tools/Steps.ts"
import { htmlForm } from "../../src/pages/PageForm.ts"
import { renderForm } from "../../src/pages/PageView.ts"
import { chromium, openPage } from "../support/browser/Browser.ts"
import { httpTarget } from "../support/targets/LocalTargets.ts"
import { baseUrl, now, snapshotOf } from "./Fixtures.ts"

if (chromium === undefined) {
  console.warn("NOT TESTED: a status page in a real browser, since no Chromium is installed (set CHROMIUM to one)")
}

describe.skipIf(chromium === undefined && process.env["CI"] === undefined)("A status page in a browser", () => {
  it.scopedLive(
    "refreshes around its reader: the focused bar keeps the focus, and the favicon follows the status",
    () =>
      Effect.gen(function*() {
        const snapshot = snapshotOf(["API", "Queue"])
        let shown = snapshot
        const url = yield* httpTarget((_, response) => {
          const document = runSteps(renderForm(shown, htmlForm(shown, "en", false), baseUrl))
          response.writeHead(200, { "content-type": document.contentType, etag: document.etag }).end(document.body)
        })
        const page = yield* openPage(chromium ?? "")
        yield* page.goTo(url)
        const icon = page.evaluate("document.querySelector('link[rel=icon]').href")
        const before = yield* icon
        yield* page.evaluate("document.querySelector('#cmp_1 .bars li:last-child').focus()")
        const inFocus = page.evaluate(
          "document.activeElement.closest('.row')?.id + ' ' + document.activeElement.getAttribute('aria-label')"
        )
        expect(yield* inFocus).toBe("cmp_1 Nov 20: Operational, 100%")

        shown = { ...snapshot, status: "major_outage" }
        yield* page.evaluate(`new Promise((done) => {
        new MutationObserver(done).observe(document.querySelector("main"), { childList: true })
        document.dispatchEvent(new Event("visibilitychange"))
      }).then(() => null)`)
        expect(yield* page.read("#announce")).toBe("Major outage")
        expect(yield* inFocus).toBe("cmp_1 Nov 20: Operational, 100%")
        expect(yield* icon).not.toBe(before)
        // The age of the data; pointed at, the moment with its zone.
        expect(yield* page.evaluate("document.querySelector('.banner time').title")).toMatch(/^[A-Z][a-z]+ \d+, 20\d\d.* UTC$/)
      })
  )

  it.scopedLive("warns while nothing newer can be read, and shows the form of a page that asks for a password", () =>
    Effect.gen(function*() {
      const snapshot = snapshotOf(["API"])
      const document = runSteps(renderForm(snapshot, htmlForm(snapshot, "en", false), baseUrl))
      let status = 200
      const url = yield* httpTarget((_, response) =>
        status === 200
          ? response.writeHead(200, { "content-type": document.contentType, etag: document.etag }).end(document.body)
          : response.writeHead(status, { "content-type": "text/html" }).end("<h1>Password</h1>")
      )
      const page = yield* openPage(chromium ?? "")
      yield* page.goTo(url)
      // Looks again, until the warning is there or gone.
      const looked = (warns: boolean) =>
        page.evaluate(`new Promise((done) => {
          const seen = () => (document.querySelector(".banner + .warn") !== null) === ${warns} && done()
          new MutationObserver(seen).observe(document.querySelector("main"), { childList: true })
          document.dispatchEvent(new Event("visibilitychange"))
        }).then(() => null)`)
      yield* page.evaluate("Date.now = ((now) => () => now() + 300_000)(Date.now), null")
      status = 503
      yield* looked(true)
      status = 200
      yield* looked(false)
      status = 401
      yield* page.leading(page.evaluate("document.dispatchEvent(new Event('visibilitychange')), null"))
      expect(yield* page.text).toBe("Password")
    }))

  it.scopedLive("shows the newest status in a frame of another site, and says when it is old", () =>
    Effect.gen(function*() {
      const snapshot = snapshotOf(["API"])
      let shown = snapshot
      let isAway = false
      let readAt = 1_000_000_000_000
      const url = yield* httpTarget((_, response) => {
        const document = runSteps(
          renderForm(shown, { _tag: "Embed", visitor: { language: "en", locale: "en" } }, baseUrl)
        )
        const headers = {
          "content-type": document.contentType,
          "content-security-policy": document.contentSecurityPolicy ?? "",
          "last-modified": new Date(readAt += 1000).toUTCString()
        }
        if (isAway) response.writeHead(503).end()
        else response.writeHead(200, headers).end(document.body)
      })
      const page = yield* openPage(chromium ?? "")
      yield* page.goTo(url)
      const line = "[...document.querySelectorAll('.embed')].find((one) => one.checkVisibility()).textContent"
      /** Looks again, until the line has this text. */
      const looked = (text: string) =>
        page.evaluate(`(async () => {
          document.dispatchEvent(new Event("visibilitychange"))
          for (let tries = 0; tries < 100 && !${line}.includes(${
          JSON.stringify(text)
        }); tries++) await new Promise((next) => setTimeout(next, 50))
          return ${line}
        })()`)
      expect(yield* page.evaluate(line)).toBe("All systems operational")
      shown = { ...snapshot, status: "major_outage" }
      expect(yield* looked("Major")).toBe("Major outage")
      isAway = true
      yield* page.evaluate("Date.now = ((now) => () => now() + 300_000)(Date.now), null")
      expect(yield* looked("out of date")).toContain("may be out of date")
      isAway = false
      expect(yield* looked("Major")).toBe("Major outage")
    }))

  it.scopedLive("is never wider than a phone, whichever bar shows its label", () =>
    Effect.gen(function*() {
      const day = 86_400_000
      const today = DateTime.toEpochMillis(now)
      const bad = Array.from({ length: 60 }, (_, index) => today - (60 - index) * day).flatMap((from) => [
        { state: "down" as const, startedAt: from, endedAt: from + 7_500_000 },
        { state: "up" as const, startedAt: from + 7_500_000, endedAt: from + day }
      ])
      const snapshot = snapshotOf(["API"], { spans: new Map([[MonitorId.make("mon_0"), bad]]) })
      const document = runSteps(renderForm(snapshot, htmlForm(snapshot, "en", false), baseUrl))
      const url = yield* httpTarget((_, response) =>
        response.writeHead(200, { "content-type": document.contentType }).end(document.body)
      )
      const page = yield* openPage(chromium ?? "")
      yield* page.resize(390)
      yield* page.goTo(url)
      const widths = yield* page.evaluate(`[...document.querySelectorAll(".bars li")].filter((bar) => bar.offsetWidth > 0)
        .map((bar) => { bar.focus(); return document.documentElement.scrollWidth })`)
      expect(widths).toEqual(Array.from({ length: 30 }, () => 390))
    }))
})
