/** The dead man's switch against a service that waits for its pings: one ping of all processes, and silence when work stops. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fine } from "../../../src/domain/health/Health.ts"
import { EgressGuard } from "../../../src/egress/EgressGuard.ts"
import { makeSwitch } from "../../../src/services/installation/DeadMansSwitch.ts"
import { MonitoringHealth } from "../../../src/services/monitor/MonitoringHealth.ts"
import { DeadmanPings } from "../../../src/store/DeadmanPings.ts"
import { answering, loopback, receiver } from "../../notify/alert/Receiver.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { metricValue } from "../../support/measure/MetricValue.ts"
import { programOf } from "../../support/program/Program.ts"
import { until } from "../../support/time/Until.ts"

let troubles: ReadonlyArray<string> = []
const well = Effect.succeed(fine)
const Monitoring = Layer.succeed(MonitoringHealth, {
  regions: well,
  monitors: well,
  backlog: well,
  troubles: Effect.sync(() => troubles)
})

const Installation = Layer.mergeAll(Monitoring, DeadmanPings.Default, EgressGuard.Default({ allow: loopback })).pipe(
  Layer.provideMerge(TestDatabase)
)

/** A minute of all processes passes. */
const minutePasses = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`update deadman_pings set claimed_at = claimed_at - interval '1 minute', pinged_at = pinged_at - interval '1 minute'`
)

const fresh = Effect.zipRight(
  Effect.sync(() => {
    troubles = []
  }),
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from deadman_pings`)
)

layer(Installation, { excludeTestServices: true })("The dead man's switch", (it) => {
  it.scoped("pings once a minute, from one of the processes that watch", () =>
    Effect.gen(function*() {
      yield* fresh
      const service = yield* receiver(answering(200))
      const address = Redacted.make(`${service.url}/key-of-the-service`)
      const [one, other] = [yield* makeSwitch(address), yield* makeSwitch(address)]
      yield* Effect.all([one.look, other.look, one.look], { concurrency: "unbounded" })
      expect(service.seen.map(({ path }) => path)).toEqual([expect.stringMatching(/\/key-of-the-service$/)])
      const seen = yield* other.finding
      expect([seen.state, seen.details?.["on"]]).toEqual(["ok", true])
      const pingedAt = Date.parse(String(seen.details?.["lastPingAt"]))
      expect(Math.abs(pingedAt - (yield* Clock.currentTimeMillis))).toBeLessThan(60_000)
      expect(Math.abs(Number(yield* metricValue("belltower_deadman_last_ping_timestamp_seconds")) * 1000 - pingedAt))
        .toBeLessThan(2)
      yield* minutePasses
      yield* other.look
      expect(service.seen).toHaveLength(2)
    }))

  it.scoped("falls silent while work stops, says why, and pings again in the minute in which it goes on", () =>
    Effect.gen(function*() {
      yield* fresh
      const service = yield* receiver(answering(200))
      const { finding, look } = yield* makeSwitch(Redacted.make(service.url))
      yield* look
      troubles = ["no checks of region eu are stored"]
      for (let minutes = 0; minutes < 3; minutes++) {
        yield* minutePasses
        yield* look
      }
      expect(service.seen).toHaveLength(1)
      expect(yield* finding).toMatchObject({ state: "degraded", reason: "It is silent: no checks of region eu are stored" })
      troubles = []
      yield* look
      expect(service.seen).toHaveLength(2)
      expect((yield* finding).state).toBe("ok")
    }))

  it.scoped("tries a ping again that is not accepted, and says so without the address", () =>
    Effect.gen(function*() {
      yield* fresh
      const service = yield* receiver((response, count) => void response.writeHead(count <= 4 ? 500 : 200).end())
      const { finding, look } = yield* makeSwitch(Redacted.make(`${service.url}/key-of-the-service`))
      yield* look
      expect(service.seen).toHaveLength(3)
      const refused = yield* finding
      expect(refused).toMatchObject({
        state: "degraded",
        reason: "The outside service was not reached: it answered with status 500",
        details: { lastPingAt: null }
      })
      yield* minutePasses
      yield* look
      expect(service.seen).toHaveLength(5)
      expect((yield* finding).state).toBe("ok")
    }), 20_000)

  it.scoped("reaches no private address that BELLTOWER_ALLOW_TARGETS does not open", () =>
    Effect.gen(function*() {
      yield* fresh
      const { finding, look } = yield* makeSwitch(Redacted.make("http://10.1.2.3/key-of-the-service"))
      yield* look
      const { reason } = yield* finding
      expect(reason).toMatch(/^The outside service was not reached: 10\.1\.2\.3 is not a public address.*BELLTOWER_ALLOW_TARGETS/)
    }), 20_000)
})

const service = createServer((request, response) => {
  pinged.push(request.url ?? "")
  response.end()
}).unref()
const pinged: Array<string> = []
await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve))
const { port } = service.address() as AddressInfo
const environment = {
  BELLTOWER_DEADMAN_URL: `http://127.0.0.1:${port}/key-of-the-service`,
  BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8"
}

layer(programOf(environment), { excludeTestServices: true })("A program with a dead man's switch", (it) => {
  it.effect("pings from its start, once a minute", () =>
    Effect.gen(function*() {
      yield* until(Effect.sync(() => pinged.length), (pings) => pings === 1)
      expect(pinged).toEqual(["/key-of-the-service"])
      yield* until(metricValue("belltower_deadman_last_ping_timestamp_seconds"), (at) => Number(at) > 0)
    }))
})
