/** The short forms of a ping, as crontabs and scripts send them. */
import { HttpApiBuilder } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ManageMonitors } from "../../cluster/monitor/ManageMonitors.ts"
import { makeApplication } from "../../src/http/Application.ts"
import { BaseUrl } from "../../src/http/BaseUrl.ts"
import { unguarded } from "../../src/http/Guards.ts"
import * as PingLane from "../../src/http/PingLane.ts"
import * as PingRoutes from "../../src/http/PingRoutes.ts"
import { Pings } from "../../src/http/Pings.ts"
import { serveApp, ServerAddress } from "../../src/http/Server.ts"
import { newWorkspace, TestRunner } from "../support/TestRunner.ts"
import { call, callJson } from "../support/TestServer.ts"

const serve = Effect.flatMap(makeApplication(unguarded), (app) =>
  serveApp({ host: "127.0.0.1", port: 0, ready: [] }, app, Effect.void))

const PingServer = Layer.scoped(ServerAddress, serve).pipe(
  Layer.provide([PingRoutes.layer, PingLane.layer]),
  Layer.provide([HttpApiBuilder.Router.Live, NodeHttpServer.layerContext]),
  Layer.provide(Layer.succeed(BaseUrl, "https://belltower.test")),
  Layer.provideMerge(Pings.Default),
  Layer.provideMerge(TestRunner)
)

const newHeartbeat = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const manage = yield* ManageMonitors
  const { id, pingUrl } = yield* manage.create(workspaceId, { name: "Backup", periodSec: 600 })
  const path = new URL(pingUrl ?? "").pathname
  const checks = Effect.map(
    manage.history(workspaceId, id, { outcome: null, before: null, limit: 500, evidence: false }),
    (found) => found.map(({ error, latencyMs, outcome }) => [outcome, error, latencyMs])
  )
  return { path, checks }
})

const form = { "content-type": "application/x-www-form-urlencoded" }
const json = { "content-type": "application/json" }
const failure = "The job reported a failure"

layer(PingServer, { excludeTestServices: true })((it) => {
  it.effect.each<readonly [string, string, RequestInit, ReadonlyArray<unknown>]>([
    ["GET", "", {}, ["up", null, null]],
    ["HEAD, as wget --spider sends it", "", { method: "HEAD" }, ["up", null, null]],
    ["POST without a body", "", { method: "POST" }, ["up", null, null]],
    ["a query", "?status=down&message=disk+full&durationMs=12", {}, ["down", "disk full", 12]],
    ["a form", "", { method: "POST", headers: form, body: "status=degraded&message=slow&durationMs=900" }, ["degraded", "slow", 900]],
    ["JSON", "", { method: "POST", headers: json, body: "{\"status\":\"down\",\"message\":\"disk full\"}" }, ["down", "disk full", null]],
    ["JSON that curl calls a form", "", { method: "POST", headers: form, body: "{\"status\":\"down\"}" }, ["down", failure, null]],
    ["JSON of the job's own", "", { method: "POST", headers: json, body: "{\"status\":null,\"files\":[1,2],\"user\":{}}" }, ["up", null, null]],
    ["plain text", "?status=down", { method: "POST", body: "tar: disk full\n" }, ["down", "tar: disk full", null]],
    ["plain text that curl calls a form", "?status=down", { method: "POST", headers: form, body: "exit=1 & out" }, ["down", "exit=1 & out", null]],
    ["what was to be JSON", "?status=down", { method: "POST", headers: json, body: "{\"status\":" }, ["down", "{\"status\":", null]],
    ["a long message, cut", "?status=down", { method: "POST", body: "x".repeat(9000) }, ["down", "x".repeat(500), null]],
    ["the fail path, by POST", "/fail", { method: "POST" }, ["down", failure, null]],
    ["the fail path, by GET", "/fail", {}, ["down", failure, null]],
    ["the fail path with the output", "/fail", { method: "POST", headers: form, body: "rsync: connection reset" }, ["down", "rsync: connection reset", null]],
    ["the fail path, whatever the fields say", "/fail?status=up", { method: "POST" }, ["down", failure, null]]
  ])("a ping may be %s", ([, suffix, init, row]) =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      const response = yield* call(`${path}${suffix}`, init)
      const text = yield* Effect.promise(() => response.text())
      expect([response.status, text]).toEqual([200, init.method === "HEAD" ? "" : expect.stringMatching(/^\{"ok":true,"at":"[^"]+Z"\}$/)])
      expect(yield* checks).toEqual([row])
    }), 20_000)

  it.effect("a status that is none, or a duration that is no number, is refused by name and not counted", () =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      const { body, status } = yield* callJson(`${path}?status=broken&durationMs=soon`)
      expect([status, body.error.code]).toEqual([422, "validation_failed"])
      expect(body.error.details.map((issue: { readonly path: string }) => issue.path).sort()).toEqual(["durationMs", "status"])
      expect(yield* checks).toEqual([])
    }), 20_000)

  it.effect("an unknown token is not found, and neither is what can be none", () =>
    Effect.gen(function*() {
      for (const token of ["x".repeat(24), "short", "with.dot", "%00", "x".repeat(5000)]) {
        for (const init of [{}, { method: "POST", body: "{}" }]) {
          const { body, status } = yield* callJson(`/hb/${token}`, init)
          expect([token, status, body.error.code]).toEqual([token, 404, "not_found"])
        }
      }
      expect((yield* callJson("/hb/")).status).toBe(404)
    }), 20_000)

  it.effect("other methods are refused with those that are served, and a browser may ask first", () =>
    Effect.gen(function*() {
      const { path } = yield* newHeartbeat
      const { headers, status } = yield* callJson(path, { method: "DELETE" })
      expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS, POST"])
      const preflight = yield* call(path, { method: "OPTIONS", headers: { origin: "https://app.test", "access-control-request-method": "POST" } })
      expect(preflight.headers.get("access-control-allow-origin")).toBe("*")
    }), 20_000)

  it.effect("the fast lane answers as the router does", () =>
    Effect.gen(function*() {
      const { path } = yield* newHeartbeat
      const namesOf = (headers: Headers) => {
        const names: Array<string> = []
        headers.forEach((_, name) => void names.push(name))
        return names.sort()
      }
      for (const asked of [path, `/hb/${"x".repeat(24)}`]) {
        const fast = yield* callJson(asked)
        const routed = yield* callJson(`${asked}?`)
        expect([fast.status, Object.keys(fast.body)]).toEqual([routed.status, Object.keys(routed.body)])
        expect(namesOf(fast.headers)).toEqual(namesOf(routed.headers))
        for (const name of namesOf(fast.headers).filter((one) => !["x-request-id", "date", "content-length"].includes(one))) {
          expect([name, fast.headers.get(name)]).toEqual([name, routed.headers.get(name)])
        }
      }
    }), 20_000)

  it.effect("all forms share 120 pings a minute, and say when the next minute begins", () =>
    Effect.gen(function*() {
      const { checks, path } = yield* newHeartbeat
      const urls = Array.from({ length: 50 }, () => [path, `${path}?status=up`, `${path}/fail`]).flat()
      const answers = yield* Effect.forEach(urls, (url) => callJson(url), { concurrency: 30 })
      const refused = answers.filter(({ status }) => status === 429)
      // A minute may have begun in between.
      expect(refused.length).toBeLessThanOrEqual(30)
      for (const { body, headers } of refused) {
        expect(body.error.code).toBe("rate_limited")
        expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
        expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(60)
      }
      expect(yield* checks).toHaveLength(urls.length - refused.length)
    }), 20_000)
})
