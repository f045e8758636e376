/** A status page of 100 components: folded where it works, searched, and headed by its status. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { GroupId } from "../../schema/Ids.ts"
import type { Snapshot } from "../../src/domain/page/snapshot/Snapshot.ts"
import { runSteps } from "../../src/domain/tools/Steps.ts"
import { htmlForm } from "../../src/pages/PageForm.ts"
import { renderForm } from "../../src/pages/PageView.ts"
import { chromium, openPage } from "../support/browser/Browser.ts"
import { httpTarget } from "../support/targets/LocalTargets.ts"
import { baseUrl, snapshotOf } from "./Fixtures.ts"

if (chromium === undefined) {
  console.warn("NOT TESTED: a long status page in a real browser, since no Chromium is installed (set CHROMIUM to one)")
}

const regions = ["Europe", "Americas", "Asia"]

const pageOf = (count: number, down: ReadonlyArray<number> = []): Snapshot => {
  const snapshot = snapshotOf(Array.from({ length: count }, (_, index) => `${index % 2 === 0 ? "Checkout" : "Login"} ${index}`))
  return {
    ...snapshot,
    groups: regions.map((name, index) => ({ id: GroupId.make(`grp_${index}`), name, description: null, collapsed: false })),
    components: snapshot.components.map((component, index) => ({
      ...component,
      group: GroupId.make(`grp_${index % regions.length}`),
      status: down.includes(index) ? "major_outage" : component.status
    })),
    status: down.length === 0 ? snapshot.status : "major_outage"
  }
}

const htmlOf = (snapshot: Snapshot) => runSteps(renderForm(snapshot, htmlForm(snapshot, "en", false), baseUrl))

const groupsIn = (snapshot: Snapshot) =>
  [...htmlOf(snapshot).body.toString("utf8").matchAll(/<(details|div) class="card group" id="\w+"( open)?/g)]
    .map(([, element, open]) => element === "div" ? "fixed" : open === undefined ? "folded" : "open")

describe("A page of many components", () => {
  it("folds the groups that work, and shows those with a problem", () => {
    expect(groupsIn(pageOf(100, [4]))).toEqual(["folded", "open", "folded"])
    expect(groupsIn(pageOf(20))).toEqual(["fixed", "fixed", "fixed"])
    expect(htmlOf(pageOf(20)).body.toString("utf8")).not.toContain("type=\"search\"")
  })
})

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

describe.skipIf(chromium === undefined && process.env["CI"] === undefined)("A page of many components in a browser", () => {
  const visited = Effect.gen(function*() {
    let shown = pageOf(100, [4])
    const url = yield* httpTarget((_, response) => {
      const document = htmlOf(shown)
      response.writeHead(200, { "content-type": document.contentType, etag: document.etag }).end(document.body)
    })
    const page = yield* openPage(chromium ?? "")
    yield* page.goTo(url)
    return {
      page,
      show: (next: Snapshot) => {
        shown = next
      }
    }
  })

  const visible = "[...document.querySelectorAll('main .row')].filter((row) => row.checkVisibility()).map((row) => row.id)"
  const folded = "[...document.querySelectorAll('main details.group')].map((one) => one.open)"

  it.scopedLive("finds components by their names and groups, keeps the search while it is renewed, and folds again after it", () =>
    Effect.gen(function*() {
      const { page, show } = yield* visited
      expect(yield* page.evaluate(folded)).toEqual([false, true, false])
      yield* page.type("#find", "europe checkout 9")
      // In Europe: every third component.
      expect(yield* page.evaluate(visible)).toEqual(["cmp_90", "cmp_96"])
      expect(yield* page.read(".find p")).toBe("2 / 100")
      show(pageOf(100, [4, 5]))
      yield* page.evaluate(`new Promise((done) => {
        new MutationObserver(done).observe(document.querySelector("main"), { childList: true })
        document.dispatchEvent(new Event("visibilitychange"))
      }).then(() => null)`)
      expect(yield* page.evaluate("[document.activeElement.id, document.activeElement.value]")).toEqual([
        "find",
        "europe checkout 9"
      ])
      expect(yield* page.evaluate(visible)).toEqual(["cmp_90", "cmp_96"])
      const search = (text: string) =>
        page.evaluate(`(() => { const find = document.querySelector("#find"); find.value = ${JSON.stringify(text)}
          find.dispatchEvent(new Event("input", { bubbles: true })) })()`)
      yield* search("nothing has this name")
      expect([yield* page.evaluate(visible), yield* page.read(".find p")]).toEqual([[], "No service has that name."])
      // A component that failed meanwhile is not folded away.
      yield* search("")
      expect(yield* page.evaluate(folded)).toEqual([false, true, true])
      expect(yield* page.read(".find p")).toBe("")
    }))

  it.scopedLive("keeps the status in sight below the banner, which follows it, and prints without both helpers", () =>
    Effect.gen(function*() {
      const { page, show } = yield* visited
      const stuck = "document.querySelector('.stuck').checkVisibility()"
      const scrolled = (y: number) =>
        page.evaluate(`new Promise((done) => { scrollTo({ top: ${y}, behavior: "instant" })
          requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))) }).then(() => null)`)
      expect(yield* page.evaluate(stuck)).toBe(false)
      yield* scrolled(1500)
      expect([yield* page.evaluate(stuck), yield* page.read(".stuck")]).toEqual([true, "Major outage"])
      show(pageOf(100))
      yield* page.evaluate(`new Promise((done) => {
        new MutationObserver(done).observe(document.querySelector("main"), { childList: true })
        document.dispatchEvent(new Event("visibilitychange"))
      }).then(() => null)`)
      expect(yield* page.read(".stuck")).toBe("All systems operational")
      expect(yield* page.evaluate("document.querySelector('.stuck').className")).toBe("stuck s-operational")
      yield* page.printed
      expect(yield* page.evaluate("document.querySelector('.find').checkVisibility()")).toBe(false)
      expect(yield* page.evaluate(stuck)).toBe(false)
    }))

  it.scopedLive(
    "is never wider than a screen and has no fault that axe finds, in both schemes at five widths, searched and scrolled",
    () =>
      Effect.gen(function*() {
        const { page } = yield* visited
        yield* page.evaluate(readFileSync(axe, "utf8").replace(/$/, "\n;null"))
        for (const scheme of ["light", "dark"] as const) {
          yield* page.prefer(scheme)
          for (const width of [360, 768, 1024, 1280, 1920]) {
            yield* page.resize(width)
            yield* page.evaluate(`scrollTo({ top: 700, behavior: "instant" })`)
            expect([
              scheme,
              width,
              yield* page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            ]).toEqual([
              scheme,
              width,
              0
            ])
          }
          const faults = yield* page.evaluate(
            `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
            .then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].target.join(" ")))`
          )
          expect([scheme, faults]).toEqual([scheme, []])
        }
      }),
    60_000
  )
})
