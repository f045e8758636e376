/** A page with as many long texts of incidents as one read returns is shown over many turns, and only where they are visible. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { IncidentId, UpdateId } from "../../schema/Ids.ts"
import { snapshotSteps } from "../../src/domain/page/snapshot/Snapshot.ts"
import { overTurns } from "../../src/loops/OverTurns.ts"
import { PageViews } from "../../src/pages/PageViews.ts"
import { turnsDuring } from "../support/measure/Turns.ts"
import { callCounter } from "../support/measure/WorkDone.ts"
import { now, pageRow, snapshotOf } from "./Fixtures.ts"
import { pageViews } from "./Views.ts"

/** 100 texts of 10,000 characters, all addresses with a secret: the costliest to mask and to link. */
const incidents = () =>
  Array.from({ length: 50 }, (_, index) => ({
    id: IncidentId.make(`inc_${index}`),
    kind: "incident" as const,
    title: "Trouble",
    status: "investigating" as const,
    impact: "major" as const,
    startedAt: now,
    resolvedAt: null,
    scheduledStart: null,
    scheduledEnd: null,
    components: [],
    aiSummary: null,
    automatic: false,
    monitorName: null,
    monitorTarget: null,
    otherNames: [],
    isCut: false,
    updates: Array.from({ length: 2 }, (_, number) => ({
      id: UpdateId.make(`upd_${number}`),
      status: "investigating" as const,
      body: "https://a.test/?token=hunter2 ".repeat(333),
      at: now,
      ai: false,
      public: true as const,
      byPerson: true
    }))
  }))

const busyPage = () => snapshotOf(["API"], { incidents: incidents() })

layer(pageViews, { excludeTestServices: true })(
  "A page with a megabyte of texts of incidents",
  (it) => {
    it.effect("leaves turns to others while it is made, and rendered as HTML and as JSON", () =>
      Effect.gen(function*() {
        const views = yield* PageViews
        const rows = {
          page: pageRow(),
          groups: [],
          components: [],
          spans: new Map(),
          recorded: new Map(),
          incidents: incidents()
        }
        const made = yield* turnsDuring(overTurns(snapshotSteps({ ...rows, windows: new Map(), responses: new Map() }, now)))
        const html = yield* turnsDuring(views.html(busyPage(), "en", false))
        const json = yield* turnsDuring(views.json(busyPage(), true))
        // At most 64 kB of text in one turn.
        for (const { turns } of [made, html, json]) expect(turns).toBeGreaterThanOrEqual(15)
      }))

    it.scoped("makes its badges at the cost of those of a page without incidents", () =>
      Effect.gen(function*() {
        const views = yield* PageViews
        const callsOf = yield* callCounter
        const calm = snapshotOf(["API"])
        const busy = busyPage()
        const badge = (snapshot: typeof calm, language: "de" | "en") =>
          views.of(snapshot, { _tag: "Badge", language, componentId: null })
        yield* badge(calm, "en")
        yield* badge(busy, "en")
        const small = yield* callsOf(badge(calm, "de"))
        expect(yield* callsOf(badge(busy, "de"))).toBeLessThan(2 * small)
      }))

    it.scoped("masks the secrets of its texts once for all forms", () =>
      Effect.gen(function*() {
        const views = yield* PageViews
        const callsOf = yield* callCounter
        const plain = snapshotOf(["API"], {
          incidents: incidents().map((one) => ({
            ...one,
            updates: one.updates.map((update) => ({ ...update, body: "x".repeat(10_000) }))
          }))
        })
        const busy = busyPage()
        const small = yield* callsOf(views.json(plain, true))
        expect(yield* callsOf(views.json(busy, true))).toBeLessThan(2 * small)
      }))
  }
)
