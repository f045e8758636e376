/** The ledger of a run of faults: what was promised against what has arrived. And the growth that a soak allows. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { type AlertType, calmTime, faultsIn, makeLedger, silences } from "../../infra/chaos/ledger.mjs"
import { exceeds, trendOf } from "../../infra/chaos/trend.mjs"

const bounds = { boundMs: 1000, toleranceMs: 100 }
const alert = (id: string, type: AlertType, at: number, checkAt = at) => ({ id, subject: "shop", type, at, checkAt })

describe("the ledger", () => {
  it("finds nothing where each promise is kept once, in time", () => {
    const ledger = makeLedger(bounds)
    ledger.promise("shop", "down", 0, 1)
    ledger.arrived(alert("1", "down", 900), 1)
    ledger.arrived(alert("1", "down", 950), 1)
    ledger.promise("shop", "up", 5000, 2)
    expect(ledger.isSettled()).toBe(false)
    ledger.arrived(alert("2", "up", 5100), 2)
    expect(ledger.isSettled()).toBe(true)
    ledger.giveUp()
    const { repeated, rows, total } = ledger.report()
    expect(faultsIn(total)).toBe(0)
    expect([total.promised, total.kept, repeated]).toEqual([2, 2, 1])
    expect(rows.map(({ round }) => round)).toEqual([1, 2])
  })

  it("names what is lost, doubled, false, late and misdated, each in its round", () => {
    const ledger = makeLedger(bounds)
    ledger.promise("other", "down", 0, 1)
    ledger.promise("shop", "down", 0, 2)
    ledger.arrived(alert("1", "down", 1001), 2)
    ledger.arrived(alert("2", "down", 1002), 3)
    ledger.arrived(alert("3", "up", 1003), 4)
    ledger.promise("shop", "up", 2000, 5)
    ledger.arrived(alert("4", "up", 2500, 1000), 5)
    ledger.giveUp()
    expect(ledger.report().complaints.map(({ kind, round }) => [kind, round])).toEqual([
      ["late", 2],
      ["doubled", 3],
      ["false", 4],
      ["misdated", 5],
      ["lost", 1]
    ])
    expect(faultsIn(ledger.report().total)).toBe(5)
  })

  it("counts what is open at the end as lost", () => {
    const written: Array<string> = []
    const ledger = makeLedger({ ...bounds, tell: (complaint) => void written.push(complaint) })
    ledger.promise("shop", "down", 0, 1)
    expect(ledger.report().total.lost).toBe(1)
    expect(written).toEqual(["lost in round 1: shop down"])
  })

  it("finds pauses between checks that no unobserved time explains", () => {
    const times = [50, 0, 10, 20, 100]
    expect(silences(times, [], 20)).toEqual([{ from: 20, to: 50 }, { from: 50, to: 100 }])
    expect(silences(times, [{ from: 60, to: 100 }], 20)).toEqual([{ from: 20, to: 50 }])
    expect(silences(times, [{ from: 0, to: 20 }, { from: 100, to: 120 }], 20)).toHaveLength(2)
  })

  it("counts only calm time towards the bound", () => {
    const ledger = makeLedger(bounds)
    const end = ledger.trouble(100)
    ledger.promise("shop", "down", 0, 1)
    end(8000)
    ledger.arrived(alert("1", "down", 8800), 1)
    expect(faultsIn(ledger.report().total)).toBe(0)
    expect(ledger.report().slowestMs).toBe(900)
  })

  it("measures calm time like somebody who looks at each moment", () => {
    const stretch = fc.tuple(fc.nat(40), fc.nat(20)).map(([from, length]) => ({ from, to: from + length }))
    fc.assert(fc.property(fc.nat(30), fc.nat(40), fc.array(stretch, { maxLength: 5 }), (from, length, troubles) => {
      const moments = Array.from({ length }, (_, index) => from + index + 0.5)
      const calm = moments.filter((at) => !troubles.some((one) => one.from <= at && at < one.to))
      expect(calmTime(from, from + length, troubles)).toBe(calm.length)
    }))
  })
})

describe("the growth of a figure", () => {
  const samples = (valueAt: (at: number) => number) =>
    Array.from({ length: 60 }, (_, minute) => ({ at: minute / 60, value: valueAt(minute) }))

  it("is above its budget when it goes on, and not when it wavers", () => {
    const wavers = trendOf(samples((minute) => 100 + 10 * Math.sin(minute)))
    expect(exceeds(wavers, 5)).toBe(false)
    const grows = trendOf(samples((minute) => 100 + minute / 2 + 10 * Math.sin(minute)))
    expect(grows.perHour).toBeGreaterThan(20)
    expect(exceeds(grows, 5)).toBe(true)
    expect(trendOf([])).toEqual({ perHour: 0, error: 0 })
  })
})
