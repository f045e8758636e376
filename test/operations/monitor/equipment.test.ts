/** Creation refuses a kind of monitor for which the probes of a region lack the program. */
import { expect, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { Beat } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { RegionHealth } from "../../../src/services/check/RegionHealth.ts"
import { Regions } from "../../../src/store/check/Regions.ts"
import { makeBeat } from "../../support/probe/Beats.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const bare = RegionId.make("bare")
const equipped = RegionId.make("equipped")

const beat = (region: RegionId, more: Partial<Beat>) =>
  Effect.gen(function*() {
    const bus = yield* Bus
    const at = yield* Clock.currentTimeMillis
    yield* bus.beat(makeBeat({ region, workerId: `${region}-1`, at, ...more }))
  })

const wanted: ReadonlyArray<readonly [MonitorInput, RegExp]> = [
  [{ name: "Steps", kind: "browser", code: "await page.goto('https://example.com')" }, /^No probe in region bare has Chromium/],
  [
    { name: "Login", kind: "script", code: "await http.get('https://example.com')" },
    /^No probe in region bare can isolate scripts/
  ],
  [{ name: "Router", kind: "ping", host: "router.example.com" }, /^No probe in region bare can send ICMP/]
]

layer(TestRunner, { excludeTestServices: true, timeout: "30 seconds" })("a region without the program", (it) => {
  it.scoped("gets no monitors that need it, whatever its other workers say", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      const health = yield* RegionHealth
      const { create } = yield* ManageMonitors
      const kinds = ["browser", "ping", "script"] as const
      const nothing = { hasBrowser: false, hasPing: false, hasScripts: false }
      yield* beat(bare, nothing)
      yield* beat(equipped, { workerId: "without", ...nothing })
      yield* beat(equipped, { workerId: "with", hasBrowser: true, hasPing: true, hasScripts: true })
      yield* until(Effect.sync(() => kinds.map((kind) => health.lacks(kind, bare))), (lacks) => lacks.every((one) => one))
      yield* until(Effect.sync(() => kinds.map((kind) => health.lacks(kind, equipped))), (lacks) => !lacks.includes(true))
      const regions = yield* Regions
      yield* until(regions.known, (known) => known.length === 2)
      for (const [input, message] of wanted) {
        const refused = yield* Effect.flip(create(id, { ...input, regions: [equipped, bare] }))
        expect([refused._tag, refused.message]).toEqual(["validation_failed", expect.stringMatching(message)])
        const made = yield* create(id, { ...input, regions: [equipped] })
        expect(made.kind).toBe(input.kind)
      }
    }))
})
