import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { type EffectiveStatus, EffectiveStatus as Statuses } from "../../../schema/component/Component.ts"
import { monitoredStatus, worstOf } from "../../../src/domain/component/ComponentStatus.ts"
import { type Span, type SpanState, tally, uptime } from "../../../src/domain/monitor/Uptime.ts"
import { pageStatus } from "../../../src/domain/page/PageStatus.ts"
import { timeline } from "../../../src/domain/page/Timeline.ts"

const states: ReadonlyArray<SpanState> = ["up", "degraded", "down", "paused", "pending", "unobserved"]
const state = fc.constantFrom(...states)
const aggregate = fc.constantFrom("worst" as const, "majority" as const)

/** The history of a monitor: spans in order, the last one open. */
const life = fc.array(fc.record({ state, length: fc.integer({ min: 1, max: 5_000 }) }), { maxLength: 12 }).map((parts) => {
  let at = 0
  return parts.map(({ length, state }, index): Span => {
    const startedAt = at
    at += length
    return { state, startedAt, endedAt: index === parts.length - 1 ? null : at }
  })
})

const window = fc.tuple(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 1, max: 30_000 }))
  .map(([from, length]) => ({ from, to: from + length }))

const span = (state: SpanState, startedAt: number, endedAt: number | null): Span => ({ state, startedAt, endedAt })

describe("Uptime", () => {
  it("counts time, not checks, with degraded as up", () => {
    const spans = [span("up", 0, 50), span("degraded", 50, 75), span("down", 75, null)]
    expect(uptime(spans, { from: 0, to: 100 })).toEqual({ percent: 75, coveragePercent: 100 })
  })

  it("excludes unobserved time and reports how much time was observed", () => {
    const spans = [span("up", 0, 30), span("paused", 30, 60), span("down", 60, 70), span("unobserved", 70, null)]
    expect(uptime(spans, { from: 0, to: 100 })).toEqual({ percent: 75, coveragePercent: 40 })
  })

  it("is null without observed time", () => {
    expect(uptime([span("pending", 0, null)], { from: 0, to: 100 })).toBeNull()
    expect(uptime([], { from: 0, to: 100 })).toBeNull()
  })

  it("never rounds a short outage up to 100", () => {
    const spans = [span("up", 0, 7_775_999_000), span("down", 7_775_999_000, null)]
    expect(uptime(spans, { from: 0, to: 7_776_000_000 })?.percent).toBe(99.999)
  })

  it.prop("lies between 0 and 100", [life, window], ([spans, window]) => {
    const share = uptime(spans, window)
    if (share === null) return
    for (const figure of [share.percent, share.coveragePercent]) {
      expect(figure).toBeGreaterThanOrEqual(0)
      expect(figure).toBeLessThanOrEqual(100)
    }
  })

  it.prop("adds up over the parts of a window", [
    life,
    window,
    fc.integer({ min: 0, max: 30_000 })
  ], ([spans, window, cut]) => {
    const at = Math.min(window.to, window.from + cut)
    const [first, second] = [tally(spans, { from: window.from, to: at }), tally(spans, { from: at, to: window.to })]
    const whole = tally(spans, window)
    expect(first.goodMs + second.goodMs).toBe(whole.goodMs)
    expect(first.badMs + second.badMs).toBe(whole.badMs)
  })
})

describe("Timeline", () => {
  it.prop("covers the window once, in order", [
    aggregate,
    fc.array(life, { minLength: 1, maxLength: 4 }),
    window
  ], ([kind, lives, window]) => {
    const stretches = timeline(kind, lives, window)
    expect(stretches[0]?.startedAt).toBe(window.from)
    expect(stretches.at(-1)?.endedAt).toBe(window.to)
    stretches.slice(1).forEach((stretch, index) => {
      expect(stretch.startedAt).toBe(stretches[index]?.endedAt)
      expect(stretch.state).not.toBe(stretches[index]?.state)
    })
  })

  it.prop("does not depend on the order of the monitors", [
    aggregate,
    fc.array(life, { minLength: 1, maxLength: 4 }),
    window
  ], ([kind, lives, window]) => {
    expect(timeline(kind, [...lives].reverse(), window)).toEqual(timeline(kind, lives, window))
  })

  it.prop("of one monitor has the monitor's own uptime", [aggregate, life, window], ([kind, spans, window]) => {
    expect(uptime(timeline(kind, [spans], window), window)).toEqual(uptime(spans, window))
  })

  it.prop("by the worst is never better than by the majority", [
    fc.array(life, { minLength: 1, maxLength: 4 }),
    window
  ], ([lives, window]) => {
    expect(tally(timeline("worst", lives, window), window).badMs)
      .toBeGreaterThanOrEqual(tally(timeline("majority", lives, window), window).badMs)
  })

  it("is down by the majority only while more than half of the observed monitors are", () => {
    const lives = [
      [span("up", 0, 10), span("down", 10, null)],
      [span("up", 0, 20), span("down", 20, null)],
      [span("up", 0, 40), span("paused", 40, null)]
    ]
    expect(timeline("majority", lives, { from: 0, to: 50 })).toEqual([
      { state: "operational", startedAt: 0, endedAt: 20 },
      { state: "major_outage", startedAt: 20, endedAt: 50 }
    ])
  })

  it("is unknown before the first span and between spans", () => {
    expect(timeline("worst", [[span("up", 10, 20), span("up", 30, null)]], { from: 0, to: 40 }).map(({ state }) => state))
      .toEqual(["unknown", "operational", "unknown", "operational"])
  })
})

