import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { ComponentId } from "../../../schema/Ids.ts"
import { renderTemplate, settleTemplate, settleTemplateEdit } from "../../../src/domain/incident/IncidentTemplate.ts"

const settled = (more: Partial<Parameters<typeof settleTemplate>[0]> = {}) =>
  Either.getOrThrow(
    settleTemplate({ name: "Slow", title: "{{component}} is slow", body: "{{title}} for {{duration}}.", ...more })
  )

const components = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: ComponentId.make(`cmp_${index}`), name: `Part ${index}` }))

describe("An incident template", () => {
  it("has defaults by its kind, which its status tells, and refuses a status of the other kind", () => {
    expect(settled()).toMatchObject({
      kind: "incident",
      status: "investigating",
      impact: "minor",
      componentStatus: "partial_outage"
    })
    const maintenance = settled({ kind: "maintenance" })
    expect(maintenance).toMatchObject({ status: "scheduled", impact: "maintenance", componentStatus: "maintenance" })
    expect(settled({ status: "completed" })).toMatchObject({ kind: "maintenance", status: "completed", impact: "maintenance" })
    expect(settleTemplate({ name: "a", title: "a", body: "a", kind: "incident", status: "completed" })).toMatchObject({
      left: [{ path: "status" }]
    })
    expect(Either.getOrThrow(settleTemplateEdit(settled(), { status: "in_progress" }))).toMatchObject({
      kind: "maintenance",
      componentStatus: "maintenance"
    })
    expect(Either.getOrThrow(settleTemplateEdit(settled(), { order: 1 }))).toMatchObject({ kind: "incident" })
    expect(settleTemplateEdit(maintenance, { kind: "maintenance", status: "identified" })).toMatchObject({
      left: [{ path: "status" }]
    })
    expect(Either.getOrThrow(settleTemplateEdit(settled(), { kind: "maintenance" }))).toMatchObject({ status: "scheduled" })
  })

  it("fills its placeholders from an incident", () => {
    const facts = {
      components: components(2),
      pageNames: ["Acme", "Acme"],
      incident: { title: "Slow checkout", lastedSec: 720 }
    }
    const body = "{{ component }} on {{status_page}}: {{title}}, {{duration}}. {{unknown}}"
    expect(renderTemplate(settled({ body }), facts)).toEqual({
      title: "Part 0 and Part 1 is slow",
      message: "Part 0 and Part 1 on Acme: Slow checkout, 12 minutes. {{unknown}}",
      status: "investigating",
      impact: "minor",
      components: [
        { componentId: "cmp_0", status: "partial_outage" },
        { componentId: "cmp_1", status: "partial_outage" }
      ]
    })
  })

  it("leaves a placeholder that nothing fills, and names its own title without an incident", () => {
    const facts = { components: components(1), pageNames: [], incident: null }
    expect(renderTemplate(settled(), facts)).toMatchObject({
      title: "Part 0 is slow",
      message: "Part 0 is slow for {{duration}}."
    })
  })

  it.prop(
    "never renders more than an incident takes, whatever it repeats",
    [fc.nat(200), fc.integer({ min: 1, max: 700 })],
    ([count, times]) => {
      const facts = { components: components(count), pageNames: [], incident: null }
      const { message, title } = renderTemplate(
        settled({ title: "{{component}}".repeat(Math.min(times, 13)), body: "{{component}} ".repeat(times) }),
        facts
      )
      expect(title.length).toBeLessThanOrEqual(200)
      expect(message.length).toBeLessThanOrEqual(10_000)
    }
  )
})
