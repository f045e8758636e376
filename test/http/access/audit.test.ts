/** The audit log: who did what, from where. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { Proxies } from "../../../src/http/request/ClientAddress.ts"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { bearer, callJson, type Json, newKey, post, serverOver, TestServer } from "../../support/program/TestServer.ts"

const audit = (headers: Record<string, string>, query = "") => callJson(`/api/v1/audit${query}`, { headers })

layer(TestServer, { excludeTestServices: true })("the audit log", (it) => {
  it.effect("has an entry with actor, action and origin for every change, and none for reads and failures", () =>
    Effect.gen(function*() {
      const { headers, keyId } = yield* newKey()
      const made = yield* post("/api/v1/api-keys", { name: "deploys" }, headers)
      yield* post("/api/v1/api-keys", { name: "" }, headers)
      yield* callJson("/api/v1/api-keys", { headers })
      yield* callJson(`/api/v1/api-keys/${made.body.id}`, { method: "DELETE", headers })
      const { body, status } = yield* audit(headers)
      expect(status).toBe(200)
      expect(body.next).toBeNull()
      const actor = { type: "key", id: keyId, name: "test", parent: null }
      const from = { actor, via: "api", ip: "127.0.0.1", outcome: "done" }
      expect(body.data).toEqual([
        {
          id: expect.stringMatching(/^aud_/),
          at: expect.any(String),
          operation: "revoke_api_key",
          target: made.body.id,
          ...from
        },
        { id: expect.stringMatching(/^aud_/), at: expect.any(String), operation: "create_api_key", target: made.body.id, ...from }
      ])
    }))

  it.effect("has an entry for a change whose client disconnected halfway", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { headers, workspaceId } = yield* newKey()
      const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`select from workspaces where id = ${workspaceId} for no key update`
        const body = JSON.stringify({ name: "Renamed" })
        const leaving = yield* Effect.fork(callJson("/api/v1/workspace", {
          method: "PATCH",
          headers: { ...headers, "content-type": "application/json" },
          body
        }))
        yield* Effect.repeat(waiting, { until: (rows) => rows.length === 1 })
        yield* Fiber.interrupt(leaving)
        // The server has handled the disconnect by the time it has answered others.
        yield* callJson("/api/v1/api-keys", { headers })
      }))
      const seen = yield* Effect.repeat(audit(headers), { until: ({ body }) => body.data.length > 0 }).pipe(
        Effect.timeout("20 seconds")
      )
      expect(seen.body.data).toMatchObject([{ operation: "update_workspace" }])
      expect((yield* callJson("/api/v1/workspace", { headers })).body.name).toBe("Renamed")
    }))

  it.effect("keeps an interrupted change: it may have happened, and its outcome is unknown", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { headers, keyId, workspaceId } = yield* newKey()
      const rename = callJson("/api/v1/workspace", {
        method: "PATCH",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ name: "Renamed" })
      })
      const blocked = sql<{ readonly pid: number }>`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      const broken = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`select from workspaces where id = ${workspaceId} for no key update`
        const asked = yield* Effect.fork(rename)
        const [session] = yield* Effect.repeat(blocked, { until: (rows) => rows.length === 1 })
        // Written before the change happens, and shown once no process can report its outcome.
        expect(yield* sql`select operation, settled from audit_log where workspace_id = ${workspaceId}`)
          .toEqual([{ operation: "update_workspace", settled: false }])
        expect((yield* audit(headers)).body.data).toEqual([])
        yield* sql`select pg_terminate_backend(${session?.pid ?? 0})`
        return yield* Fiber.join(asked)
      }))
      expect(broken.status).toBeGreaterThanOrEqual(500)
      yield* sql`update audit_log set at = at - interval '10 minutes' where workspace_id = ${workspaceId}`
      expect((yield* audit(headers)).body.data).toMatchObject([{
        operation: "update_workspace",
        outcome: "unknown",
        actor: { id: keyId }
      }])
    }))

  it.effect("names the parent of a delegated key, and lists its actions under the parent", () =>
    Effect.gen(function*() {
      const { headers, keyId } = yield* newKey()
      const helper = yield* post("/api/v1/api-keys", { name: "helper", expiresInMinutes: 5 }, headers)
      yield* post("/api/v1/monitors/mon_1/check", {}, bearer(helper.body.secret))
      const [newest] = (yield* audit(headers)).body.data
      expect(newest).toMatchObject({
        operation: "run_check",
        target: "mon_1",
        actor: { type: "key", id: helper.body.id, name: "helper", parent: { id: keyId, name: "test" } }
      })
      expect((yield* audit(headers, `?actor=${keyId}`)).body.data.length).toBe(2)
      expect((yield* audit(headers, `?actor=${helper.body.id}`)).body.data.length).toBe(1)
    }))

  it.scoped("records the client's address behind a trusted proxy, and the surface of the call", () =>
    Effect.gen(function*() {
      const behind = serverOver().pipe(Layer.provide(Layer.succeed(Proxies, { _tag: "Hops", hops: 1 })))
      const address = Context.get(yield* Layer.build(Layer.orDie(behind)), ServerAddress)
      const { headers } = yield* newKey()
      const forwarded = {
        ...headers,
        "x-forwarded-for": "198.51.100.1, 203.0.113.9",
        accept: "application/json, text/event-stream"
      }
      const tool = { name: "create_api_key", arguments: { name: "a" } }
      yield* post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: tool }, forwarded).pipe(
        Effect.zipRight(post("/api/v1/api-keys", { name: "b" }, forwarded)),
        Effect.provideService(ServerAddress, address)
      )
      const { body } = yield* audit(headers)
      expect(body.data.map(({ ip, via }: Json) => [via, ip])).toEqual([["api", "203.0.113.9"], ["mcp", "203.0.113.9"]])
    }))

  it.effect("begins with the creation of the workspace", () =>
    Effect.gen(function*() {
      const { body, status } = yield* post("/api/v1/agent/bootstrap", { agentName: "scout" })
      expect(status).toBe(201)
      expect((yield* audit(bearer(body.apiKey))).body.data).toMatchObject([
        { operation: "bootstrap_workspace", target: body.workspace.id, actor: { name: "scout" } }
      ])
    }))

  it.effect("does not count a repeat that was not run again", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      for (const _ of [1, 2]) yield* post("/api/v1/api-keys", { name: "deploys" }, { ...headers, "idempotency-key": "a" })
      expect((yield* audit(headers)).body.data.length).toBe(1)
    }))

  it.effect("is paginated, and filtered by operation and time", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      for (let i = 0; i < 5; i++) yield* post(`/api/v1/monitors/mon_${i}/check`, {}, headers)
      yield* post("/api/v1/api-keys", { name: "deploys" }, headers)
      const targets: Array<string> = []
      let next: string | null = ""
      while (next !== null) {
        const page: Json = (yield* audit(headers, `?operation=run_check&limit=2${next === "" ? "" : `&before=${next}`}`)).body
        targets.push(...page.data.map(({ target }: { target: string }) => target))
        next = page.next
      }
      expect(targets).toEqual(["mon_4", "mon_3", "mon_2", "mon_1", "mon_0"])
      const all = (yield* audit(headers)).body.data
      expect((yield* audit(headers, `?from=${all[2].at}`)).body.data.length).toBeGreaterThanOrEqual(3)
      expect((yield* audit(headers, `?to=${all.at(-1).at}`)).body.data).toEqual([])
      expect((yield* audit(headers, "?limit=0")).status).toBe(422)
      for (const before of ["newest", "aud_1", all[0].id.replace("aud", "evt")]) {
        expect([before, (yield* audit(headers, `?before=${before}`)).status]).toEqual([before, 422])
      }
    }))

  it.effect("is visible to admins of its own workspace only", () =>
    Effect.gen(function*() {
      const one = yield* newKey()
      yield* post("/api/v1/api-keys", { name: "deploys" }, one.headers)
      const reader = yield* newKey(["read"], { workspaceId: one.workspaceId })
      expect((yield* audit(reader.headers)).status).toBe(403)
      const other = yield* newKey()
      expect((yield* audit(other.headers)).body.data).toEqual([])
    }))

  it.effect("contains no secret and nothing of a body", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { headers, secret, workspaceId } = yield* newKey()
      const made = yield* post("/api/v1/api-keys", { name: "words of the body" }, headers)
      const rows = JSON.stringify(yield* sql`select * from audit_log where workspace_id = ${workspaceId}`)
      for (const text of [secret, made.body.secret, "words of the body"]) expect(rows).not.toContain(text)
    }))
})
