/** The largest page that the caps allow is rendered over many turns of the event loop, once for all who wait for it. */
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { defaultCaps } from "../../src/domain/workspace/Caps.ts"
import { PageViews } from "../../src/pages/PageViews.ts"
import { plainBody } from "../../src/pages/WebDocument.ts"
import { turnsDuring } from "../support/measure/Turns.ts"
import { callCounter } from "../support/measure/WorkDone.ts"
import { pageRow, snapshotOf } from "./Fixtures.ts"
import { pageViews } from "./Views.ts"

const many = defaultCaps.components.most

const largePage = () =>
  snapshotOf(Array.from({ length: many }, (_, index) => `Component ${index}`), {
    page: pageRow({ settings: { ...pageRow().settings, uptimeDays: 90 } })
  })

layer(pageViews, { excludeTestServices: true })(
  "A page with the most components",
  (it) => {
    it.effect("leaves turns to others while it is rendered, as HTML and as JSON", () =>
      Effect.gen(function*() {
        const views = yield* PageViews
        const snapshot = largePage()
        const html = yield* turnsDuring(views.html(snapshot, "en", false))
        const json = yield* turnsDuring(views.json(snapshot, true))
        // At most ten components in one turn.
        expect(html.turns).toBeGreaterThanOrEqual(many / 10)
        expect(json.turns).toBeGreaterThanOrEqual(many / 10)
        const text = Buffer.from(yield* plainBody(html.result.document)).toString()
        expect(text.match(/class="row"/g)).toHaveLength(many)
        const page = JSON.parse(Buffer.from(yield* plainBody(json.result.document)).toString())
        expect([page.components.length, page.components[0].days.length]).toEqual([many, 90])
      }))

    it.effect("is rendered once for all visitors of one language, even if the first one leaves", () =>
      Effect.gen(function*() {
        const views = yield* PageViews
        const snapshot = largePage()
        const first = yield* Effect.fork(views.html(snapshot, "de", false))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(first)
        const documents = yield* Effect.forEach(Array.from({ length: 20 }), () => views.html(snapshot, "de", false), {
          concurrency: "unbounded"
        })
        expect(new Set(documents.map(({ document }) => document)).size).toBe(1)
        expect(new Set([...documents, yield* views.html(snapshot, "en", false)].map(({ document }) => document)).size).toBe(2)
      }))

    it.scoped("costs work in proportion to its components", () =>
      Effect.gen(function*() {
        const views = yield* PageViews
        const callsOf = yield* callCounter
        const names = (count: number) => Array.from({ length: count }, (_, index) => `Component ${index}`)
        const cost = (count: number) => callsOf(Effect.suspend(() => views.html(snapshotOf(names(count)), "en", false)))
        yield* cost(20)
        const growth = Effect.map(Effect.all([cost(50), cost(500)]), ([small, large]) => large / small)
        // The calls of the whole process are counted: what others do meanwhile is not there each time.
        expect(yield* Effect.repeat(growth, { until: (times) => times < 11, times: 2 })).toBeLessThan(11)
      }))
  }
)
