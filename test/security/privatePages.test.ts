/** A private page, attacked: by every address that shows a part of it, by what was kept before, and after the right to it has ended. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operations } from "../../src/http/openapi/Operations.ts"
import { ServerAddress } from "../../src/http/server/ServeApp.ts"
import { pageParts } from "../../src/pages/PageParts.ts"
import { receiver } from "../notify/alert/Receiver.ts"
import { forgetLimits, newOwner, newVisitor } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"
import type { Json } from "../support/program/TestServer.ts"
import { until } from "../support/time/Until.ts"

const secrets = ["Vault", "Payroll", "Salaries"]

/** A page with a component and an incident, whose texts no stranger may read. */
const scene = Effect.fn("scene")(function*(more: object = {}) {
  const owner = yield* newOwner()
  const key = { authorization: `Bearer ${owner.key}` }
  const call = (method: string, path: string, body?: unknown) => owner.visitor.api(method, path, body, key)
  const settings = { showResponseTimes: true, subscriptions: { email: true, webhook: true, slack: true, rss: true } }
  const page = (yield* call("POST", "/pages", { name: "Vault", visibility: "private", settings, ...more })).body
  const component = (yield* call("POST", `/pages/${page.id}/components`, { name: "Payroll", key: "payroll", manual: true })).body
  const incident = (yield* call("POST", "/incidents", {
    title: "Payroll is late",
    message: "Salaries wait.",
    pageIds: [page.id],
    components: [{ componentId: component.id, status: "major_outage" }]
  })).body
  yield* forgetLimits
  return { owner, call, page, component, incident, path: `/s/${page.slug}` }
})

/** Every address at which a page shows something. */
const partsOf = ({ component, incident, path }: { component: Json; incident: Json; path: string }) => [
  ...["", "/live", "/subscribe", "/nothing-here", "?month=2026-01", "/history?month=2026-01", "?component=payroll"].map((one) =>
    path + one
  ),
  ...pageParts.map((part) => path + part.path.replace(":id", incident.id).replace(":component", component.id)),
  ...pageParts.filter((part) => part.path.includes(":component")).map((part) => path + part.path.replace(":component", "payroll"))
]

const publicReads = operations.filter(({ method, path }) => method === "GET" && path.includes("/public/pages/"))

const ways: ReadonlyArray<Record<string, string>> = [
  {},
  { accept: "text/html", "accept-language": "de" },
  { accept: "application/json" },
  { "if-none-match": "*" },
  { "accept-encoding": "identity" },
  { purpose: "prefetch", "x-forwarded-host": "belltower.test", origin: "https://evil.example" }
]

