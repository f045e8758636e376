/** The text of a message about its page never contradicts its news, however late it is composed. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc } from "effect"
import type { ComponentStatus, EffectiveStatus } from "../../../schema/component/Component.ts"
import { ComponentId, IncidentId } from "../../../schema/Ids.ts"
import { worstOf } from "../../../src/domain/component/ComponentStatus.ts"
import type { PageIncident } from "../../../src/domain/page/PageIncident.ts"
import { pageStatus } from "../../../src/domain/page/PageStatus.ts"
import { type PageNow, withComponent, withIncident } from "../../../src/domain/subscriber/PageThen.ts"

const at = DateTime.unsafeMake("2026-11-20T08:00:00Z")
const cmp = [1, 2, 3].map((n) => ComponentId.make(`cmp_${n}`))
const failing: ReadonlyArray<ComponentStatus> = ["degraded", "partial_outage", "major_outage"]
const status = fc.constantFrom<ComponentStatus>("operational", "maintenance", ...failing)
const shown = fc.constantFrom<EffectiveStatus>("unknown", "operational", "maintenance", ...failing)

const incidentOf = (id: string, more: Partial<PageIncident>): PageIncident => ({
  id: IncidentId.make(id),
  kind: "incident",
  title: "Trouble",
  status: more.resolvedAt ? "resolved" : "investigating",
  impact: "minor",
  startedAt: at,
  resolvedAt: null,
  scheduledStart: null,
  scheduledEnd: null,
  components: [],
  aiSummary: null,
  automatic: false,
  updates: [],
  monitorName: null,
  monitorTarget: null,
  otherNames: [],
  isCut: false,
  ...more
})

const incident = (id: string, isOver: fc.Arbitrary<boolean>): fc.Arbitrary<PageIncident> =>
  fc.record({
    automatic: fc.boolean(),
    impact: fc.constantFrom("none" as const, "minor" as const, "major" as const, "critical" as const),
    isOver,
    listed: fc.array(fc.record({ componentId: fc.constantFrom(...cmp), status }), { maxLength: 3 })
  }).map(({ automatic, impact, isOver: over, listed }) =>
    incidentOf(id, { automatic, impact, components: listed, resolvedAt: over ? at : null })
  )

const page: fc.Arbitrary<PageNow> = fc.record({
  components: fc.tuple(shown, shown, shown).map((statuses) =>
    statuses.map((one, index) => ({ id: cmp[index] ?? ComponentId.make("cmp_0"), override: null, status: one }))
  ),
  incidents: fc.array(incident("inc_2", fc.boolean()), { maxLength: 1 })
})

const fine: PageNow = { components: cmp.map((id) => ({ id, override: null, status: "operational" as const })), incidents: [] }

describe("the page in a message", () => {
  it.prop(
    "is not well while the incident that it reports had an impact",
    [page, incident("inc_1", fc.constant(false))],
    ([now, then]) => {
      fc.pre(then.impact !== "none" && !(then.automatic && then.components.length === 0))
      // By now it may be over.
      const later = { ...now, incidents: [...now.incidents, { ...then, status: "resolved" as const, resolvedAt: at }] }
      expect(["operational", "unknown"]).not.toContain(withIncident(later, then))
    }
  )

  it.prop("shows the failures that the incident listed, even one without impact", [fc.constantFrom(...failing)], ([failure]) => {
    const then = incidentOf("inc_1", { impact: "none", components: cmp.map((componentId) => ({ componentId, status: failure })) })
    expect(withIncident(fine, then)).toBe(failure)
    const [first, ...others] = fine.components
    const fixed = first === undefined ? [] : [{ ...first, override: { status: "operational" as const, reason: null } }]
    expect(withIncident({ ...fine, components: [...fixed, ...others] }, then)).toBe(
      pageStatus(["operational", failure, failure], ["none"])
    )
  })

  it("is not known from an incident that lists its components as operational", () => {
    const unknown = { ...fine, components: fine.components.map((one) => ({ ...one, status: "unknown" as const })) }
    const then = incidentOf("inc_1", {
      impact: "none",
      components: cmp.map((componentId) => ({ componentId, status: "operational" as const }))
    })
    expect(withIncident(unknown, then)).toBe("unknown")
  })

  it.prop(
    "is well when the message reports the end and nothing else is wrong",
    [incident("inc_1", fc.constant(true))],
    ([then]) => {
      // By its rows, read a moment before, the incident may still be open.
      const known = { ...then, status: "investigating" as const, resolvedAt: null }
      expect(withIncident({ ...fine, incidents: [known] }, then)).toBe("operational")
    }
  )

  it.prop(
    "is the page's status when the message is composed immediately",
    [page, incident("inc_1", fc.boolean())],
    ([now, then]) => {
      const listed = then.resolvedAt === null ? then.components : []
      const components = now.components.map((one) => {
        const set = listed.filter(({ componentId, status: to }) => componentId === one.id && to !== "operational")
        return { ...one, status: set.length === 0 ? one.status : worstOf(set.map(({ status: to }) => to)) }
      })
      const open = [...now.incidents, then].filter(({ automatic, components: all, resolvedAt }) =>
        resolvedAt === null && !(automatic && all.length === 0)
      )
      expect(withIncident({ components, incidents: [...now.incidents, then] }, then)).toBe(
        pageStatus(components.map((one) => one.status), open.map(({ impact }) => impact))
      )
    }
  )

  it("is in maintenance once a window has started, and not before", () => {
    const window = (state: PageIncident["status"]) =>
      incidentOf("inc_1", {
        kind: "maintenance",
        impact: "none",
        status: state,
        components: cmp.map((componentId) => ({ componentId, status: "maintenance" as const }))
      })
    expect(withIncident(fine, window("in_progress"))).toBe("maintenance")
    expect(withIncident(fine, window("scheduled"))).toBe("operational")
    expect(withIncident(fine, { ...window("completed"), resolvedAt: at })).toBe("operational")
  })

  it.prop("has the new status of the component that it reports", [page, shown], ([now, to]) => {
    const [first] = now.components
    if (first === undefined) return
    const statuses = [to, ...now.components.slice(1).map((one) => one.status)]
    const open = now.incidents.filter(({ automatic, components, resolvedAt }) =>
      resolvedAt === null && !(automatic && components.length === 0)
    )
    expect(withComponent(now, first.id, to)).toBe(pageStatus(statuses, open.map(({ impact }) => impact)))
  })
})
