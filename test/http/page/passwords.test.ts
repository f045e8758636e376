/** Private pages that a password opens. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { forgetLimits, newOwner, newVisitor } from "../../support/browser/Visitor.ts"
import { programBaseUrl, TestProgram } from "../../support/program/Program.ts"
import { until } from "../../support/time/Until.ts"

const guarded = Effect.gen(function*() {
  const owner = yield* newOwner()
  const key = { authorization: `Bearer ${owner.key}` }
  const call = (method: string, path: string, body?: unknown) => owner.visitor.api(method, path, body, key)
  const page = (yield* call("POST", "/pages", { name: "Acme", visibility: "private", password: "correct horse" })).body
  yield* call("POST", `/pages/${page.id}/components`, { name: "Payroll", manual: true })
  yield* forgetLimits
  return { call, page, path: `/s/${page.slug}`, visitor: yield* newVisitor }
})

layer(TestProgram, { excludeTestServices: true, timeout: "120 seconds" })("a page with a password", (it) => {
  it.effect("shows nothing before the password, and everything after it", () =>
    Effect.gen(function*() {
      const { page, path, visitor } = yield* guarded
      expect([page.hasPassword, page.password]).toEqual([true, undefined])
      for (const below of ["", "/history", "/feed.rss", "/badge.svg", "/api/v2/summary.json", "/live"]) {
        const closed = yield* visitor.get(`${path}${below}`)
        expect([below, closed.status, closed.text.includes("Payroll")]).toEqual([below, 401, false])
      }
      expect((yield* visitor.api("GET", `/public/pages/${page.slug}`)).status).toBe(404)
      // A link or a form of the page leads to the question.
      const asks = yield* Effect.all([visitor.get(`${path}/subscribe`), visitor.submit(`${path}/subscribe`, { type: "email" })])
      expect(asks.map(({ location, status }) => [status, location])).toEqual([[303, path], [303, path]])
      const wrong = yield* visitor.submit(`${path}/password`, { password: "battery staple" })
      expect([wrong.status, wrong.text.includes("That password is wrong."), visitor.cookies.size]).toEqual([401, true, 0])
      const right = yield* visitor.submit(`${path}/password`, { password: "correct horse" })
      expect([right.status, right.location]).toEqual([303, path])
      expect(right.headers.get("set-cookie")).toMatch(/^__Host-belltower_pg_\w+=.*HttpOnly; Secure; SameSite=Lax/)
      const open = yield* visitor.get(path)
      expect([open.status, open.text.includes("Payroll"), open.headers.get("cache-control")]).toEqual([
        200,
        true,
        "private, no-store"
      ])
      // The visitor may subscribe like one of a public page.
      expect((yield* visitor.get(`${path}/subscribe`)).text).toContain("value=\"webhook\"")
    }))

  it.effect("leads from the link of a mail to its incident, also after a wrong password, and to no other site", () =>
    Effect.gen(function*() {
      const { path, visitor } = yield* guarded
      const enter = (password: string, below: string) => visitor.submit(`${path}/password`, { password, below })
      const field = "name=\"below\" value=\"/history?month=2026-01\""
      expect((yield* visitor.get(`${path}/history?month=2026-01`)).text).toContain(field)
      expect((yield* enter("battery staple", "/history?month=2026-01")).text).toContain(field)
      expect((yield* visitor.get(`${path}?de`)).text).not.toContain("name=\"below\"")
      const places = ["/history?month=2026-01", "//evil.test", "@evil.test", ".evil.test", ""]
      const led = yield* Effect.forEach(places, (below) => enter("correct horse", below))
      expect(led.map(({ location }) => location)).toEqual([`${path}/history?month=2026-01`, path, path, path, path])
    }))

  it.effect("leads to the page if it was opened meanwhile, and says in the visitor's language if it is gone", () =>
    Effect.gen(function*() {
      const { call, page, path, visitor } = yield* guarded
      yield* call("PATCH", `/pages/${page.id}`, { visibility: "public", password: null })
      const late = () => visitor.submit(`${path}/password`, { password: "correct horse" })
      yield* until(late(), ({ location, status }) => status === 303 && location === path)
      yield* call("DELETE", `/pages/${page.id}`)
      const german = { origin: programBaseUrl, "sec-fetch-site": "same-origin", "accept-language": "de" }
      for (const form of [`${path}/password`, `${path}?subscribe`, `${path}/subscribe`]) {
        const gone = yield* until(visitor.submit(form, { type: "email" }, german), ({ status }) => status === 404)
        expect([form, /lang="(\w+)"/.exec(gone.text)?.[1], gone.text.includes("/app")]).toEqual([form, "de", false])
      }
    }))

  it.effect("closes again with another password, and opens no other page", () =>
    Effect.gen(function*() {
      const { call, page, path, visitor } = yield* guarded
      const other = yield* guarded
      yield* visitor.submit(`${path}/password`, { password: "correct horse" })
      const grant = [...visitor.cookies.values()][0] ?? ""
      visitor.cookies.set(`__Host-belltower_${other.page.id}`, grant)
      expect((yield* visitor.get(other.path)).status).toBe(401)
      visitor.cookies.set(`__Host-belltower_${page.id}`, `9${grant}`)
      expect((yield* visitor.get(path)).status).toBe(401)
      visitor.cookies.set(`__Host-belltower_${page.id}`, grant)
      expect((yield* visitor.get(path)).status).toBe(200)
      yield* call("PATCH", `/pages/${page.id}`, { password: "another horse" })
      expect((yield* visitor.get(path)).status).toBe(401)
      const removed = yield* call("PATCH", `/pages/${page.id}`, { password: null })
      expect(removed.body.hasPassword).toBe(false)
      expect((yield* visitor.get(path)).status).toBe(404)
    }))

  it.effect("takes ten tries of an address in a quarter of an hour, and must be private", () =>
    Effect.gen(function*() {
      const { call, page, path, visitor } = yield* guarded
      const tries = yield* Effect.forEach(
        Array.from({ length: 11 }),
        () => visitor.submit(`${path}/password`, { password: "battery staple" }),
        { concurrency: 4 }
      )
      expect(tries.filter(({ status }) => status === 401)).toHaveLength(10)
      const last = yield* visitor.submit(`${path}/password`, { password: "correct horse" })
      expect([last.status, last.text.includes("Too many attempts")]).toEqual([429, true])
      const opened = yield* call("PATCH", `/pages/${page.id}`, { visibility: "public" })
      expect([opened.status, opened.body.error.message, opened.body.error.details]).toEqual([
        422,
        expect.stringContaining("password"),
        [{ path: "password", message: expect.stringContaining("must be private") }]
      ])
      const made = yield* call("POST", "/pages", { name: "Open", password: "correct horse" })
      expect(made.status).toBe(422)
    }))
})
