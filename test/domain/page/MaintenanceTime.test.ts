import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import { type Stretch, uptime } from "../../../src/domain/monitor/Uptime.ts"
import { withMaintenance } from "../../../src/domain/page/Timeline.ts"

const end = 100

/** A history without gaps from 0 to `end`; its last stretch may still go on. */
const histories = fc.tuple(
  fc.uniqueArray(fc.integer({ min: 1, max: end - 1 }), { maxLength: 6 }),
  fc.infiniteStream(fc.constantFrom<EffectiveStatus>("operational", "degraded", "major_outage", "unknown")),
  fc.boolean()
).map(([cuts, states, isOpen]) => {
  const borders = [0, ...cuts.sort((a, b) => a - b)]
  return borders.map((startedAt, index): Stretch<EffectiveStatus> => ({
    state: states.next().value,
    startedAt,
    endedAt: borders[index + 1] ?? (isOpen ? null : end)
  }))
})

const windows = fc.array(
  fc.tuple(fc.integer({ min: 0, max: end }), fc.integer({ min: 0, max: end })).map(([from, to]) => ({ from, to })),
  { maxLength: 5 }
)

const stateAt = (history: ReadonlyArray<Stretch<EffectiveStatus>>, at: number) =>
  history.filter(({ endedAt, startedAt }) => startedAt <= at && at < (endedAt ?? Infinity)).map(({ state }) => state)

describe("The time of maintenance", () => {
  it.prop("replaces the status within its windows, and nothing else", [histories, windows], ([history, planned]) => {
    const shown = withMaintenance(history, planned)
    for (let at = 0; at < end; at++) {
      const isPlanned = planned.some(({ from, to }) => from <= at && at < to)
      expect(stateAt(shown, at)).toEqual(isPlanned ? ["maintenance"] : stateAt(history, at))
    }
  })

  it("costs no uptime", () => {
    const history: ReadonlyArray<Stretch<EffectiveStatus>> = [
      { state: "operational", startedAt: 0, endedAt: 40 },
      { state: "major_outage", startedAt: 40, endedAt: 60 },
      { state: "operational", startedAt: 60, endedAt: null }
    ]
    const all = { from: 0, to: end }
    expect(uptime(history, all)?.percent).toBe(80)
    expect(uptime(withMaintenance(history, [{ from: 35, to: 65 }]), all)).toEqual({ percent: 100, coveragePercent: 70 })
  })
})
