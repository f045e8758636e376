/** How the monitoring is, from what is late. */
import { expect, it } from "vitest"
import { RegionId } from "../../../schema/check/Region.ts"
import { monitorsFinding, regionReports, regionsFinding, resultDelay } from "../../../src/domain/monitor/MonitoringVerdict.ts"

const now = 1_000_000
const eu = RegionId.make("eu")
const us = RegionId.make("us")
const idle = RegionId.make("idle")
const known = [
  { id: eu, newestCheckAt: now - 5_000, lastResultAt: now - 2_000 },
  { id: us, newestCheckAt: now - 400_000, lastResultAt: now - 390_000 },
  { id: idle, newestCheckAt: null, lastResultAt: null }
]
const none = { overdue: [], unseen: [] }

it("a region is at work while its newest check is fresh, and idle while nothing is due", () => {
  const regions = regionReports(known, none, now)
  expect(regions.map(({ pace }) => pace)).toEqual(["checking", "idle", "idle"])
  expect(regionsFinding(regions, now)).toMatchObject({
    state: "ok",
    details: { regions: { eu: { newestCheckAgeSec: 5 }, us: { newestCheckAgeSec: 400 }, idle: { newestCheckAgeSec: null } } }
  })
})

it("the results of a region are as late as its newest check was when it was stored, if one was stored lately", () => {
  const [fresh, quiet, never] = regionReports(known, none, now).map((region) => resultDelay(region, now))
  expect([fresh, quiet, never]).toEqual([3, null, null])
  const [late] = regionReports([{ id: eu, newestCheckAt: now - 400_000, lastResultAt: now }], none, now)
  expect(late === undefined ? null : resultDelay(late, now)).toBe(400)
})

it("a region that has stopped degrades the monitoring while another one is at work, and fails it alone", () => {
  const one = regionsFinding(regionReports(known, { overdue: [{ id: us }], unseen: [] }, now), now)
  expect([one.state, one.reason]).toEqual([
    "degraded",
    "Monitors are due, but no checks are stored of: us (newest check 400 s ago)"
  ])
  const later = now + 300_000
  const all = regionsFinding(regionReports(known, { overdue: [{ id: eu }], unseen: [{ id: us }] }, later), later)
  expect(all.state).toBe("failing")
})

it("overdue monitors are counted up to the limit", () => {
  expect(monitorsFinding(none, 10).state).toBe("ok")
  expect(monitorsFinding({ overdue: [1], unseen: [] }, 10)).toMatchObject({
    state: "degraded",
    reason: "1 monitor is overdue for a check",
    details: { overdue: 1, withoutProbe: 0 }
  })
  expect(monitorsFinding({ overdue: Array(7).fill(1), unseen: Array(3).fill(1) }, 10).reason).toBe(
    "10 or more monitors are overdue for a check"
  )
})
