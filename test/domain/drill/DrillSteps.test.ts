import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import type { DrillDelivery } from "../../../schema/drill/Drill.ts"
import { ChannelId } from "../../../schema/Ids.ts"
import { advance, type DrillFacts, drillStages, problemOf } from "../../../src/domain/drill/DrillSteps.ts"

const alert = FastCheck.boolean().map((settled) => ({ settled, deliveries: [] }))
const facts: FastCheck.Arbitrary<DrillFacts> = FastCheck.record({
  detected: FastCheck.boolean(),
  down: alert,
  paged: FastCheck.boolean(),
  acknowledged: FastCheck.boolean(),
  recovered: FastCheck.boolean(),
  up: alert
})

const delivery = (status: DrillDelivery["status"], event: DrillDelivery["event"] = "monitor.down"): DrillDelivery => ({
  channelId: ChannelId.make("ch_one"),
  event,
  status,
  statusCode: null,
  error: null,
  afterMs: null
})

describe("a drill", () => {
  it.prop("reaches its stages in order, each once, whenever it is looked at", [FastCheck.array(facts)], ([looks]) => {
    const reached: Array<(typeof drillStages)[number]> = []
    for (const look of looks) {
      const { fresh, waitsFor } = advance(reached, look)
      reached.push(...fresh)
      expect(waitsFor).toBe(drillStages[reached.length] ?? null)
    }
    expect(reached).toEqual(drillStages.slice(0, reached.length))
  })

  it.each(
    [
      ["passes when every channel took both messages", null, [delivery("delivered"), delivery("delivered", "monitor.up")], null],
      ["passes when a channel keeps the alert, as its settings say", null, [delivery("held"), delivery("grouped")], null],
      ["fails when a channel refused the alert", null, [delivery("dead"), delivery("delivered")], /1 of 2 channels/],
      ["fails when a channel is tried again", null, [delivery("retrying")], /1 of 1 channel did/],
      ["fails when no channel received it", null, [], /No channel received the alert/],
      ["fails when a channel captured it", null, [delivery("captured"), delivery("delivered")], /No mail server is set: 1 of 2/],
      ["fails when it stays at a stage", "detection", [], /did not get past detection within 5 minutes/],
      ["fails when only the all-clear was refused", null, [delivery("delivered"), delivery("dead", "monitor.up")], /all-clear/]
    ] as const
  )("%s", (_, waitsFor, deliveries, problem) => {
    const found = problemOf(waitsFor, { captured: [], deliveries, unreached: [] })
    if (problem === null) expect(found).toBe(null)
    else expect(found).toMatch(problem)
  })

  it("fails when somebody whose turn it was cannot be paged", () => {
    const unreached = [{ person: "ada@example.com", reason: "The email address is not confirmed" }]
    expect(problemOf(null, { captured: [], deliveries: [delivery("delivered")], unreached })).toMatch(
      /^1 person could not be paged/
    )
  })
})
