/** Authentication and permissions. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { operations } from "../../../src/http/openapi/Operations.ts"
import { bearer, callJson, newKey, post, TestServer } from "../../support/TestServer.ts"

const unknownKey = `bell_live_${"0".repeat(40)}`

layer(TestServer, { excludeTestServices: true })("access", (it) => {
  const whoami = (headers: Record<string, string>) => callJson("/api/v1/agent/whoami", { headers })

  it.effect("is rejected without a valid key, with an explanation of the problem", () =>
    Effect.gen(function*() {
      const refused = [
        [{}, "API key required"],
        [{ authorization: "Basic Zm9vOmJhcg==" }, "does not contain a bearer token"],
        [bearer("bell_live_short"), "unknown, revoked or expired"],
        [bearer(unknownKey), "unknown, revoked or expired"],
        [bearer("x'; drop table api_keys; --"), "does not contain a bearer token"]
      ] as const
      for (const [headers, message] of refused) {
        const { body, headers: answered, status } = yield* whoami(headers)
        expect([status, body.error.code, answered.get("www-authenticate")]).toEqual([
          401,
          "unauthorized",
          "Bearer realm=\"belltower\""
        ])
        expect(body.error.message).toContain(message)
        expect(body.error.hint).toBeDefined()
      }
    }))

  it.effect("is rejected with a key that has expired or was revoked", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const expired = yield* newKey(["read"], { expiresAt: DateTime.subtract(yield* DateTime.now, { seconds: 1 }) })
      expect((yield* whoami(expired.headers)).status).toBe(401)
      const revoked = yield* newKey(["read"])
      yield* sql`update api_keys set revoked_at = now() where id = ${revoked.keyId}`
      expect((yield* whoami(revoked.headers)).status).toBe(401)
    }))

  it.effect("tells a key its identity", () =>
    Effect.gen(function*() {
      const { headers, keyId, secret, workspaceId } = yield* newKey(["read"])
      const { body, status } = yield* whoami(headers)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        workspace: { id: workspaceId, plan: "self_hosted", claimed: false, timezone: "UTC" },
        key: { id: keyId, prefix: secret.slice(0, 14), scopes: ["read"], expiresAt: null },
        plan: "self_hosted",
        limits: { monitors: null, minIntervalSec: 10, onCall: true }
      })
      expect(JSON.stringify(body)).not.toContain(secret)
    }))

  it.effect("records when a key was last used, at most once a minute", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey(["read"])
      const first = (yield* whoami(headers)).body.key.lastUsedAt
      expect(Math.abs(Date.parse(first) - Date.now())).toBeLessThan(10_000)
      expect((yield* whoami(headers)).body.key.lastUsedAt).toBe(first)
    }))

  describe("of every operation in the registry", () => {
    const path = (template: string) => template.replace(/:\w+/g, "x")

    it.effect("needs a key, except for the public ones, which ignore even an invalid one", () =>
      Effect.gen(function*() {
        for (const { id, method, path: template, scope } of operations) {
          const { status } = yield* callJson(path(template), { method, headers: bearer(unknownKey) })
          expect([id, status === 401]).toEqual([id, scope !== "public"])
        }
      }))

    it.effect("needs the write scope to write", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey(["read"])
        for (const { id, method, path: template } of operations.filter(({ scope }) => scope === "write")) {
          const { body, status } = yield* callJson(path(template), { method, headers })
          expect([id, status, body.error.code]).toEqual([id, 403, "forbidden"])
        }
      }))

    it.effect("allows reading with a key that has only the write scope", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey(["write"])
        expect((yield* whoami(headers)).status).toBe(200)
      }))
  })

  it.effect("starts without a human, five times an hour from one address", () =>
    Effect.gen(function*() {
      const first = yield* post("/api/v1/agent/bootstrap", { agentName: "scout" })
      expect(first.status).toBe(201)
      expect(first.body).toMatchObject({
        workspace: { name: "scout's workspace", plan: "self_hosted", claimed: false },
        apiKey: expect.stringMatching(/^bell_live_[0-9A-Za-z]{40}$/),
        claimUrl: expect.stringMatching(/^https:\/\/belltower\.test\/claim\/[0-9A-Za-z]{40}$/),
        key: { scopes: ["read", "write"], name: "scout" }
      })
      const lifetime = Date.parse(first.body.expiresAt) - Date.parse(first.body.workspace.createdAt)
      expect(lifetime).toBe(7 * 86_400_000)
      expect((yield* whoami(bearer(first.body.apiKey))).body.workspace.id).toBe(first.body.workspace.id)

      // Eleven more: even if the hour turns meanwhile, at most ten of the twelve may pass.
      const answers = yield* Effect.forEach(
        Array.from({ length: 11 }, (_, i) => `203.0.113.${i}`),
        (address) =>
          post("/api/v1/agent/bootstrap", { agentName: "scout", workspaceName: "Mine" }, { "x-forwarded-for": address }),
        { concurrency: "unbounded" }
      )
      const limited = answers.find(({ status }) => status === 429)
      expect(limited?.body.error.code).toBe("rate_limited")
      expect(Number(limited?.headers.get("retry-after"))).toBeGreaterThan(0)
      expect(Number(limited?.headers.get("retry-after"))).toBeLessThanOrEqual(3600)
    }))

  it.effect("stores no secret in plain text", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { secret } = yield* newKey()
      const rows = yield* sql`select k.*, w.* from api_keys k join workspaces w on w.id = k.workspace_id`
      expect(JSON.stringify(rows)).not.toContain(secret.slice(14))
    }))
})
