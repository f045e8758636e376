/** Each plan's allowance for each kind of monitor: a table, at its limits and one step beyond. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import { Plan } from "../../../schema/workspace/Workspace.ts"
import { codeMonitors, monitorWishes, planRefusal } from "../../../src/domain/billing/PlanLimits.ts"
import { plans } from "../../../src/domain/billing/Plans.ts"
import { settleNew } from "../../../src/domain/monitor/settings/MonitorSettings.ts"

/** The specification's table of plans, written a second time: monitors, shortest interval, regions, browser and script monitors. */
const specified = {
  free: [50, 60, 3, 1],
  starter: [250, 30, 5, 10],
  business: [5000, 10, 10, 500],
  self_hosted: [null, 10, 10, null]
} as const satisfies Record<Plan, readonly [number | null, number, number, number | null]>

/** An input of each kind, the shortest interval of the kind itself, and whether plans count it as running code. */
const kinds = {
  http: [{ url: "https://shop.test/" }, 10, false],
  tcp: [{ host: "shop.test", port: 5432 }, 10, false],
  dns: [{ kind: "dns", host: "shop.test" }, 10, false],
  heartbeat: [{ periodSec: 30 }, null, false],
  manifest: [{ kind: "manifest", url: "https://shop.test/status.json" }, 10, false],
  script: [{ kind: "script", code: "assert(true)" }, 10, true],
  browser: [{ kind: "browser", code: "await page.goto('https://shop.test/')" }, 10, true],
  grpc: [{ kind: "grpc", host: "shop.test", port: 443 }, 10, false],
  websocket: [{ kind: "websocket", url: "wss://shop.test/" }, 10, false],
  ping: [{ kind: "ping", host: "shop.test" }, 10, false],
  domain: [{ kind: "domain", host: "shop.test" }, 3600, false],
  mcp: [{ kind: "mcp", url: "https://shop.test/mcp" }, 10, false]
} as const satisfies Record<MonitorKind, readonly [Omit<MonitorInput, "name">, number | null, boolean]>

const regions = (count: number) => Array.from({ length: count }, (_, index) => RegionId.make(`r${index}`))

/** Why a monitor with these settings is refused: by its kind, by the plan, or null. */
const refusal = (plan: Plan, kind: MonitorKind, more: Partial<MonitorInput>) => {
  const [input, least] = kinds[kind]
  const intervalSec = Math.max(60, least ?? 60)
  const settled = settleNew(
    { name: "x", intervalSec, ...input, timeoutMs: 1000, ...more },
    { channelIds: [], regions: regions(1) }
  )
  return Either.match(settled, {
    onLeft: ({ message }) => message,
    onRight: (settings) => planRefusal(plan, monitorWishes(settings, null))?.message ?? null
  })
}

describe("the plans", () => {
  it.each(Plan.literals)("%s has the specification's limits", (plan) => {
    const { codeMonitors: code, minIntervalSec, monitors, regionsPerMonitor } = plans[plan]
    expect([monitors, minIntervalSec, regionsPerMonitor, code]).toEqual(specified[plan])
  })

  for (const plan of Plan.literals) {
    it.each(Object.keys(kinds) as ReadonlyArray<MonitorKind>)(`${plan} limits the interval and regions of %s`, (kind) => {
      const [, planLeast, most] = specified[plan]
      const [, kindLeast] = kinds[kind]
      if (kindLeast === null) {
        // Nothing probes it, so its period is no interval between checks.
        expect([refusal(plan, kind, {}), refusal(plan, kind, { regions: regions(10) })]).toEqual([null, null])
        return
      }
      const least = Math.max(planLeast, kindLeast)
      expect([least, refusal(plan, kind, { intervalSec: least })]).toEqual([least, null])
      // Below 10 s, the schema refuses already.
      if (least > 10) {
        expect(refusal(plan, kind, { intervalSec: least - 1 })).toMatch(
          kindLeast > planLeast ? /must be at least 3600 for domain monitors/ : /allows intervals of \d+ s or more/
        )
      }
      expect(refusal(plan, kind, { regions: regions(most) })).toBeNull()
      if (most < 10) {
        expect(refusal(plan, kind, { regions: regions(most + 1) })).toMatch(`allows ${most} regions per monitor`)
      }
    })
  }

  it.each(Object.keys(kinds) as ReadonlyArray<MonitorKind>)("count %s as running code, or not", (kind) => {
    expect(codeMonitors(kind)).toBe(kinds[kind][2] ? 1 : 0)
    for (const plan of Plan.literals) {
      const [, , , most] = specified[plan]
      const wish = (wanted: number) => [{ limit: "codeMonitors", had: wanted - 1, wanted } as const]
      if (most === null) expect(planRefusal(plan, wish(100_000))).toBeNull()
      else expect([planRefusal(plan, wish(most)), planRefusal(plan, wish(most + 1))?._tag]).toEqual([null, "plan_limit"])
    }
  })
})
