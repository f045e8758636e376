/** The guide for people in a real browser: no fault that axe finds, and never wider than the screen. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { peopleHome, peoplePages, peoplePath } from "../../src/docs/people/Pages.ts"
import { peopleGuidePage, peopleHomePage } from "../../src/docs/PeopleGuide.tsx"
import { runSteps } from "../../src/domain/tools/Steps.ts"
import { chromium, openPage } from "../support/browser/Browser.ts"
import { httpTarget } from "../support/targets/LocalTargets.ts"

if (chromium === undefined) {
  console.warn("NOT TESTED: the guide in a real browser, since no Chromium is installed (set CHROMIUM to one)")
}

const baseUrl = "https://belltower.test"
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const pages = new Map([
  [peopleHome, () => peopleHomePage(baseUrl)],
  ...peoplePages.map((page) => [peoplePath(page), () => peopleGuidePage(baseUrl, page)] as const)
])

describe.skipIf(chromium === undefined && process.env["CI"] === undefined)("The guide for people in a browser", () => {
  it.scopedLive(
    "has no fault that axe finds, and is never wider than the screen, in both schemes at five widths",
    () =>
      Effect.gen(function*() {
        const url = yield* httpTarget(({ url: path = "" }, response) => {
          const render = pages.get(path as typeof peopleHome)
          if (render === undefined) return void response.writeHead(404).end()
          response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(runSteps(render()).body)
        })
        const page = yield* openPage(chromium ?? "")
        for (const path of pages.keys()) {
          yield* page.resize(1280)
          yield* page.goTo(new URL(path, url).href)
          for (const width of [360, 768, 1024, 1280, 1920]) {
            yield* page.resize(width)
            const over = yield* page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            expect([path, width, over]).toEqual([path, width, 0])
          }
          yield* page.evaluate(`${axe};null`)
          for (const scheme of ["light", "dark"] as const) {
            yield* page.prefer(scheme)
            const faults = yield* page.evaluate(
              `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
              .then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].target.join(" ")))`
            )
            expect([path, scheme, faults]).toEqual([path, scheme, []])
          }
        }
      }),
    60_000
  )
})
