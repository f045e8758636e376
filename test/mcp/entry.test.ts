/** Access to /mcp: a working API key is required. Other requests get a 401 that explains how to get one. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { initialize, rpc } from "../support/mcp/Rpc.ts"
import { callJson, newKey, post, testBaseUrl, TestServer } from "../support/program/TestServer.ts"

const revokedKey = Effect.gen(function*() {
  const { headers, keyId } = yield* newKey()
  const sql = yield* SqlClient.SqlClient
  yield* sql`update api_keys set revoked_at = now() where id = ${keyId}`
  return headers
})

const expiredKey = Effect.gen(function*() {
  const { headers } = yield* newKey(["read"], { expiresAt: DateTime.subtract(yield* DateTime.now, { minutes: 1 }) })
  return headers
})

/** Every way to lack a working key. */
const strangers = Effect.gen(function*() {
  const { secret } = yield* newKey()
  return [
    ["missing", {}],
    ["blank", { authorization: " " }],
    ["malformed", { authorization: `Basic ${secret}` }],
    ["without its scheme", { authorization: secret }],
    ["unknown", { authorization: `Bearer ${secret}x` }],
    ["revoked", yield* revokedKey],
    ["expired", yield* expiredKey],
    ["a cookie", { cookie: "belltower_session=anything; __Host-belltower_session=anything" }]
  ] as ReadonlyArray<readonly [string, Record<string, string>]>
})

layer(TestServer, { excludeTestServices: true })("/mcp", (it) => {
  describe("without a working key", () => {
    it.effect("answers every message 401 with the usual envelope, and names the public endpoint", () =>
      Effect.gen(function*() {
        for (const [name, headers] of yield* strangers) {
          for (
            const message of [
              initialize("2025-06-18"),
              rpc("tools/list"),
              rpc("tools/call", { name: "list_plans", arguments: {} })
            ]
          ) {
            const answer = yield* post("/mcp", message, headers)
            expect([name, answer.status, answer.body.error?.code]).toEqual([name, 401, "unauthorized"])
            expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer\b/)
            expect(answer.headers.get("mcp-session-id")).toBeNull()
            expect(answer.body.error.hint).toContain(`${testBaseUrl}/mcp/public`)
            expect(answer.body.error.hint).toContain("bootstrap_workspace")
          }
        }
      }))

    it.effect("names the sign-in to those who send no other credentials", () =>
      Effect.gen(function*() {
        const named = `resource_metadata="${testBaseUrl}/.well-known/oauth-protected-resource/mcp"`
        const offered: ReadonlyArray<string> = ["missing", "blank", "a cookie"]
        const others: ReadonlyArray<readonly [string, Record<string, string>]> = [
          ...(yield* strangers),
          ["an ended access token", { authorization: `Bearer bell_oat_${"0".repeat(40)}` }],
          ["a misplaced key", { "x-api-key": "bell_live_x" }]
        ]
        for (const [name, headers] of others) {
          const challenge = (yield* post("/mcp", initialize("2025-06-18"), headers)).headers.get("www-authenticate") ?? ""
          const isOffered = offered.includes(name) || name === "an ended access token"
          expect([name, challenge.includes(named)]).toEqual([name, isOffered])
          expect([name, challenge.includes("error=\"invalid_token\"")]).toEqual([
            name,
            "authorization" in headers && name !== "blank"
          ])
        }
        // The interface for programs has keys only.
        const answer = yield* callJson("/api/v1/monitors")
        expect(answer.headers.get("www-authenticate")).toBe("Bearer realm=\"belltower\"")
      }))

    it.effect("opens no stream and ends no session", () =>
      Effect.gen(function*() {
        const { headers: key } = yield* newKey()
        const session = (yield* post("/mcp", initialize("2025-06-18"), key)).headers.get("mcp-session-id") ?? ""
        for (const [name, headers] of yield* strangers) {
          for (const method of ["GET", "DELETE"]) {
            const answer = yield* callJson("/mcp", { method, headers: { ...headers, "mcp-session-id": session } })
            expect([name, method, answer.status, answer.body.error.code]).toEqual([name, method, 401, "unauthorized"])
            expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer\b/)
            // It had a key when its session began.
            expect(answer.body.error.hint).toContain("the workspace that you already have")
            expect(answer.body.error.hint).not.toContain("bootstrap")
          }
        }
        const goesOn = yield* post("/mcp", rpc("ping"), { ...key, "mcp-session-id": session })
        expect(goesOn.status).toBe(200)
      }))

    it.effect("explains what is wrong with the key", () =>
      Effect.gen(function*() {
        const messageOf = (headers: Record<string, string>) =>
          Effect.map(post("/mcp", rpc("ping"), headers), ({ body }) => body.error.message)
        expect(yield* messageOf({})).toContain("API key required")
        expect(yield* messageOf({ authorization: "Basic x" })).toContain("does not contain a bearer token")
        expect(yield* messageOf(yield* revokedKey)).toContain("revoked")
      }))
  })

  it.effect("accepts a working key", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey(["read"])
      const { body, status } = yield* post("/mcp", rpc("tools/list"), headers)
      expect([status, body.result.tools.length > 0]).toEqual([200, true])
    }))

  it.effect("leaves its public part open to all, whatever key they send", () =>
    Effect.gen(function*() {
      for (const [name, headers] of yield* strangers) {
        const { body, status } = yield* post("/mcp/public", rpc("tools/list"), headers)
        const names: ReadonlyArray<string> = body.result.tools.map((tool: { readonly name: string }) => tool.name)
        expect([name, status, names.includes("bootstrap_workspace"), names.includes("list_monitors")])
          .toEqual([name, 200, true, false])
      }
    }))
})