const tells = (text: string) => secrets.filter((one) => text.includes(one))

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }), { excludeTestServices: true, timeout: "180 seconds" })(
  "a private page",
  (it) => {
    it.effect("is a page that never was for a stranger, at every address, in every form, also when it is in memory", () =>
      Effect.gen(function*() {
        const found = yield* scene()
        const { owner, page } = found
        const stranger = yield* newVisitor
        const addresses = partsOf(found)
        expect(addresses.length).toBeGreaterThan(20)
        for (const address of addresses.filter((one) => !one.endsWith("/live"))) {
          const read = yield* owner.visitor.get(address)
          // A member reads it first, and no cache on the way may keep what they read.
          expect([address, read.headers.get("cache-control")?.includes("public") ?? false]).toEqual([address, false])
          for (const way of ways) {
            const { headers, status, text } = yield* stranger.get(address, way)
            expect([address, way, status, tells(text), headers.get("etag")]).toEqual([address, way, 404, [], headers.get("etag")])
            expect(headers.get("cache-control")).toBe("no-store")
          }
        }
        for (const way of ways) expect((yield* stranger.get(`${found.path}/live`, way)).status).toBe(404)
        expect(publicReads.length).toBeGreaterThan(3)
        for (const { path } of publicReads) {
          const asked = path.replace(":slug", page.slug).replace(":id", found.incident.id).replace(
            ":component",
            found.component.id
          )
          const known = yield* stranger.get(asked)
          const unknown = yield* stranger.get(asked.replace(page.slug, "no-such-page"))
          expect([asked, known.status, tells(known.text)]).toEqual([asked, 404, []])
          expect(known.text).toBe(unknown.text)
          // A key and a session of the workspace read private pages by its own operations, not by the public ones.
          expect((yield* owner.visitor.get(asked)).status).toBe(404)
        }
        const subscribing = yield* stranger.api("POST", `/public/pages/${page.slug}/subscribers`, {
          type: "email",
          email: "eve@example.com"
        })
        expect([subscribing.status, tells(subscribing.text)]).toEqual([404, []])
      }))

    it.effect("is not read by a session of another workspace, an ended one, or one that waits for its second factor", () =>
      Effect.gen(function*() {
        const found = yield* scene()
        const sql = yield* SqlClient.SqlClient
        const other = yield* newOwner()
        for (const address of partsOf(found).filter((one) => !one.endsWith("/live"))) {
          const { status, text } = yield* other.visitor.get(address)
          expect([address, status, tells(text)]).toEqual([address, 404, []])
        }
        const read = Effect.map(found.owner.visitor.get(found.path), ({ status }) => status)
        const waits = (waiting: boolean) =>
          sql`
          update sessions set awaits_second_factor = ${waiting}
          where user_id in (select user_id from memberships where workspace_id = ${found.owner.id})`
        expect(yield* read).toBe(200)
        yield* waits(true)
        yield* until(read, (status) => status === 404, "10 seconds")
        yield* waits(false)
        yield* until(read, (status) => status === 200, "10 seconds")
        yield* sql`delete from memberships where workspace_id = ${found.owner.id}`
        yield* until(read, (status) => status === 404, "10 seconds")
      }))

    it.effect("hides its incidents from a public page of the same workspace that shares an incident with it", () =>
      Effect.gen(function*() {
        const { call, component, page } = yield* scene()
        const open = (yield* call("POST", "/pages", { name: "Open" })).body
        const web = (yield* call("POST", `/pages/${open.id}/components`, { name: "Web", manual: true })).body
        yield* call("POST", "/incidents", {
          title: "Database trouble",
          message: "We are looking.",
          pageIds: [page.id, open.id],
          components: [{ componentId: component.id, status: "major_outage" }, { componentId: web.id, status: "degraded" }]
        })
        const stranger = yield* newVisitor
        const shown = Effect.map(stranger.api("GET", `/public/pages/${open.slug}`), ({ body }) => body)
        const body = yield* until(shown, ({ incidents }) => incidents.length > 0)
        expect(body.incidents.map(({ title }: Json) => title)).toEqual(["Database trouble"])
        const own = { component: web, incident: body.incidents[0], path: `/s/${open.slug}` }
        const leaks = yield* Effect.forEach(
          partsOf(own).filter((one) => !one.endsWith("/live")),
          (address) =>
            Effect.map(
              stranger.get(address),
              ({ text }) => [address, tells(text), text.includes(component.id), text.includes(page.slug)]
            )
        )
        expect(leaks).toEqual(leaks.map(([address]) => [address, [], false, false]))
      }))

    it.effect("takes its response times along, although they are kept for half a minute", () =>
      Effect.gen(function*() {
        const { call, page } = yield* scene({ visibility: "public" })
        const monitor = (yield* call("POST", "/monitors", { name: "Shop", url: "http://127.0.0.1:9/", paused: true })).body
        const fields = { name: "Shop", key: "shop", monitorIds: [monitor.id], showResponseTimes: true }
        expect((yield* call("POST", `/pages/${page.id}/components`, fields)).status).toBe(201)
        const stranger = yield* newVisitor
        const times = Effect.map(
          stranger.api("GET", `/public/pages/${page.slug}/components/shop/response-times`),
          ({ status }) => status
        )
        yield* until(times, (status) => status === 200, "10 seconds")
        yield* call("PATCH", `/pages/${page.id}`, { visibility: "private" })
        yield* until(stranger.api("GET", `/public/pages/${page.slug}`), ({ status }) => status === 404, "10 seconds")
        expect(yield* times).toBe(404)
      }))

    it.scoped("ends the streams of open pages when others may see it: by its visibility and by a new password", () =>
      Effect.gen(function*() {
        const { call, page, path } = yield* scene({ visibility: "public" })
        const { host, port } = yield* ServerAddress
        const visitor = yield* newVisitor
        const opened = Effect.fn("opened")(function*() {
          const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
          const response = yield* Effect.promise((signal) =>
            fetch(`http://${host}:${port}${path}/live`, { signal, headers: { cookie } })
          )
          expect(response.status).toBe(200)
          const reader = response.body?.getReader()
          yield* Effect.promise(async () => reader?.read())
          return Effect.promise(async () => {
            for (;;) {
              const read = await reader?.read().catch(() => ({ done: true as const }))
              if (read?.done !== false) return "ended"
            }
          }).pipe(Effect.timeout("30 seconds"))
        })
        const first = yield* opened()
        yield* call("PATCH", `/pages/${page.id}`, { visibility: "private", password: "correct horse" })
        expect(yield* first).toBe("ended")
        expect((yield* visitor.get(`${path}/live`)).status).toBe(401)
        yield* visitor.submit(`${path}/password`, { password: "correct horse" })
        const second = yield* opened()
        yield* call("PATCH", `/pages/${page.id}`, { password: "another horse" })
        expect(yield* second).toBe("ended")
        expect((yield* visitor.get(`${path}/live`)).status).toBe(401)
      }))

    it.scoped("tells nobody who knew an earlier password only, and shows them nothing by the link of an old mail", () =>
      Effect.gen(function*() {
        const { call, page, path } = yield* scene({ password: "correct horse" })
        const subscribed = Effect.fn("subscribed")(function*(password: string) {
          yield* forgetLimits
          const visitor = yield* newVisitor
          expect((yield* visitor.submit(`${path}/password`, { password })).status).toBe(303)
          const hook = yield* receiver((response, _, { body }) => {
            const { challenge } = JSON.parse(body)
            response.writeHead(200).end(challenge === undefined ? "" : JSON.stringify({ challenge }))
          })
          const { text } = yield* visitor.submit(`${path}/subscribe`, { type: "webhook", url: hook.url })
          const link = /\/subscriptions\/\w+\/\w+/.exec(text)?.[0] ?? "no link"
          const heard = () => hook.seen.map(({ body }) => JSON.parse(body)).filter(({ type }) => type !== "subscription.verify")
          return { visitor, link, heard }
        })
        const former = yield* subscribed("correct horse")
        expect((yield* former.visitor.get(former.link)).text).toContain("Payroll")
        yield* call("PATCH", `/pages/${page.id}`, { password: "another horse" })
        const present = yield* subscribed("another horse")
        const { body } = yield* call("POST", "/incidents", {
          title: "Salaries again",
          message: "Salaries wait.",
          pageIds: [page.id]
        })
        expect(body.title).toBe("Salaries again")
        yield* until(
          Effect.sync(() => present.heard().some(({ data }) => JSON.stringify(data).includes("again"))),
          (heard) => heard,
          "30 seconds"
        )
        expect(former.heard().filter(({ data }) => JSON.stringify(data).includes("again"))).toEqual([])
        const manage = yield* former.visitor.get(former.link)
        expect([manage.status, manage.text.includes("Payroll")]).toEqual([200, false])
        const [, id = "", token = ""] = /\/subscriptions\/(\w+)\/(\w+)/.exec(former.link) ?? []
        const changed = yield* former.visitor.api("PATCH", `/public/subscribers/${id}`, { token, components: ["payroll"] })
        expect(changed.status).toBe(409)
        // Leaving always works.
        expect((yield* former.visitor.api("DELETE", `/public/subscribers/${id}?token=${token}`)).status).toBe(200)
      }))

    it.scoped("is not in a retry, after the right to read it has ended", () =>
      Effect.gen(function*() {
        const { call, page, path } = yield* scene({ password: "correct horse" })
        const sql = yield* SqlClient.SqlClient
        const visitor = yield* newVisitor
        yield* visitor.submit(`${path}/password`, { password: "correct horse" })
        let status = 503
        const hook = yield* receiver((response, _, { body }) => {
          const { challenge } = JSON.parse(body)
          if (challenge === undefined) response.writeHead(status).end()
          else response.writeHead(200).end(JSON.stringify({ challenge }))
        })
        yield* visitor.submit(`${path}/subscribe`, { type: "webhook", url: hook.url })
        const received = Effect.sync(() => hook.seen.filter(({ body }) => body.includes("Secret news")).length)
        yield* call("POST", "/incidents", { title: "Secret news", message: "Salaries wait.", pageIds: [page.id] })
        yield* until(received, (count) => count > 0, "30 seconds")
        const waiting = sql`select from subscriber_deliveries where page_id = ${page.id}`
        yield* until(
          sql`select from subscriber_deliveries where page_id = ${page.id} and attempts > 0 and due_at > now() + interval '1 second'`,
          (rows) => rows.length > 0,
          "30 seconds"
        )
        const before = yield* received
        status = 204
        yield* call("PATCH", `/pages/${page.id}`, { password: null })
        yield* sql`update subscriber_deliveries set due_at = now() where page_id = ${page.id}`
        yield* sql`update broadcasts set retry_at = now() where page_id = ${page.id} and retry_at <> 'infinity'`
        yield* sql`select pg_notify('belltower_broadcasts', '')`
        yield* until(waiting, (rows) => rows.length === 0, "30 seconds")
        expect(yield* received).toBe(before)
      }))
  }
)
