/** Error responses of the interface, and headers of every response. */
import { SqlClient, SqlError } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { failureOf } from "../../../src/http/server/Envelope.ts"
import { call, callJson, newKey, post, testBaseUrl, TestServer } from "../../support/program/TestServer.ts"

layer(TestServer, { excludeTestServices: true })("the interface", (it) => {
  describe("returns the envelope for", () => {
    it.effect("an unknown endpoint, with a link to the specification", () =>
      Effect.gen(function*() {
        for (const path of ["/api/v1/nothing", "/api/v1/monitors/a/b/c", "/api/v2/monitors", "/nothing", "/mcp/other"]) {
          const { body, status } = yield* callJson(path)
          expect([path, status, body.error.code]).toEqual([path, 404, "not_found"])
          expect(body.error.hint).toContain(`${testBaseUrl}/api/v1/openapi.json`)
        }
      }))

    it.effect("a known path with the wrong method, with the allowed methods", () =>
      Effect.gen(function*() {
        const wrong = yield* callJson("/api/v1/monitors/mon_1", { method: "PUT" })
        expect([wrong.status, wrong.body.error.code, wrong.headers.get("allow")]).toEqual([
          405,
          "bad_request",
          "DELETE, GET, HEAD, OPTIONS, PATCH"
        ])
        expect(wrong.body.error.hint).toContain("GET or PATCH or DELETE")
        expect((yield* callJson("/api/v1/agent/bootstrap")).status).toBe(405)
        expect((yield* callJson("/api/v1/stream", { method: "POST" })).status).toBe(405)
        expect((yield* callJson("/healthz", { method: "POST" })).status).toBe(405)
      }))

    it.effect("an internal error, with its id but without its cause", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body, headers: answered, status } = yield* callJson("/api/v1/checks/chk_1", { headers })
        expect([status, body.error.code]).toEqual([500, "internal"])
        expect(answered.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
        expect(body.error.hint).toContain(answered.get("x-request-id"))
        expect(JSON.stringify(body)).not.toContain("vault")
      }))

    it.effect("a full database, as a service that cannot store at the moment", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { headers } = yield* newKey()
        yield* sql`create function no_room() returns trigger language plpgsql as $$ begin
          raise 'could not extend file: No space left on device' using errcode = '53100'; end $$`
        yield* sql`create trigger no_room before insert on api_keys for each row when (new.name = 'One too many')
          execute function no_room()`
        const full = yield* post("/api/v1/api-keys", { name: "One too many" }, headers)
        yield* sql`drop function no_room() cascade`
        expect([full.status, full.body.error.code]).toEqual([503, "unavailable"])
        expect(JSON.stringify(full.body)).not.toContain("extend")
        expect((yield* post("/api/v1/api-keys", { name: "One too many" }, headers)).status).toBe(201)
      }))

    it.effect("a database that cannot be reached, whatever the system calls it", () =>
      Effect.gen(function*() {
        for (const code of ["ECONNREFUSED", "EAGAIN", "EADDRNOTAVAIL", "ENETUNREACH", "EHOSTDOWN"]) {
          const cause = Object.assign(new Error(`connect ${code} 10.0.0.7:5432`), { code })
          const failure = yield* failureOf(Cause.die(new SqlError.SqlError({ message: "Failed to acquire connection", cause })))
          expect([code, failure]).toEqual([code, expect.objectContaining({ message: "The service cannot reach its database" })])
        }
      }))

    it.effect("a badly encoded path parameter, without an internal error", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { status } = yield* callJson("/api/v1/monitors/%E0%A4%A", { headers })
        expect([400, 404, 422]).toContain(status)
      }))
  })

  describe("allows browsers from any origin", () => {
    it.effect("with preflights that last a day", () =>
      Effect.gen(function*() {
        const preflight = (path: string) =>
          call(path, { method: "OPTIONS", headers: { origin: "https://app.example", "access-control-request-method": "POST" } })
        const api = yield* preflight("/api/v1/monitors")
        expect(api.status).toBe(204)
        expect(api.headers.get("access-control-allow-origin")).toBe("*")
        expect(api.headers.get("access-control-max-age")).toBe("86400")
        expect(api.headers.get("access-control-allow-headers")?.split(",").map((one) => one.trim())).toEqual([
          "authorization",
          "content-type",
          "idempotency-key",
          "x-workspace"
        ])
        const mcp = yield* preflight("/mcp")
        expect(mcp.headers.get("access-control-allow-headers")).toContain("mcp-session-id")
        expect(mcp.headers.get("access-control-allow-headers")).toContain("mcp-protocol-version")
      }))

    it.effect("to read errors too", () =>
      Effect.gen(function*() {
        const unknown = yield* callJson("/api/v1/nothing", { headers: { origin: "https://app.example" } })
        const invalid = yield* post("/api/v1/agent/bootstrap", {})
        for (const { headers } of [unknown, invalid]) {
          expect(headers.get("access-control-allow-origin")).toBe("*")
          expect(headers.get("access-control-expose-headers")?.split(",").map((one) => one.trim())).toEqual([
            "idempotent-replayed",
            "x-request-id",
            "retry-after",
            "mcp-session-id",
            "www-authenticate"
          ])
          expect(headers.get("x-content-type-options")).toBe("nosniff")
          expect(headers.get("cache-control")).toBe("no-store")
          expect(headers.get("referrer-policy")).toBe("no-referrer")
        }
      }))
  })

  it.effect("answers HEAD as GET without a body", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const response = yield* call("/api/v1/agent/whoami", { method: "HEAD", headers })
      expect([response.status, yield* Effect.promise(() => response.text())]).toEqual([200, ""])
    }))

  it.effect("exports metrics to Prometheus, by operation and status class", () =>
    Effect.gen(function*() {
      yield* call("/api/v1/agent/whoami")
      yield* call("/nothing")
      const response = yield* call("/metrics")
      const text = yield* Effect.promise(() => response.text())
      expect(response.headers.get("content-type")).toContain("text/plain")
      expect(text).toContain("process_cpu_user_seconds_total")
      expect(text).toMatch(/belltower_http_request_duration_seconds_count\{operation="whoami",status="4xx"\} \d+/)
      expect(text).toMatch(/belltower_http_request_duration_seconds_count\{operation="unmatched",status="4xx"\} \d+/)
    }))
})
