/** When the dead man's switch is silent, and what /health says of it. */
import { describe, expect, it } from "vitest"
import { isStop, type Signs, switchFinding, troubles } from "../../../src/domain/health/DeadMansSwitch.ts"

const well: Signs = {
  regions: [{ id: "eu", pace: "checking", delaySec: 2 }, { id: "us", pace: "idle", delaySec: null }],
  overdue: null,
  ages: { events: 1, deliveries: 20, mails: 60, alarms: 0 }
}

describe("the dead man's switch", () => {
  it("pings while each region with due checks delivers, results are decided in time, and nothing waits for long", () => {
    expect(troubles(well)).toEqual([])
  })

  it("is silent for each thing that does not go on, and says which", () => {
    const regions = (...given: Signs["regions"]) => troubles({ ...well, regions: given })
    expect(regions({ id: "eu", pace: "stopped", delaySec: null })).toEqual(["no checks of region eu are stored"])
    expect(regions({ id: "eu", pace: "checking", delaySec: 400 })).toEqual(["results of region eu are 400 s late"])
    expect(regions({ id: "eu", pace: "idle", delaySec: 400 })).toEqual(["results of region eu are 400 s late"])
    const all = { tenants: 1, monitors: 5, lateTenants: 1, late: 5, worst: { monitors: 5, late: 5 } }
    expect(troubles({ ...well, overdue: all })).toEqual(["checks of 5 of 5 monitors (1 of 1 tenants) are overdue"])
    const waiting = (ages: Partial<Signs["ages"]>) => troubles({ ...well, ages: { ...well.ages, ...ages } })
    expect(waiting({ events: 121 })).toEqual(["fan-out of events waited for 121 s"])
    expect(waiting({ deliveries: 300, alarms: 300 })).toEqual([
      "alarms of actors waited for 300 s",
      "deliveries waited for 300 s"
    ])
    expect(waiting({ mails: 300 })).toEqual(["mails waited for 300 s"])
  })

  it("is silenced by no tenant alone, and by a tenth of the monitors and of the tenants without the one that has most", () => {
    const isSilent = (tenants: ReadonlyArray<readonly [monitors: number, late: number]>) => {
      const [most = [0, 0]] = [...tenants].sort((one, other) => other[1] - one[1])
      const sum = (at: 0 | 1) => tenants.reduce((total, one) => total + one[at], 0)
      return isStop({
        tenants: tenants.length,
        monitors: sum(0),
        lateTenants: tenants.filter(([, late]) => late > 0).length,
        late: sum(1),
        worst: { monitors: most[0], late: most[1] }
      })
    }
    const others = (count: number, late: number) => Array.from({ length: count }, () => [100, late] as const)
    expect(isSilent([[1_000, 1_000], ...others(90, 0)])).toBe(false)
    expect(isSilent([[9_000, 9_000], ...others(10, 0)])).toBe(false)
    expect(isSilent([[9_000, 9_000], [1, 0]])).toBe(false)
    // A host of many tenants that hangs.
    expect(isSilent(others(100, 2))).toBe(false)
    // A second tenant that hangs, with many monitors.
    expect(isSilent([[1_000, 1_000], [1_000, 1_000], ...others(80, 0)])).toBe(false)
    expect(isSilent(others(100, 100))).toBe(true)
    // A runner of three.
    expect(isSilent(others(100, 33))).toBe(true)
    expect(isSilent([[9_000, 9_000], [1, 1]])).toBe(true)
    expect([isSilent([[5, 5]]), isSilent([[5, 4]]), isSilent([[50, 10]]), isSilent([[500, 49]]), isSilent([[500, 50]])])
      .toEqual([true, false, true, false, true])
    expect(isSilent([])).toBe(false)
  })

  it("shows its state: when it last pinged, why it is silent, and that the service is not reached", () => {
    const now = Date.parse("2026-11-26T12:00:00Z")
    const state = { troubles: [], refusal: null, lastPingAt: now - 30_000, since: now - 3_600_000 }
    expect(switchFinding(state, now)).toEqual({
      state: "ok",
      reason: null,
      details: { on: true, lastPingAt: "2026-11-26T11:59:30.000Z" }
    })
    expect(switchFinding({ ...state, troubles: ["deliveries waited for 300 s"] }, now)).toMatchObject({
      state: "degraded",
      reason: "It is silent: deliveries waited for 300 s"
    })
    const refusal = { message: "status 500", at: now - 10_000 }
    expect(switchFinding({ ...state, refusal }, now).reason).toBe("The outside service was not reached: status 500")
    expect(switchFinding({ ...state, refusal: { ...refusal, at: now - 40_000 } }, now).state).toBe("ok")
    expect(switchFinding({ ...state, lastPingAt: now - 600_000 }, now).reason).toBe("No ping was accepted for 600 s")
    // It has just begun.
    expect(switchFinding({ ...state, lastPingAt: null, since: now - 20_000 }, now)).toMatchObject({
      state: "ok",
      details: { lastPingAt: null }
    })
  })
})
