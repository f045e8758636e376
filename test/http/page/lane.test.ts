/** Public pages answered before the router: like the router does, and never older. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newOwner } from "../../support/browser/Visitor.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { until } from "../../support/time/Until.ts"

/** The parts of two answers that may differ. */
const ownHeaders = ["date", "x-request-id", "keep-alive", "connection", "transfer-encoding", "content-length"]
const headersOf = (headers: Headers): Readonly<Record<string, string>> => {
  const all: Record<string, string> = {}
  headers.forEach((value, name) => {
    if (!ownHeaders.includes(name)) all[name] = value
  })
  return all
}

layer(TestProgram, { excludeTestServices: true, timeout: "120 seconds" })("a public page in memory", (it) => {
  it.effect("is answered like by the router, which takes every path with a query", () =>
    Effect.gen(function*() {
      const owner = yield* newOwner()
      const key = { authorization: `Bearer ${owner.key}` }
      const page = (yield* owner.visitor.api("POST", "/pages", { name: "Acme" }, key)).body
      const component =
        (yield* owner.visitor.api("POST", `/pages/${page.id}/components`, { name: "API", manual: true }, key)).body
      for (const path of [`/s/${page.slug}`, `/api/v1/public/pages/${page.slug}`]) {
        const get = (url: string, headers: Record<string, string> = {}) =>
          owner.visitor.get(url, { "accept-encoding": "gzip", "accept-language": "de", ...headers })
        yield* get(path)
        const [fast, routed] = [yield* get(path), yield* get(`${path}?`)]
        expect([path, fast.status, fast.text === routed.text]).toEqual([path, 200, true])
        expect(headersOf(fast.headers)).toEqual(headersOf(routed.headers))
        const known = { "if-none-match": fast.headers.get("etag") ?? "" }
        const [fast304, routed304] = [yield* get(path, known), yield* get(`${path}?`, known)]
        expect([fast304.status, routed304.status, fast304.text]).toEqual([304, 304, ""])
        expect(headersOf(fast304.headers)).toEqual(headersOf(routed304.headers))
      }
      yield* owner.visitor.api("PATCH", `/pages/${page.id}`, { name: "Acme two" }, key)
      yield* owner.visitor.api("POST", `/components/${component.id}/override`, { status: "major_outage" }, key)
      const shown = owner.visitor.get(`/s/${page.slug}`, { cookie: "" })
      yield* until(shown, ({ text }) => text.includes("Acme two") && text.includes("Major outage"))
      yield* owner.visitor.api("PATCH", `/pages/${page.id}`, { visibility: "private" }, key)
      yield* until(shown, ({ status }) => status === 404)
      expect((yield* owner.visitor.api("GET", `/public/pages/${page.slug}`)).status).toBe(404)
    }))
})