describe("Component status", () => {
  it("by the worst is a major outage when any monitor is down", () => {
    expect(monitoredStatus("worst", ["up", "up", "down"])).toBe("major_outage")
    expect(monitoredStatus("worst", ["up", "degraded"])).toBe("degraded")
  })

  it("by the majority ignores a minority, and a tie is a minority", () => {
    expect(monitoredStatus("majority", ["up", "down"])).toBe("operational")
    expect(monitoredStatus("majority", ["up", "down", "down"])).toBe("major_outage")
    expect(monitoredStatus("majority", ["up", "up", "degraded"])).toBe("operational")
    expect(monitoredStatus("majority", ["up", "degraded", "down"])).toBe("degraded")
    expect(monitoredStatus("majority", ["paused", "unobserved", "down"])).toBe("major_outage")
  })

  const observed = fc.record({ up: fc.nat(9), degraded: fc.nat(9), down: fc.nat(9) })
  const statesOf = ({ degraded, down, up }: { readonly up: number; readonly degraded: number; readonly down: number }) => [
    ...new Array<SpanState>(up).fill("up"),
    ...new Array<SpanState>(degraded).fill("degraded"),
    ...new Array<SpanState>(down).fill("down")
  ]
  const unobserved = fc.array(fc.constantFrom<SpanState>("pending", "paused", "unobserved"), { maxLength: 9 })

  it.prop(
    "by the majority follows strictly more than half of the observed monitors",
    [observed, unobserved],
    ([counts, rest]) => {
      const total = counts.up + counts.degraded + counts.down
      const status = monitoredStatus("majority", [...statesOf(counts), ...rest])
      expect(status === "unknown").toBe(total === 0)
      expect(status === "major_outage").toBe(2 * counts.down > total)
      expect(status === "operational").toBe(total > 0 && 2 * (counts.down + counts.degraded) <= total)
      expect(status).not.toBe("partial_outage")
    }
  )

  it.prop("by the worst follows any observed monitor", [observed, unobserved], ([counts, rest]) => {
    const total = counts.up + counts.degraded + counts.down
    const expected = total === 0 ? "unknown" : counts.down > 0 ? "major_outage" : counts.degraded > 0 ? "degraded" : "operational"
    expect(monitoredStatus("worst", [...rest, ...statesOf(counts)])).toBe(expected)
  })

  it.prop("in the history agrees with the status at that moment", [
    aggregate,
    fc.array(state, { minLength: 1, maxLength: 8 })
  ], ([kind, given]) => {
    const lives = given.map((one) => [span(one, 0, null)])
    expect(timeline(kind, lives, { from: 0, to: 100 })).toEqual([
      { state: monitoredStatus(kind, given), startedAt: 0, endedAt: 100 }
    ])
  })

  it("is unknown when no monitor observes: pending, paused or deleted", () => {
    expect(monitoredStatus("worst", ["pending", "paused", "unobserved"])).toBe("unknown")
    expect(monitoredStatus("worst", ["paused", "up"])).toBe("operational")
  })
})

describe("Page status", () => {
  const status = fc.constantFrom<EffectiveStatus>(...Statuses.literals)

  it("is a major outage only when every known component is down", () => {
    expect(pageStatus(["major_outage", "operational"], [])).toBe("partial_outage")
    expect(pageStatus(["major_outage", "unknown"], [])).toBe("major_outage")
  })

  it("is unknown for a page without components", () => {
    expect(pageStatus([], [])).toBe("unknown")
  })

  it("is no better than its worst open incident", () => {
    expect(pageStatus(["operational"], ["minor"])).toBe("degraded")
    expect(pageStatus(["operational"], ["critical"])).toBe("major_outage")
    expect(pageStatus(["maintenance"], ["minor"])).toBe("degraded")
  })

  it("is maintenance when nothing else is wrong", () => {
    expect(pageStatus(["operational", "maintenance"], [])).toBe("maintenance")
    expect(pageStatus(["degraded", "maintenance"], [])).toBe("degraded")
  })

  it.prop("does not depend on the order of the components", [fc.array(status)], ([statuses]) => {
    expect(pageStatus([...statuses].reverse(), [])).toBe(pageStatus(statuses, []))
    expect(worstOf([...statuses].reverse())).toBe(worstOf(statuses))
  })

  it.prop("reads operational only when nothing known is worse", [fc.array(status)], ([statuses]) => {
    if (pageStatus(statuses, []) !== "operational") return
    expect(statuses.every((one) => one === "operational" || one === "unknown")).toBe(true)
  })
})
