import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { UpstreamCondition } from "../../../schema/upstream/Upstream.ts"
import { catalogueOf } from "../../../src/domain/upstream/Catalogue.ts"
import { judge, type Known, newsOf } from "../../../src/domain/upstream/JudgeUpstream.ts"
import { likelyCause } from "../../../src/domain/upstream/LikelyCause.ts"
import type { SourceIncident } from "../../../src/domain/upstream/Reading.ts"
import { builtIn } from "../../../src/external/upstream/UpstreamSettings.ts"

const now = DateTime.unsafeMake("2026-11-20T12:00:00Z")
const ago = (minutes: number) => DateTime.subtract(now, { minutes })

const api = { slug: "api", name: "API", match: ["API", "rest api"] }

const incident = (impact: UpstreamCondition, components: ReadonlyArray<string>, resolved = false): SourceIncident => ({
  id: `${impact} ${components}`,
  title: "Trouble",
  status: "investigating",
  impact,
  url: null,
  startedAt: ago(10),
  updatedAt: ago(5),
  resolvedAt: resolved ? ago(1) : null,
  components,
  text: null
})

const known = (condition: UpstreamCondition, more: Partial<Known> = {}): Known => ({
  reading: {
    overall: "operational",
    components: [{ name: "REST API", condition }, { name: "Pages", condition: "major_outage" }],
    incidents: []
  },
  readAt: ago(2),
  probe: { state: "up", statusCode: 401 },
  ...more
})

const withIncidents = (condition: UpstreamCondition, ...incidents: ReadonlyArray<SourceIncident>): Known => {
  const { reading, ...facts } = known(condition)
  return { ...facts, reading: { ...reading, incidents } }
}

const verdict = (facts: Known, component = api) => judge("Acme", component, facts, now, 120)

describe("the verdict of a component", () => {
  it.each(
    [
      ["operational", "proceed", null],
      ["under_maintenance", "proceed", null],
      ["degraded_performance", "retry", 120],
      ["partial_outage", "fallback", null],
      ["major_outage", "pause", null]
    ] as const
  )("while the source says %s is %s", (condition, expected, retryAfterSec) => {
    expect(verdict(known(condition))).toMatchObject({ verdict: expected, condition, retryAfterSec })
  })

  it("is pause during an incident of critical impact on it, and on it only", () => {
    expect(verdict(withIncidents("operational", incident("major_outage", ["API"]))).verdict).toBe("pause")
    expect(verdict(withIncidents("operational", incident("major_outage", []))).verdict).toBe("pause")
    expect(verdict(withIncidents("operational", incident("major_outage", ["Pages"]))).verdict).toBe("proceed")
    expect(verdict(withIncidents("operational", incident("major_outage", ["API"], true))).verdict).toBe("proceed")
  })

  it("leaves the published status as it is during a critical incident, and says why to pause", () => {
    const judgement = verdict(withIncidents("degraded_performance", incident("major_outage", ["API"])))
    expect(judgement).toMatchObject({
      verdict: "pause",
      condition: "degraded_performance",
      reason: "Acme reports: API degraded performance (Trouble). The impact of this incident is critical"
    })
    expect(newsOf(judgement)).toBe("degraded_performance, critical incident")
    const out = verdict(withIncidents("major_outage", incident("major_outage", ["API"])))
    expect([out.reason, newsOf(out)]).toEqual(["Acme reports: API major outage (Trouble)", "major_outage"])
  })

  it("is retry when only our own probe fails, or when the source is stale", () => {
    expect(verdict(known("operational", { probe: { state: "down", statusCode: null } }))).toMatchObject({
      verdict: "retry",
      stale: false
    })
    expect(verdict(known("operational", { readAt: ago(15) }))).toMatchObject({ verdict: "proceed", stale: false })
    expect(verdict(known("operational", { readAt: ago(16) }))).toMatchObject({ verdict: "retry", stale: true })
    expect(verdict(known("major_outage", { readAt: ago(60) }))).toMatchObject({ verdict: "pause", stale: true })
    expect(verdict(known("operational", { readAt: null }))).toMatchObject({ verdict: "retry", condition: "unknown", stale: true })
  })

  it("of the whole service follows the summary of its page", () => {
    expect(verdict(known("operational"), { slug: "all", name: "Acme", match: [] })).toMatchObject({ condition: "operational" })
  })

  it("follows the incidents where a source publishes no components", () => {
    const silent = (...incidents: ReadonlyArray<SourceIncident>): Known => ({
      ...known("operational"),
      reading: { overall: null, components: [], incidents }
    })
    expect(verdict(silent()).verdict).toBe("proceed")
    expect(verdict(silent(incident("partial_outage", ["API"]))).verdict).toBe("fallback")
    expect(verdict(silent(incident("partial_outage", ["Storage"]))).verdict).toBe("proceed")
  })
})

describe("the likely cause of an incident", () => {
  const catalogue = catalogueOf([{
    service: "acme",
    name: "Acme",
    source: { kind: "statuspage", url: "https://status.acme.example" },
    components: [api]
  }])
  const candidate = (minutes: number, components: ReadonlyArray<string>, component: string | null = null) => ({
    ...incident("partial_outage", components),
    title: `${minutes}`,
    startedAt: DateTime.add(now, { minutes }),
    service: "acme",
    component
  })

  it("is the third party's incident that began nearest, at most an hour away", () => {
    expect(likelyCause(now, [candidate(-50, []), candidate(20, []), candidate(-30, [])], catalogue)?.incident).toBe("20")
    expect(likelyCause(now, [candidate(-61, []), candidate(61, [])], catalogue)).toBeNull()
    expect(likelyCause(now, [], catalogue)).toBeNull()
  })

  it("is none that was over more than 5 minutes before the outage", () => {
    const ended = (minutes: number) => ({ ...candidate(-40, []), resolvedAt: DateTime.add(now, { minutes }) })
    expect(likelyCause(now, [ended(-6)], catalogue)).toBeNull()
    expect(likelyCause(now, [ended(-5)], catalogue)?.incident).toBe("-40")
    expect(likelyCause(now, [ended(20)], catalogue)?.incident).toBe("-40")
    expect(likelyCause(now, [ended(-6), candidate(-50, [])], catalogue)?.incident).toBe("-50")
  })

  it("concerns the component that the workspace depends on", () => {
    expect(likelyCause(now, [candidate(1, ["Pages"], "api")], catalogue)).toBeNull()
    expect(likelyCause(now, [candidate(1, ["api"], "api")], catalogue)?.name).toBe("Acme")
    expect(likelyCause(now, [candidate(1, ["Pages"])], catalogue)?.name).toBe("Acme")
  })
})

describe("the built-in catalogue", () => {
  it("has at least 150 services, each once, with a source that can be asked", () => {
    expect(builtIn.length).toBeGreaterThanOrEqual(150)
    expect(new Set(builtIn.map(({ service }) => service)).size).toBe(builtIn.length)
    for (const { components = [], source } of builtIn) {
      expect(new URL(source.url).protocol).toBe("https:")
      expect(new Set(components.map(({ slug }) => slug)).size).toBe(components.length)
    }
  })
})
