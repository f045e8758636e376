/** The laws of reports that manifests make on components. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { ComponentStatus } from "../../../schema/component/Component.ts"
import { hearManifest, type ManifestReport, matters, reportOn } from "../../../src/domain/component/ManifestReports.ts"
import { initialPushState } from "../../../src/domain/component/PushMachine.ts"

const start = 1_700_000_000_000
const confirmations = fc.integer({ min: 1, max: 10 })
const said = fc.record({
  status: fc.option(fc.constantFrom(...ComponentStatus.literals)),
  message: fc.option(fc.constantFrom("slow", "gone"))
})
const history = fc.array(said, { maxLength: 40 }).map((all): ReadonlyArray<ManifestReport> =>
  all.map((one, round) => ({ ...one, observedAt: start + round * 60_000 }))
)

const shownAfterEach = (reports: ReadonlyArray<ManifestReport>, confirmations: number, isPassed: typeof matters) => {
  let state = initialPushState(start)
  return reports.map((report) => {
    if (isPassed(state, confirmations, report, report.observedAt)) {
      state = hearManifest(state, confirmations, report, report.observedAt)
    }
    return state.shown
  })
}

describe("a component that follows a manifest", () => {
  it("shows the same whether it hears of every report or only of those that matter", () => {
    fc.assert(fc.property(history, confirmations, (reports, confirmations) => {
      expect(shownAfterEach(reports, confirmations, matters)).toEqual(shownAfterEach(reports, confirmations, () => true))
    }))
  })

  it("hears nothing while the manifest repeats that all is well", () => {
    const first = hearManifest(initialPushState(start), 2, { status: "operational", message: "1 ms", observedAt: start }, start)
    expect(matters(first, 2, { status: "operational", message: "2 ms", observedAt: start + 60_000 }, start + 60_000)).toBe(false)
    expect(matters(first, 2, { status: "degraded", message: null, observedAt: start + 60_000 }, start + 60_000)).toBe(true)
  })

  it("counts the reports of several regions of one round as one", () => {
    fc.assert(fc.property(fc.integer({ min: 2, max: 10 }), confirmations, (regions, confirmations) => {
      const bad: ManifestReport = { status: "major_outage", message: null, observedAt: start }
      const first = hearManifest(initialPushState(start - 1), confirmations, bad, start)
      let state = first
      for (let region = 1; region < regions; region++) state = hearManifest(state, confirmations, bad, start)
      expect(state.streak).toEqual(first.streak)
      expect(state.shown).toBe(first.shown)
    }))
  })

  it("is unknown when its key is gone, and finds an entry by any of its names", () => {
    const entries = [{ key: "x1", names: ["x1", "API"], status: "degraded" as const, message: "slow" }]
    expect(reportOn(entries, "api", start)).toEqual({ status: "degraded", message: "slow", observedAt: start })
    const known = hearManifest(initialPushState(start), 1, reportOn(entries, "x1", start), start)
    const gone = hearManifest(known, 1, reportOn(entries, "mail", start + 1), start + 1)
    expect([known.shown, gone.shown]).toEqual(["degraded", "unknown"])
  })
})
