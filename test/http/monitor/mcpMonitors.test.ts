/** An mcp monitor through REST: its record keeps every setting, never the client's secret, and survives being sent back. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { mask } from "../../../schema/Mask.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { callJson, newKey, post } from "../../support/program/TestServer.ts"

const input = {
  name: "Tools",
  kind: "mcp",
  paused: true,
  url: "https://mcp.test/mcp",
  tokenUrl: "https://auth.test/token",
  clientId: "belltower",
  clientSecret: "hunter2-client",
  scope: "tools:read",
  expectedTools: ["search"],
  pinnedTools: ["search@0123456789abcdef"],
  callTool: "search",
  callMayChange: true,
  body: "{\"query\":\"shoes\"}",
  assertions: [{ source: "json", path: "found", op: "gt", value: 0 }]
}

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("an mcp monitor", (it) => {
  it.scoped("has a record that shows all but the client's secret, and can be sent back", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const created = yield* post("/api/v1/monitors", input, headers)
      expect([created.status, created.body]).toMatchObject([201, { ...input, clientSecret: mask }])
      const path = `/api/v1/monitors/${created.body.id}`
      const listed = yield* callJson("/api/v1/monitors", { headers })
      expect(listed.body.data).toMatchObject([{ kind: "mcp", clientSecret: mask, expectedTools: ["search"] }])
      const sent = Object.fromEntries(Object.keys(input).map((name) => [name, created.body[name]]))
      const patched = yield* callJson(path, {
        method: "PATCH",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(sent)
      })
      expect([patched.status, patched.body.clientSecret]).toEqual([200, mask])
      const events = yield* callJson("/api/v1/events", { headers })
      expect(JSON.stringify([created.body, listed.body, events.body])).not.toContain("hunter2-client")
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql`select target::text as target, revision from monitors where id = ${created.body.id}`
      expect(row).toMatchObject({ revision: 1, target: expect.not.stringContaining("hunter2") })
    }))

  it.scoped("is refused without the secret of its client", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const { body, status } = yield* post("/api/v1/monitors", { ...input, clientSecret: undefined }, headers)
      expect([status, body.error.message]).toEqual([422, expect.stringContaining("clientSecret is required with clientId")])
    }))
})
