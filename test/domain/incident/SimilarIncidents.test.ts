/** Which past incidents are like one. */
import { describe, expect, it } from "@effect/vitest"
import { ComponentId, IncidentId, MonitorId } from "../../../schema/Ids.ts"
import { similarTo } from "../../../src/domain/incident/SimilarIncidents.ts"

const incident = (id: string, title: string, { components = [], monitor }: {
  readonly monitor?: string
  readonly components?: ReadonlyArray<string>
} = {}) => ({
  id: IncidentId.make(id),
  title,
  monitorId: monitor === undefined ? null : MonitorId.make(monitor),
  components: components.map((one) => ({ componentId: ComponentId.make(one), status: "degraded" as const }))
})

const found = (one: ReturnType<typeof incident>, past: ReadonlyArray<ReturnType<typeof incident>>, most = 5) =>
  similarTo(one, past, most).map(({ incident: { id }, likeness }) => [id, likeness])

describe("similar incidents", () => {
  it("name the monitor before components, and these before titles", () => {
    const one = incident("inc_9", "Checkout is slow", { monitor: "mon_1", components: ["cmp_1"] })
    const past = [
      incident("inc_1", "Checkout is slow"),
      incident("inc_2", "Lost mails", { components: ["cmp_1", "cmp_2"] }),
      incident("inc_3", "A certificate ended", { monitor: "mon_1" }),
      incident("inc_4", "Lost mails", { monitor: "mon_2", components: ["cmp_2"] })
    ]
    expect(found(one, past)).toEqual([
      ["inc_3", "same monitor"],
      ["inc_2", "same component"],
      ["inc_1", "similar title"]
    ])
    expect(found(one, past, 1)).toEqual([["inc_3", "same monitor"]])
  })

  it("do not compare words that every title has, and need more than one in common of many", () => {
    const one = incident("inc_9", "The checkout is down")
    expect(found(one, [incident("inc_1", "The mail is down for all in the north")])).toEqual([])
    expect(found(one, [incident("inc_2", "Is the mail at it")])).toEqual([])
    expect(found(one, [incident("inc_3", "Checkout down again")])).toEqual([["inc_3", "similar title"]])
  })

  it("list each once, never the incident itself, and without a monitor none for having none", () => {
    const one = incident("inc_9", "Outage")
    const same = incident("inc_1", "Outage")
    expect(found(one, [one, same, same, incident("inc_2", "Mails")])).toEqual([["inc_1", "similar title"]])
  })

  it("keep the order of those that are alike, the newest first", () => {
    const past = ["inc_3", "inc_2", "inc_1"].map((id) => incident(id, "Down", { monitor: "mon_1" }))
    expect(found(incident("inc_9", "Slow", { monitor: "mon_1" }), past).map(([id]) => id)).toEqual(["inc_3", "inc_2", "inc_1"])
  })
})
