/** Authentication and permissions. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { operations } from "../../../src/http/openapi/Operations.ts"
import { Users } from "../../../src/store/people/Users.ts"
import { WorkspaceEntry } from "../../../src/store/workspace/WorkspaceEntry.ts"
import { bearer, callJson, newKey, post, TestServer } from "../../support/program/TestServer.ts"

const unknownKey = `bell_live_${"0".repeat(40)}`

layer(TestServer, { excludeTestServices: true })("access", (it) => {
  const whoami = (headers: Record<string, string>) => callJson("/api/v1/agent/whoami", { headers })

  it.effect("is rejected without a valid key, with an explanation of the problem", () =>
    Effect.gen(function*() {
      const refused = [
        [{}, "API key required"],
        [{ authorization: "Basic Zm9vOmJhcg==" }, "does not contain a bearer token"],
        [bearer("bell_live_short"), "API key is unknown"],
        [bearer(unknownKey), "API key is unknown"],
        [{ "x-api-key": unknownKey }, "Send the key as Authorization: Bearer, not x-api-key"],
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
      const expired = yield* newKey(["read"], { expiresAt: DateTime.unsafeMake("2026-11-21T19:48:00.123Z") })
      const revoked = yield* newKey(["read"])
      yield* sql`update api_keys set revoked_at = '2026-11-21T19:49:00Z' where id = ${revoked.keyId}`
      const ends = [
        [expired, "This key expired at 2026-11-21T19:48:00Z", { expiredAt: "2026-11-21T19:48:00.123Z" }],
        [revoked, "This key was revoked at 2026-11-21T19:49:00Z", { revokedAt: "2026-11-21T19:49:00.000Z" }]
      ] as const
      for (const [{ headers }, message, details] of ends) {
        const answer = yield* whoami(headers)
        expect([answer.status, answer.body.error]).toEqual([
          401,
          { code: "unauthorized", message, details, hint: expect.stringContaining("POST /api/v1/api-keys") }
        ])
        const overMcp = yield* post("/mcp", { jsonrpc: "2.0", id: 1, method: "ping" }, {
          ...headers,
          accept: "application/json, text/event-stream"
        })
        expect(overMcp.status).toBe(401)
        expect(overMcp.body.error).toMatchObject({ message, hint: expect.stringContaining("the tool create_api_key") })
      }
    }))

  it.effect("shows the claim link to keys that act as the owner and to no others, until it is used", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { body: made } = yield* post("/api/v1/agent/bootstrap", { agentName: "scout" })
      expect(made.workspace.claimUrl).toBe(made.claimUrl)
      const agent = bearer(made.apiKey)
      const seen = Effect.fn("seen")(function*(headers: Record<string, string>) {
        const workspace = yield* callJson("/api/v1/workspace", { headers })
        return [(yield* whoami(headers)).body.workspace.claimUrl, workspace.body.claimUrl]
      })
      expect(yield* seen(agent)).toEqual([made.claimUrl, made.claimUrl])
      const helper = yield* post("/api/v1/api-keys", { name: "helper", expiresInMinutes: 5 }, agent)
      const reader = yield* post("/api/v1/api-keys", { name: "reader", scopes: ["read"] }, agent)
      for (const { body } of [helper, reader]) expect(yield* seen(bearer(body.secret))).toEqual([null, null])
      const early = yield* post("/api/v1/members", { email: "ada@example.com", role: "owner" }, agent)
      expect(early.body.error.hint).toContain("whoami")
      const rows = yield* sql`select * from workspaces where id = ${made.workspace.id}`
      expect(JSON.stringify(rows)).not.toContain(made.claimUrl.slice(-40))
      const entry = yield* WorkspaceEntry
      const users = yield* Users
      const ada = yield* users.createNewcomer(yield* Schema.decode(EmailAddress)("ada@example.com"))
      yield* entry.claim(made.claimUrl.slice(-40), ada.id)
      expect(yield* seen(agent)).toEqual([null, null])
      expect(yield* sql`select id from workspaces where claim_token_sealed is not null`).toEqual([])
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
