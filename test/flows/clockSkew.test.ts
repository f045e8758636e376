/** Real processes whose clocks are wrong: outages are found as soon as with right clocks, and dated rightly. */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startCluster } from "../../infra/cluster.mjs"
import { RegionId } from "../../schema/check/Region.ts"
import { canRunKafka } from "../support/kafka/LocalKafka.ts"
import { temporaryRoot } from "../support/run/TemporaryRoot.ts"
import { httpTarget } from "../support/targets/LocalTargets.ts"
import { eventually } from "./support/Eventually.ts"
import { makeWorkspace } from "./support/LocalCluster.ts"

const hook = fileURLToPath(new URL("../../infra/chaos/wrongClock.mjs", import.meta.url))

const ahead = (ms: number): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import ${hook}`,
  CLOCK_SKEW_MS: String(ms)
})

/** By region and worker, ms: ten minutes, and no multiple of the interval. Of the workers of `us` one is right. */
const skews: Readonly<Record<string, ReadonlyArray<number>>> = { eu: [607_000], us: [0, -604_000], ap: [0] }
const regions = Object.keys(skews).map((id) => RegionId.make(id))
const intervalSec = 10
const monitors = 6

const withCluster = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = mkdtempSync(join(temporaryRoot, "belltower-clocks-"))
    // Lets the database's user enter when the tests run as root.
    chmodSync(folder, 0o755)
    const cluster = await startCluster({
      folder,
      runners: 1,
      regions: { eu: 1, us: 2, ap: 1 },
      supervised: false,
      env: { BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" },
      probeEnv: (region, number) => ahead(skews[region]?.[number - 1] ?? 0),
      tell: () => {}
    })
    return { cluster, folder }
  }),
  ({ cluster, folder }) =>
    Effect.promise(async () => {
      await cluster.stop()
      rmSync(folder, { recursive: true, force: true })
    })
)

const canRun = await canRunKafka()

describe.skipIf(!canRun)("clocks that are minutes off", () => {
  it.scopedLive(
    "neither delay the detection of an outage nor misdate it, and are shown where regions are",
    () =>
      Effect.gen(function*() {
        let fails = false
        const url = yield* httpTarget((_, response) => void response.writeHead(fails ? 503 : 200).end())
        const { cluster } = yield* withCluster
        const client = yield* makeWorkspace(cluster.baseUrl)
        const shown = Effect.map(
          client.Monitors.list_regions({ urlParams: {} }),
          ({ data }) => Object.fromEntries(data.map(({ clockSkewMs, id }) => [id, clockSkewMs]))
        )
        const near = (one: number | null | undefined, other: number) => typeof one === "number" && Math.abs(one - other) < 1000
        yield* eventually(
          "Each region shows how far the clock is off that is most off",
          "60 seconds",
          Effect.map(
            shown,
            (found) =>
              near(found["eu"], 607_000) && near(found["us"], -604_000) && near(found["ap"], 0) ? null : JSON.stringify(found)
          )
        )
        const ids = yield* Effect.forEach(
          Array.from({ length: monitors }, (_, index) => `site ${index}`),
          (name) =>
            client.Monitors.create_monitor({ payload: { name, url, intervalSec, timeoutMs: 2000, failureThreshold: 1, regions } })
        )
        const states = (state: "up" | "down") =>
          Effect.map(client.Monitors.list_monitors({ urlParams: {} }), ({ data }) =>
            data.every((monitor) =>
                monitor.state === state
              )
              ? null
              : JSON.stringify(data.map((monitor) => monitor.state)))
        yield* eventually("All are up", "60 seconds", states("up"))
        fails = true
        const failedAt = yield* Clock.currentTimeMillis
        // An interval and a check; a round that waits for a region in vain would take 15 to 45 s more.
        yield* eventually("All are down before a round without such a region could end", "23 seconds", states("down"))
        const { data } = yield* client.Incidents.list_incidents({ urlParams: {} })
        expect(data).toHaveLength(ids.length)
        for (const { startedAt } of data) {
          const began = startedAt.epochMillis - failedAt
          expect(began).toBeGreaterThan(-1000)
          // On a busy machine, a check begins some seconds late; a wrong clock would misdate it by minutes.
          expect(began).toBeLessThan(intervalSec * 1000 + 8000)
        }
      }),
    240_000
  )
})
