/** The server's report about itself, even when a part is unavailable. */
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { type Finding, fine } from "../../../src/domain/health/Health.ts"
import { Draining, type DrainState } from "../../../src/http/server/Draining.ts"
import { type HealthCheck, reachable } from "../../../src/http/server/HealthChecks.ts"
import { MetricsAccess } from "../../../src/http/server/MetricsAccess.ts"
import { Database } from "../../../src/store/postgres/connections/Database.ts"
import { severedDatabase } from "../../support/database/SeveredDatabase.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { bearer, callJson, newKey, serverOver } from "../../support/program/TestServer.ts"
import { until } from "../../support/time/Until.ts"

const isWell = (name: string): HealthCheck => reachable(name, Effect.void, "failing", true)

it.live("readiness names the parts that it depends on, waits for none that hangs, and for no other at all", () =>
  Effect.gen(function*() {
    expect((yield* callJson("/healthz")).body).toEqual({ alive: true })
    const { body, status } = yield* callJson("/readyz")
    const reasons = { database: "gone", shards: "no answer within 2 seconds" }
    expect([status, body]).toEqual([503, { ready: false, failing: ["database", "shards"], reasons }])
  }).pipe(Effect.provide(
    serverOver([
      isWell("worker"),
      reachable("database", Effect.fail("gone"), "failing", true),
      reachable("shards", Effect.never, "failing", true),
      reachable("bus", Effect.dieMessage("gone"), "degraded", true)
    ]).pipe(Layer.provideMerge(TestDatabase))
  )))

it.live("a part that only degrades the process leaves it ready, and /health says which, why and since when", () => {
  let bus: Finding = fine
  const look = Effect.sync(() => bus)
  const checks: ReadonlyArray<HealthCheck> = [
    isWell("database"),
    { name: "bus", look, otherwise: "degraded", gatesReadiness: false },
    {
      name: "regions",
      look: Effect.succeed({ ...fine, details: { regions: { eu: 3 } } }),
      otherwise: "degraded",
      gatesReadiness: false
    }
  ]
  return Effect.gen(function*() {
    const before = yield* callJson("/health")
    expect([before.status, before.body.status, before.body.checks.bus.state]).toEqual([200, "ok", "ok"])
    expect(before.body.checks.regions).toMatchObject({ state: "ok", reason: null, regions: { eu: 3 } })
    bus = { state: "degraded", reason: "No broker answers" }
    const { body, status } = yield* until(callJson("/health"), (answer) => answer.body.status !== "ok")
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: "degraded",
      since: body.checks.bus.since,
      checks: { database: { state: "ok" }, bus: { state: "degraded", reason: "No broker answers", ageSec: 0 } }
    })
    expect(body.checks.bus.since >= before.body.checks.bus.since).toBe(true)
    expect((yield* callJson("/readyz")).body).toEqual({ ready: true })
    bus = { state: "failing", reason: "No broker answers" }
    const failing = yield* until(callJson("/health"), (answer) => answer.body.status === "failing")
    expect([failing.status, (yield* callJson("/readyz")).status]).toEqual([503, 200])
  }).pipe(Effect.provide(serverOver(checks).pipe(Layer.provideMerge(TestDatabase))))
})

const token = "a token of the tests"

it.live("strangers learn the state alone; the holder of the metrics token learns the parts", () =>
  Effect.gen(function*() {
    const stranger = yield* callJson("/health")
    expect(Object.keys(stranger.body).sort()).toEqual(["since", "status"])
    expect(stranger.body.status).toBe("failing")
    expect((yield* callJson("/readyz")).body).toEqual({ ready: false, failing: ["bus"] })
    const operator = yield* callJson("/health", { headers: bearer(token) })
    expect(operator.body.checks.bus.reason).toBe("connect ECONNREFUSED 10.0.0.5:9092")
    expect((yield* callJson("/readyz", { headers: bearer(token) })).body.reasons).toEqual({
      bus: operator.body.checks.bus.reason
    })
  }).pipe(Effect.provide(
    serverOver([reachable("bus", Effect.fail<unknown>(new Error("connect ECONNREFUSED 10.0.0.5:9092")), "failing", true)]).pipe(
      Layer.provide(
        Layer.succeed(MetricsAccess, { token: Option.some(Redacted.make(token)), isPublic: true, elsewhere: false })
      ),
      Layer.provideMerge(TestDatabase)
    )
  )))

it.live("a draining process is not ready, still serves, and asks its clients to connect elsewhere", () => {
  const drain: DrainState = { isDraining: false }
  return Effect.gen(function*() {
    const { headers } = yield* newKey()
    expect((yield* callJson("/readyz")).body).toEqual({ ready: true })
    drain.isDraining = true
    const { body, status } = yield* callJson("/readyz")
    expect([status, body]).toEqual([503, { ready: false, failing: ["draining"] }])
    const served = yield* callJson("/api/v1/agent/whoami", { headers })
    expect([served.status, served.headers.get("connection")]).toEqual([200, "close"])
    expect((yield* callJson("/healthz")).status).toBe(200)
  }).pipe(Effect.provide(
    serverOver([isWell("database")]).pipe(Layer.provide(Layer.succeed(Draining, drain)), Layer.provideMerge(TestDatabase))
  ))
})

it.scopedLive("an api stays ready while the database is away, says so, and uses it again once it is back", () =>
  Effect.gen(function*() {
    const line = yield* severedDatabase()
    const database = yield* Layer.build(line.layer)
    const ping = Effect.flatMap(Database, (found) => found.ping).pipe(Effect.provide(database))
    const server = yield* Layer.build(
      serverOver([reachable("database", ping, "failing")]).pipe(Layer.provideMerge(Layer.succeedContext(database)))
    )
    yield* Effect.gen(function*() {
      const { headers } = yield* newKey()
      expect((yield* callJson("/readyz")).status).toBe(200)
      yield* line.cut
      const { body, status } = yield* callJson("/api/v1/agent/whoami", { headers })
      expect([status, body.error.code]).toEqual([503, "unavailable"])
      const health = yield* until(callJson("/health"), (answer) => answer.body.status !== "ok")
      expect([health.status, health.body.status, health.body.checks.database.state]).toEqual([503, "failing", "failing"])
      const ready = yield* callJson("/readyz")
      expect([ready.status, ready.body]).toMatchObject([200, {
        ready: true,
        failing: ["database"],
        reasons: { database: expect.stringMatching(/^The database did not respond/) }
      }])
      expect((yield* callJson("/api/v1/stream", { headers })).status).toBe(503)
      expect((yield* callJson("/healthz")).status).toBe(200)
      yield* line.mend
      expect((yield* callJson("/api/v1/agent/whoami", { headers })).status).toBe(200)
      yield* until(callJson("/health"), (answer) => answer.body.status === "ok")
    }).pipe(Effect.provide(server))
  }))
