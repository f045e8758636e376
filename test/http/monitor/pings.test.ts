/** The short forms of a ping, as crontabs and scripts send them. */
import { SqlClient, SqlError } from "@effect/sql"
import { expect, it, layer } from "@effect/vitest"
import { Clock, Context, Effect, Either, Fiber, Layer } from "effect"
import { randomBytes } from "node:crypto"
import type { Outcome } from "../../../schema/check/Check.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { CheckId } from "../../../schema/Ids.ts"
import { mergeRegions, talliesByRegion } from "../../../src/domain/check/history/CheckTally.ts"
import { makeId } from "../../../src/domain/tools/Id.ts"
import { ManagePingKey } from "../../../src/operations/monitor/ManagePingKey.ts"
import { TakePings } from "../../../src/operations/monitor/TakePings.ts"
import { RateLimits } from "../../../src/store/access/RateLimits.ts"
import { Listening } from "../../../src/store/monitor/Listening.ts"
import type { Ping } from "../../../src/store/monitor/Ping.ts"
import { PingLog } from "../../../src/store/monitor/PingLog.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { Wakeups } from "../../../src/store/postgres/Wakeups.ts"
import { tokenHash } from "../../../src/store/Vault.ts"
import { holding } from "../../support/database/LockedWorkspace.ts"
import { severedDatabase } from "../../support/database/SeveredDatabase.ts"
import { newHeartbeat, PingServer, pingServer } from "../../support/program/PingServer.ts"
import { call, callJson } from "../../support/program/TestServer.ts"
import { makeManualClock } from "../../support/time/ManualClock.ts"

const hashOf = (token: string) => tokenHash(token).toString("hex")

const pingOf = (token: string, at: number, outcome: Outcome = "up"): Ping => ({
  tokenHash: hashOf(token),
  checkId: CheckId.make(makeId("chk", at, randomBytes(10))),
  at,
  outcome,
  latencyMs: null,
  error: null
})

/** The status of the answer to a ping, which must not wait for locked rows. */
const pinged = (token: string, report = "") =>
  call(`/hb/${token}${report}`, { method: "POST" }).pipe(Effect.map(({ status }) => status), Effect.timeout("5 seconds"))

const form = { "content-type": "application/x-www-form-urlencoded" }
const json = { "content-type": "application/json" }
const failure = "The job reported a failure"

