/** The most that one POST to an MCP endpoint can make the server produce. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { callCounter } from "../support/measure/WorkDone.ts"
import { callJson, type Json, testBaseUrl, TestServer } from "../support/program/TestServer.ts"

layer(TestServer, { excludeTestServices: true })("A batch of reads without a key", (it) => {
  const batch = (count: number) =>
    callJson("/mcp/public", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(Array.from({ length: count }, (_, id) => ({
        jsonrpc: "2.0",
        id,
        method: "resources/read",
        params: { uri: `${testBaseUrl}/api/v1/openapi.json` }
      })))
    })

  it.effect("is answered with 2 MiB at most; the rest of its messages fail", () =>
    Effect.gen(function*() {
      const { body } = yield* batch(20)
      expect(body).toHaveLength(20)
      const length = body.reduce((sum: number, { result }: Json) => sum + (result?.contents[0].text.length ?? 0), 0)
      expect(length).toBeLessThanOrEqual(2 * 1024 * 1024)
      const refused = body.filter(({ error }: Json) => error !== undefined)
      for (const { error } of refused) expect(error.message).toContain("2 MiB")
      expect(body.some(({ result }: Json) => result !== undefined)).toBe(true)
    }))

  it.scoped("renders the document once for all", () =>
    Effect.gen(function*() {
      const callsOf = yield* callCounter
      yield* batch(1)
      const one = yield* callsOf(batch(1))
      const ten = yield* callsOf(batch(10))
      expect(ten).toBeLessThan(11 * one)
    }))
})
