/** A limit that is checked after the schema is answered like one of the schema: with the path of its field. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newPage } from "../../operations/incident/Fixtures.ts"
import { TestProgram } from "../../support/program/Program.ts"

const web = { name: "Shop", url: "https://shop.test/", paused: true }
const dns = { name: "Names", kind: "dns", host: "shop.test", recordType: "A", paused: true }

const limits: ReadonlyArray<readonly [path: string, place: "monitor" | "page", input: object]> = [
  ["degradedAfterMs", "monitor", { ...web, degradedAfterMs: 120_001 }],
  ["degradedAfterMs", "monitor", { ...web, degradedAfterMs: 49 }],
  ["confirmAfterSec", "monitor", { ...web, intervalSec: 60, confirmAfterSec: 61 }],
  ["expected.0", "monitor", { ...dns, expected: ["shop.test"] }],
  ["expectedStatus", "monitor", { ...web, expectedStatus: "abc" }],
  ["periodSec", "monitor", { ...web, periodSec: 60 }],
  ["host", "monitor", { name: "Port", kind: "tcp", port: 1 }],
  ["slug", "page", { slug: "api" }],
  ["branding.logoUrl", "page", { branding: { logoUrl: "javascript:1" } }],
  ["theme.tokens.nope", "page", { theme: { tokens: { nope: "1px" } } }],
  ["theme.fontSans", "page", { theme: { fontSans: "a;b" } }],
  ["settings.timezone", "page", { settings: { timezone: "Mars/Olympus" } }]
]

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("a limit", (it) => {
  it.effect("is answered with the path of its field, which the message names, too", () =>
    Effect.gen(function*() {
      const { client, page } = yield* newPage
      for (const [path, place, input] of limits) {
        const answer = yield* place === "monitor" ? client.post("/monitors", input) : client.patch(`/pages/${page.id}`, input)
        const { details, message } = answer.body.error ?? {}
        expect([path, answer.status, details]).toEqual([path, 422, [{ path, message: expect.any(String) }]])
        expect(message).toContain(path)
      }
    }))

  it.effect("of one of many monitors is answered with the path in the request", () =>
    Effect.gen(function*() {
      const { client } = yield* newPage
      const { body: monitor } = yield* client.post("/monitors", web)
      const { body, status } = yield* client.patch("/monitors", {
        ids: [monitor.id],
        set: { intervalSec: 60, confirmAfterSec: 61 }
      })
      expect(status).toBe(422)
      expect(body.error.details).toEqual([{ path: "set.confirmAfterSec", message: expect.any(String) }])
      expect(body.error.message).toContain(`Shop (${monitor.id}): `)
    }))
})
