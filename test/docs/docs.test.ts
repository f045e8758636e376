/** The reference at /docs and its plain-text form for agents. */
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { fieldRows, limitWords, typeWords } from "../../src/docs/SchemaWords.ts"
import { operations } from "../../src/http/openapi/Operations.ts"
import { nestedInteractive } from "../support/NestedInteractive.ts"
import { call, callJson, testBaseUrl, TestServer } from "../support/TestServer.ts"

const page = Effect.flatMap(
  call("/docs"),
  (response) =>
    Effect.map(Effect.promise(() => response.text()), (html) => ({ html, headers: response.headers, status: response.status }))
)

const words = (schema: Readonly<Record<string, unknown>>) => typeWords(schema).map(({ word }) => word).join("")

layer(TestServer, { excludeTestServices: true })("the reference", (it) => {
  describe("at /docs", () => {
    it.effect("has every operation under its own anchor, with its path, call and errors", () =>
      Effect.gen(function*() {
        const { headers, html, status } = yield* page
        expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
        for (const { id, path, scope } of operations) {
          const [, entry = ""] = html.split(`<section class="operation" id="${id}"`)
          const own = entry.slice(0, entry.indexOf("</section>"))
          expect([id, own.includes(path.replace(/:(\w+)/g, "{$1}")), own.includes(`>${scope === "public" ? "no key" : scope}<`)])
            .toEqual([id, true, true])
          expect(own).toContain(`curl -s`)
          expect(own).toContain("<code>internal</code>")
        }
      }))

    it.effect("has no broken link", () =>
      Effect.gen(function*() {
        const { html } = yield* page
        const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
        const missing = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id).filter((id) => !ids.has(id))
        expect(missing).toEqual([])
        expect(ids.size).toBe([...html.matchAll(/ id="/g)].length)
      }))

    it.effect("allows only its own style and script", () =>
      Effect.gen(function*() {
        const { headers, html } = yield* page
        const policy = headers.get("content-security-policy") ?? ""
        const inline = [...html.matchAll(/<(?:style|script)>(.*?)<\/(?:style|script)>/gs)].map(([, text = ""]) => text)
        expect(inline.length).toBe(3)
        for (const text of inline) expect(policy).toContain(createHash("sha256").update(text).digest("base64"))
        expect(policy).toContain("default-src 'none'")
        expect(html).not.toMatch(/ on\w+=| style=/)
      }))

    it.effect("has no interactive element inside another", () =>
      Effect.gen(function*() {
        expect(nestedInteractive("<summary>a <a href=\"#b\">b</a></summary><a href=\"#c\"><i>c</i></a>")).toEqual(["summary > a"])
        const { html } = yield* page
        expect(html).toContain("<summary>")
        expect(nestedInteractive(html)).toEqual([])
      }))

    it.effect("answers 304 to a client that has it", () =>
      Effect.gen(function*() {
        const { headers } = yield* page
        const again = yield* call("/docs", { headers: { "if-none-match": headers.get("etag") ?? "" } })
        expect(again.status).toBe(304)
      }))
  })

  it.effect("is available to agents as text, with one line per operation", () =>
    Effect.gen(function*() {
      const response = yield* call("/llms.txt")
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"])
      const text = yield* Effect.promise(() => response.text())
      expect(text).toMatch(/^# Belltower\n\n> /)
      for (const { id, method, path } of operations) {
        expect(text).toContain(`- \`${id}\``)
        expect(text).toContain(`\`${method} ${path.replace(/:(\w+)/g, "{$1}")}\``)
      }
      expect(text).toContain(`${testBaseUrl}/mcp`)
    }))

  it.effect("is linked from the answer to an unknown path", () =>
    Effect.map(callJson("/nowhere"), ({ body, status }) => {
      expect([status, body.error.hint]).toEqual([404, expect.stringContaining(`${testBaseUrl}/docs`)])
    }))

  describe("describes", () => {
    it.effect("what a value is and its constraints", () =>
      Effect.sync(() => {
        expect(words({ anyOf: [{ type: "integer", minimum: 1, maximum: 9 }, { type: "null" }] })).toBe("integer or null")
        expect(words({ type: "array", items: { $ref: "#/components/schemas/Assertion" } })).toBe("list of Assertion")
        expect(words({ type: "object", additionalProperties: { type: "string" } })).toBe("map of string to string")
        expect(limitWords({ type: "string", minLength: 1, maxLength: 120, pattern: "\\S" })).toEqual(["1–120 characters"])
        expect(limitWords({ type: "array", maxItems: 20, items: { type: "string", maxLength: 40 } })).toEqual([
          "at most 20 items",
          "each at most 40 characters"
        ])
      }))

    it.effect("the fields of an object, including those of unnamed nested objects", () =>
      Effect.sync(() => {
        const inner = { type: "object", required: ["b"], properties: { b: { type: "boolean" } } }
        const rows = fieldRows({ type: "object", required: ["a"], properties: { a: { type: "array", items: inner } } })
        expect(rows.map(({ name, required }) => [name, required])).toEqual([["a", true], ["a.b", true]])
      }))
  })
})
