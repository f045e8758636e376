/** Requests while tracing is off. With a collector: `test/flows/traces.test.ts`. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { callJson, TestServer } from "../../support/program/TestServer.ts"

layer(TestServer, { excludeTestServices: true })("without a collector", (it) => {
  it.effect("the trace of a caller leaves no mark on an error", () =>
    Effect.gen(function*() {
      const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      const { body: { error } } = yield* callJson("/api/v1/nothing-here", { headers: { traceparent } })
      expect(error.code).toBe("not_found")
      expect(error).not.toHaveProperty("traceId")
    }))
})
