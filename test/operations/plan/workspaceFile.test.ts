/** The configuration as a text, and documents that are sent once: over REST and over MCP. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parse } from "yaml"
import { programOf } from "../../support/program/Program.ts"
import { call, callJson, type Json, newKey, post } from "../../support/program/TestServer.ts"

const yamlOf = (headers: Record<string, string>, query: string) =>
  Effect.flatMap(
    call(`/api/v1/export?format=yaml${query}`, { headers }),
    (response) =>
      Effect.map(Effect.promise(() => response.text()), (text) => ({ text, type: response.headers.get("content-type") }))
  )

const furnished = Effect.gen(function*() {
  const { headers, workspaceId } = yield* newKey()
  for (const name of ["Shop", "Blog", "yes: #1"]) {
    const made = yield* post("/api/v1/monitors", { name, url: "https://example.com/a b", paused: true }, headers)
    expect([name, made.status]).toEqual([name, 201])
  }
  expect((yield* post("/api/v1/pages", { name: "Acme", description: "Two\nlines\n" }, headers)).status).toBe(201)
  return { headers, workspaceId }
})

const gatus = "endpoints:\n  - name: docs\n    url: https://docs.example.com\n    conditions: ['[STATUS] == 200']\n"

layer(programOf(), { excludeTestServices: true, timeout: "60 seconds" })("the file of a workspace", (it) => {
  it.effect("is YAML that says what the JSON says, whole or what a search finds, and the resource of MCP is the same", () =>
    Effect.gen(function*() {
      const { headers } = yield* furnished
      const whole = (yield* callJson("/api/v1/export", { headers })).body
      const yaml = yield* yamlOf(headers, "")
      expect([yaml.type, parse(yaml.text)]).toEqual([expect.stringContaining("application/yaml"), whole])
      const part = yield* yamlOf(headers, "&search=SHO")
      expect(parse(part.text)).toEqual({ version: 1, monitors: whole.monitors.filter(({ name }: Json) => name === "Shop") })
      const read = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: "belltower://workspace.yaml" } }
      const [resource] = (yield* post("/mcp", read, headers)).body.result.contents
      expect([resource.mimeType, resource.text]).toEqual(["application/yaml", yaml.text])
      // The text is a document again, which changes nothing.
      const plan = yield* post("/api/v1/plan", { document: yaml.text }, headers)
      expect([plan.status, plan.body.changes]).toEqual([201, []])
    }))

  it.effect("is sent once to an import: the preview answers an id of the document, which its workspace alone can use", () =>
    Effect.gen(function*() {
      const { headers, workspaceId } = yield* newKey()
      const preview = yield* post("/api/v1/import/preview", { source: "gatus", document: gatus }, headers)
      const { document, monitors } = preview.body
      expect([document, monitors.length]).toEqual([expect.stringMatching(/^doc_/), 1])
      const again = yield* post("/api/v1/import/preview", { source: "gatus", document }, headers)
      expect([again.body.document, again.body.monitors]).toEqual([document, monitors])
      const other = yield* newKey()
      for (const [given, by] of [[document, other.headers], ["doc_01k9x2m4q8e7s9v3bthn5wza6c", headers]] as const) {
        const refused = yield* post("/api/v1/import", { source: "gatus", document: given }, by)
        expect([refused.status, refused.body.error.message]).toEqual([422, expect.stringContaining("preview_import")])
      }
      const reader = yield* newKey(["read"], { workspaceId })
      const seen = yield* post("/api/v1/import/preview", { source: "gatus", document: gatus }, reader.headers)
      expect([seen.body.monitors, "document" in seen.body]).toEqual([monitors, false])
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ sealed: string }>`select sealed from import_documents where workspace_id = ${workspaceId}`
      expect(rows.map(({ sealed }) => sealed.includes("docs.example.com"))).toEqual([false])
      expect((yield* post("/api/v1/import", { source: "gatus", document }, headers)).status).toBe(202)
      yield* sql`update import_documents set created_at = now() - interval '2 hours' where workspace_id = ${workspaceId}`
      expect((yield* post("/api/v1/import/preview", { source: "gatus", document }, headers)).status).toBe(422)
    }))

  it.effect("is kept for the three newest previews", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const ids: Array<string> = []
      for (let count = 0; count < 4; count++) {
        ids.push((yield* post("/api/v1/import/preview", { source: "gatus", document: gatus }, headers)).body.document)
      }
      const statuses = yield* Effect.forEach(ids, (document) =>
        Effect.map(post("/api/v1/import/preview", { source: "gatus", document }, headers), ({ status }) => status))
      expect(statuses).toEqual([422, 200, 200, 200])
    }))
})