layer(PingServer, { excludeTestServices: true })((it) => {
  it.effect.each<readonly [string, string, RequestInit, ReadonlyArray<unknown>]>([
    ["GET", "", {}, ["up", null, null]],
    ["HEAD, as wget --spider sends it", "", { method: "HEAD" }, ["up", null, null]],
    ["POST without a body", "", { method: "POST" }, ["up", null, null]],
    ["a query", "?status=down&message=disk+full&durationMs=12", {}, ["down", "disk full", 12]],
    ["a form", "", { method: "POST", headers: form, body: "status=degraded&message=slow&durationMs=900" }, [
      "degraded",
      "slow",
      900
    ]],
    ["JSON", "", { method: "POST", headers: json, body: "{\"status\":\"down\",\"message\":\"disk full\"}" }, [
      "down",
      "disk full",
      null
    ]],
    ["JSON that curl calls a form", "", { method: "POST", headers: form, body: "{\"status\":\"down\"}" }, [
      "down",
      failure,
      null
    ]],
    ["JSON of the job's own", "", { method: "POST", headers: json, body: "{\"status\":null,\"files\":[1,2],\"user\":{}}" }, [
      "up",
      null,
      null
    ]],
    ["plain text", "?status=down", { method: "POST", body: "tar: disk full\n" }, ["down", "tar: disk full", null]],
    ["plain text that curl calls a form", "?status=down", { method: "POST", headers: form, body: "exit=1 & out" }, [
      "down",
      "exit=1 & out",
      null
    ]],
    ["what was to be JSON", "?status=down", { method: "POST", headers: json, body: "{\"status\":" }, [
      "down",
      "{\"status\":",
      null
    ]],
    ["a long message, cut", "?status=down", { method: "POST", body: "x".repeat(9000) }, ["down", "x".repeat(500), null]],
    ["a log of more than a request may hold", "/fail", { method: "POST", headers: form, body: `a=b ${"x".repeat(1_200_000)}` }, [
      "down",
      `a=b ${"x".repeat(496)}`,
      null
    ]],
    [
      "a log with many ampersands that curl calls a form",
      "/fail",
      { method: "POST", headers: form, body: "a&b=".repeat(12_000) },
      [
        "down",
        "a&b=".repeat(125),
        null
      ]
    ],
    ["the fail path, by POST", "/fail", { method: "POST" }, ["down", failure, null]],
    ["the fail path, by GET", "/fail", {}, ["down", failure, null]],
    ["the fail path with the output", "/fail", { method: "POST", headers: form, body: "rsync: connection reset" }, [
      "down",
      "rsync: connection reset",
      null
    ]],
    ["the fail path, whatever the fields say", "/fail?status=up", { method: "POST" }, ["down", failure, null]]
  ])("a ping may be %s", ([, suffix, init, row]) =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      const response = yield* call(`${path}${suffix}`, init)
      const text = yield* Effect.promise(() => response.text())
      expect([response.status, text]).toEqual([
        200,
        init.method === "HEAD" ? "" : expect.stringMatching(/^\{"ok":true,"at":"[^"]+Z"\}$/)
      ])
      expect(yield* checks).toEqual([row])
    }))

  it.effect("an unknown token is not found, and neither is a malformed one", () =>
    Effect.gen(function*() {
      for (const token of ["x".repeat(24), "short", "with.dot", "%00", "x".repeat(5000)]) {
        for (const init of [{}, { method: "POST", body: "{}" }]) {
          const { body, status } = yield* callJson(`/hb/${token}`, init)
          expect([token, status, body.error.code]).toEqual([token, 404, "not_found"])
        }
      }
      expect((yield* callJson("/hb/")).status).toBe(404)
    }))

  it.effect(
    "other methods are rejected with the allowed ones, and browsers get a preflight answer",
    () =>
      Effect.gen(function*() {
        const { path } = yield* newHeartbeat
        const { headers, status } = yield* callJson(path, { method: "DELETE" })
        expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS, POST"])
        const preflight = yield* call(path, {
          method: "OPTIONS",
          headers: { origin: "https://app.test", "access-control-request-method": "POST" }
        })
        expect(preflight.headers.get("access-control-allow-origin")).toBe("*")
      })
  )

  it.effect("every answer carries the headers of the interface and an id of its own", () =>
    Effect.gen(function*() {
      const { path } = yield* newHeartbeat
      const asked = [path, `${path}?`, `${path}/log`, `/hb/${"x".repeat(24)}`, `/ping/${"x".repeat(22)}/slug`]
      const answers = yield* Effect.forEach(asked, (one) => call(one))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 404])
      for (const { headers } of answers) {
        expect(headers.get("access-control-allow-origin")).toBe("*")
        expect(headers.get("cache-control")).toBe("no-store")
        expect(headers.get("x-content-type-options")).toBe("nosniff")
      }
      expect(new Set(answers.map(({ headers }) => headers.get("x-request-id"))).size).toBe(asked.length)
    }))

  it.effect("all forms share 120 pings a minute, and return when the next minute begins", () =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      const urls = Array.from({ length: 50 }, () => [path, `${path}?status=up`, `${path}/fail`]).flat()
      const answers = yield* Effect.forEach(urls, (url) => callJson(url), { concurrency: 30 })
      const refused = answers.filter(({ status }) => status === 429)
      // A new minute may have begun in between.
      expect(refused.length).toBeLessThanOrEqual(30)
      for (const { body, headers } of refused) {
        expect(body.error.code).toBe("rate_limited")
        expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
        expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(60)
      }
      expect(yield* checks).toHaveLength(urls.length - refused.length)
    }))

  it.effect("all processes share one count of 120 a minute", () =>
    Effect.gen(function*() {
      const { checks, token } = yield* newHeartbeat
      // A minute of their own that does not end.
      const { clock } = makeManualClock(yield* Clock.currentTimeMillis)
      const anotherProcess = Effect.map(Layer.build(Layer.fresh(TakePings.Default)), Context.get(TakePings))
      const processes = yield* Effect.withClock(Effect.all([anotherProcess, anotherProcess, anotherProcess]), clock)
      const taken = processes.flatMap((pings) => Array.from({ length: 60 }, () => Effect.either(pings.take(token, {}))))
      const answers = yield* Effect.all(taken, { concurrency: "unbounded" })
      const refused = answers.filter(Either.isLeft).map(({ left }) => left._tag)
      expect(refused).toEqual(Array(60).fill("rate_limited"))
      expect(yield* checks).toHaveLength(120)
    }).pipe(Effect.scoped))

  it.effect(
    "a batch that is written again, because its result was lost, reports nothing twice",
    () =>
      Effect.gen(function*() {
        const { id, token } = yield* newHeartbeat
        const log = yield* PingLog
        const sql = yield* SqlClient.SqlClient
        const at = yield* Clock.currentTimeMillis
        const batch = [pingOf(token, at, "down"), pingOf(token, at, "up")]
        const news = yield* sql.withTransaction(Effect.gen(function*() {
          yield* log.write(batch, at)
          yield* log.write(batch, at, true)
          return yield* sql`select outcome from heartbeat_news where monitor_id = ${id} order by sequence`
        }))
        expect(news).toEqual([{ outcome: "down" }, { outcome: "up" }])
      })
  )

  it.effect("a heartbeat whose row is locked does not delay the others", () =>
    Effect.gen(function*() {
      const [stuck, free] = yield* Effect.all([newHeartbeat, newHeartbeat])
      const log = yield* PingLog
      const at = yield* Clock.currentTimeMillis
      const release = yield* holding((sql) => sql`select 1 from heartbeats where monitor_id = ${stuck.id} for update`)
      const storedOf = yield* log.write([pingOf(stuck.token, at), pingOf(free.token, at), pingOf("x".repeat(24), at)], at, true)
      expect(storedOf(hashOf(stuck.token))).toMatchObject({ locked: true, stored: 0 })
      expect(storedOf(hashOf(free.token))).toMatchObject({ locked: false, stored: 1 })
      expect(storedOf(hashOf("x".repeat(24)))).toMatchObject({ locked: false, monitorId: null })
      const waiting = yield* Effect.fork(Effect.all([pinged(stuck.token), pinged(stuck.token, "/fail")]))
      expect(yield* pinged(free.token)).toBe(200)
      expect(yield* stuck.checks).toEqual([])
      yield* release
      expect(yield* Fiber.join(waiting)).toEqual([200, 200])
      expect([yield* stuck.checks, yield* free.checks]).toEqual([
        [["down", failure, null], ["up", null, null]],
        [["up", null, null], ["up", null, null]]
      ])
    }))

  it.effect("a job may say that it took any time that the contract allows, also beside others and in blocks of checks", () =>
    Effect.gen(function*() {
      const longest = Number.MAX_SAFE_INTEGER
      const [odd, others] = yield* Effect.all([newHeartbeat, Effect.replicateEffect(newHeartbeat, 10)])
      const all = [pinged(odd.token, `?durationMs=${longest}`), ...others.map(({ token }) => pinged(token, "?durationMs=5"))]
      expect(yield* Effect.all(all, { concurrency: "unbounded" })).toEqual(all.map(() => 200))
      expect(yield* odd.checks).toEqual([["up", null, longest]])
      const tallies = talliesByRegion([longest, longest, 5].map((latencyMs) => ({
        region: RegionId.make("main"),
        counted: true,
        outcome: "up",
        latencyMs,
        timings: null
      })))
      const sum = mergeRegions([tallies, tallies]).get(RegionId.make("main"))
      expect(sum).toMatchObject({ checks: 6, latencySum: longest })
    }))

  it.scoped("what the database refuses of one ping does not fail the others that came with it", () =>
    Effect.gen(function*() {
      const log = yield* PingLog
      const refusal = new SqlError.SqlError({ cause: { code: "22008" }, message: "timestamp out of range" })
      const refusing = PingLog.make({
        ...log,
        write: (batch, ...rest) =>
          batch.some(({ error }) => error === "refused") ? Effect.fail(refusal) : log.write(batch, ...rest)
      })
      const services = Layer.mergeAll(
        Layer.succeed(PingLog, refusing),
        DatabaseClock.Default,
        Listening.Default,
        Wakeups.Default
      )
      const pings = Context.get(yield* Layer.build(TakePings.Default.pipe(Layer.provide(services))), TakePings)
      const heartbeats = yield* Effect.replicateEffect(newHeartbeat, 20)
      const taken = yield* Effect.forEach(
        heartbeats,
        ({ token }, index) =>
          Effect.either(
            pings.take(token, index === 7 ? { status: "down", message: "refused" } : { status: "up", durationMs: 5 })
          ),
        { concurrency: "unbounded" }
      )
      expect(taken.flatMap((one, index) => Either.isLeft(one) ? [[index, one.left._tag]] : [])).toEqual([[7, "unavailable"]])
    }))

  it.effect("a ping from the future, of a wrong clock, is corrected by the next", () =>
    Effect.gen(function*() {
      const { id, token } = yield* newHeartbeat
      const log = yield* PingLog
      const sql = yield* SqlClient.SqlClient
      const now = yield* Clock.currentTimeMillis
      const rows = yield* sql.withTransaction(Effect.gen(function*() {
        yield* log.write([pingOf(token, now + 86_400_000)], now + 86_400_000)
        yield* log.write([pingOf(token, now)], now)
        return yield* sql<{ readonly at: Date }>`select last_ping_at as at from heartbeats where monitor_id = ${id}`
      }))
      expect(rows[0]?.at.getTime()).toBe(now)
    }))
})

const unused = () => Effect.die("No ping here has a key")
const noKeys = Layer.succeed(ManagePingKey, ManagePingKey.make({ get: unused, create: unused, heartbeatOf: unused }))

it.scopedLive(
  "a ping that could not be stored is rejected, and pings are accepted again once they can be stored",
  () =>
    Effect.gen(function*() {
      const line = yield* severedDatabase()
      const pings = TakePings.Default.pipe(
        Layer.provide([PingLog.Default, DatabaseClock.Default, Listening.Default, Wakeups.Default]),
        Layer.provide(line.layer)
      )
      const limits = RateLimits.Default.pipe(Layer.provide(line.layer))
      yield* Effect.gen(function*() {
        const ping = callJson(`/hb/${"x".repeat(24)}`)
        yield* line.cut
        const refused = yield* Effect.all(Array.from({ length: 20 }, () => ping), { concurrency: "unbounded" })
        for (const { body, status } of refused) expect([status, body.error.code]).toEqual([503, "unavailable"])
        yield* line.mend
        expect((yield* ping).status).toBe(404)
      }).pipe(Effect.provide(pingServer.pipe(Layer.provide([pings, limits, noKeys]))))
    })
)
