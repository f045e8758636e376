/** The reference at /docs and its plain-text form for agents. */
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { groupPath, groups } from "../../src/docs/DocsLinks.ts"
import { peopleHome, peoplePages, peoplePath } from "../../src/docs/people/Pages.ts"
import { fieldRows, limitWords, typeWords } from "../../src/docs/SchemaWords.ts"
import { operations } from "../../src/http/openapi/Operations.ts"
import { nestedInteractive } from "../support/browser/NestedInteractive.ts"
import { call, callJson, testBaseUrl, TestServer } from "../support/program/TestServer.ts"

const get = (path: string) =>
  Effect.flatMap(
    call(path),
    (response) =>
      Effect.map(Effect.promise(() => response.text()), (html) => ({ html, headers: response.headers, status: response.status }))
  )

const groupPages = groups.map(([group]) => groupPath(group))

const guidePages = [peopleHome, ...peoplePages.map(peoplePath)]

const pages = [...guidePages, "/docs", "/docs/schemas", "/docs/webhooks", "/docs/search?q=slack", ...groupPages]

const words = (schema: Readonly<Record<string, unknown>>) => typeWords(schema).map(({ word }) => word).join("")

layer(TestServer, { excludeTestServices: true })("the reference", (it) => {
  describe("at /docs", () => {
    it.effect("has a page per group, with every operation under its own anchor, its path, examples and errors", () =>
      Effect.gen(function*() {
        for (const [group, members] of groups) {
          const { headers, html, status } = yield* get(groupPath(group))
          expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
          for (const { id, path, scope } of members) {
            const [, entry = ""] = html.split(`<section class="operation" id="${id}"`)
            const own = entry.slice(0, entry.indexOf("</section>"))
            expect([
              id,
              own.includes(path.replace(/:(\w+)/g, "{$1}")),
              own.includes(`>${scope === "public" ? "no key" : scope}<`)
            ])
              .toEqual([id, true, true])
            expect(own).toContain(`curl -s`)
            expect(own).toContain(`await belltower.${id}(`)
            expect(own).toContain("import requests")
            expect(own).toContain("tools/call")
            expect(own).toContain("<code>internal</code>")
          }
        }
      }))

    it.effect("has no broken link from any page to another, and no id twice", () =>
      Effect.gen(function*() {
        const loaded = new Map(yield* Effect.forEach(pages, (path) => Effect.map(get(path), ({ html }) => [path, html] as const)))
        const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id)
        const missing = [...loaded].flatMap(([path, html]) =>
          [...html.matchAll(/href="(\/docs[^"#]*)?#([^"]+)"/g)]
            .filter(([, target, id = ""]) => !idsOf(loaded.get(target ?? path) ?? "").includes(id))
            .map(([link]) => `${path}: ${link}`)
        )
        expect(missing).toEqual([])
        for (const [path, html] of loaded) expect([path, new Set(idsOf(html)).size]).toEqual([path, idsOf(html).length])
        expect(loaded.size).toBe(groups.length + guidePages.length + 4)
      }))

    it.effect("finds the guide, operations and their fields by what they say, without a script", () =>
      Effect.gen(function*() {
        const found = (query: string) =>
          Effect.map(get(`/docs/search?q=${encodeURIComponent(query)}`), ({ html }) =>
            [...html.matchAll(/<li><a href="([^"]+)">/g)].map(([, href]) => href))
        expect(yield* found("slack")).toContain("/docs/alerts#create_channel")
        expect(yield* found("cron")).toContain("/docs#jobs")
        expect(yield* found("graceSec")).toContain("/docs/monitors#create_monitor")
        expect(yield* found("webhook-signature")).toContain("/docs#events")
        expect(yield* found("monitor.down")).toContain("/docs/webhooks#monitor.down")
        expect(yield* found("quiet hours")).toContain("/docs/guide/alerts#noise")
        expect(yield* found("no such thing anywhere")).toEqual([])
      }))

    it.effect("shows what was searched for as text only", () =>
      Effect.gen(function*() {
        const { html } = yield* get(`/docs/search?q=${encodeURIComponent("\"><script>alert(1)</script>")}`)
        expect(html).not.toContain("<script>alert")
        expect(html).toContain("&lt;script")
      }))

    it.effect("allows only its own style and script", () =>
      Effect.gen(function*() {
        for (const path of pages) {
          const { headers, html } = yield* get(path)
          const policy = headers.get("content-security-policy") ?? ""
          const inline = [...html.matchAll(/<(?:style|script)>(.*?)<\/(?:style|script)>/gs)].map(([, text = ""]) => text)
          expect([path, inline.length]).toEqual([path, 3])
          for (const text of inline) expect(policy).toContain(createHash("sha256").update(text).digest("base64"))
          expect(policy).toContain("default-src 'none'")
          expect(html).not.toMatch(/ on\w+=| style=/)
        }
      }))

    it.effect("has no interactive element inside another", () =>
      Effect.gen(function*() {
        expect(nestedInteractive("<summary>a <a href=\"#b\">b</a></summary><a href=\"#c\"><i>c</i></a>")).toEqual(["summary > a"])
        for (const path of pages) {
          const { html } = yield* get(path)
          expect(html).toContain("<summary>")
          expect([path, nestedInteractive(html)]).toEqual([path, []])
        }
      }))

    it.effect("answers 304 to a client that has it", () =>
      Effect.gen(function*() {
        const { headers } = yield* get("/docs")
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
        expect(text).toContain(`- [\`${id}\`](${testBaseUrl}/docs/${id}.md)`)
        expect(text).toContain(`\`${method} ${path.replace(/:(\w+)/g, "{$1}")}\``)
      }
      expect(text).toContain(`${testBaseUrl}/mcp`)
    }))

  it.effect("has each operation as Markdown", () =>
    Effect.gen(function*() {
      for (const { id, method, path, summary } of operations) {
        const { headers, html: text, status } = yield* get(`/docs/${id}.md`)
        expect([id, status, headers.get("content-type")]).toEqual([id, 200, "text/markdown; charset=utf-8"])
        expect(text).toContain(`# ${summary}\n`)
        expect(text).toContain(`\`${method} ${path.replace(/:(\w+)/g, "{$1}")}\``)
        expect(text).toContain("## Errors")
      }
      expect((yield* get("/docs/create_monitor.md")).html).toContain("- `name` (required): string; 1–120 characters")
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
