/** Changes of status pages and their components through the public interface. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "node:http"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { signedIn } from "../../support/database/SignedIn.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { until } from "../../support/time/Until.ts"
import { type Json, newPage } from "../incident/Fixtures.ts"

/** The answer to a browser that asks this host. */
const visit = Effect.fn("visit")(function*(path: string, headers: Record<string, string> = {}) {
  const { host, port } = yield* ServerAddress
  return yield* Effect.async<{ readonly status: number; readonly headers: Json; readonly body: string }>((resume) => {
    request({ host, port, path, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        resume(Effect.succeed({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString("utf8")
        })))
    }).end()
  })
})

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("A status page", (it) => {
  it.effect("keeps what an update does not name, and lets null remove a choice of its theme", () =>
    Effect.gen(function*() {
      const { client, page } = yield* newPage
      const path = `/pages/${page.id}`
      const first = yield* client.patch(path, {
        description: "The shop",
        theme: { preset: "paper", accent: "#112233", mode: "dark" },
        settings: { uptimeDays: 30, subscriptions: { rss: false } },
        seo: { noindex: true }
      })
      expect(first.body).toMatchObject({ name: page.name, description: "The shop", theme: { accent: "#112233", mode: "dark" } })
      const { body } = yield* client.patch(path, {
        name: "Acme 2",
        description: "",
        theme: { accent: null },
        settings: { subscriptions: { email: false } }
      })
      expect(body).toMatchObject({
        name: "Acme 2",
        slug: page.slug,
        description: null,
        settings: { uptimeDays: 30, subscriptions: { email: false, webhook: true, rss: false } },
        seo: { noindex: true }
      })
      expect(body.theme).toEqual({
        preset: "paper",
        mode: "dark",
        accent: null,
        tokens: {},
        fontSans: null,
        fontMono: null,
        radius: 6,
        customCss: ""
      })
      expect((yield* client.get(path)).body).toEqual(body)
    }))

  it.effect("shows every field of its parts, takes them back as it shows them, and looks the same then", () =>
    Effect.gen(function*() {
      const { client, page } = yield* newPage
      const path = `/pages/${page.id}`
      const { body } = yield* client.get(path)
      expect(body.seo).toEqual({ title: null, description: null, noindex: false })
      expect(Object.keys(body.theme).sort()).toEqual(
        ["accent", "customCss", "fontMono", "fontSans", "mode", "preset", "radius", "tokens"]
      )
      const head = ({ body }: { readonly body: string }) => body.slice(0, body.indexOf("</head>")).replace(/ hash="[^"]*"/, "")
      const before = yield* visit(`/s/${page.slug}`)
      const again = yield* client.patch(path, {
        theme: body.theme,
        branding: body.branding,
        settings: body.settings,
        seo: body.seo
      })
      expect(again.status).toBe(200)
      expect(again.body).toEqual({ ...body, updatedAt: again.body.updatedAt })
      yield* client.patch(path, { seo: { title: "Acme now", description: "" } })
      const titled = yield* until(visit(`/s/${page.slug}`), ({ body }) => body.includes("<title>Acme now"))
      // An empty description is none: the usual one stays.
      expect(titled.body).toContain(/<meta name="description"[^>]*>/.exec(before.body)?.[0])
      yield* client.patch(path, { seo: { title: null } })
      const last = yield* until(visit(`/s/${page.slug}`), ({ body }) => !body.includes("<title>Acme now"))
      expect(head(last)).toBe(head(before))
    }))

  it.effect("moves to a free slug, and is found no longer at the old one", () =>
    Effect.gen(function*() {
      const { client, page, shown } = yield* newPage
      const other = yield* newPage
      yield* shown(() => true)
      expect((yield* client.patch(`/pages/${page.id}`, { slug: other.page.slug })).status).toBe(409)
      expect((yield* client.patch(`/pages/${page.id}`, { slug: "docs" })).status).toBe(422)
      const slug = `moved-${page.slug}`.slice(0, 40)
      expect((yield* client.patch(`/pages/${page.id}`, { slug })).status).toBe(200)
      yield* until(client.get(`/public/pages/${page.slug}`), ({ status }) => status === 404)
      expect((yield* client.get(`/public/pages/${slug}`)).status).toBe(200)
    }))

  it.effect("shows nothing while private, except to a signed-in member of its workspace", () =>
    Effect.gen(function*() {
      const { client, page, shown, workspaceId } = yield* newPage
      yield* client.post("/incidents", { title: "Outage", message: "Down.", pageIds: [page.id] })
      const { incidents: [incident] } = yield* shown(({ incidents }) => incidents.length === 1)
      yield* client.patch(`/pages/${page.id}`, { visibility: "private" })
      const path = `/public/pages/${page.slug}`
      yield* until(client.get(path), ({ status }) => status === 404)
      expect((yield* client.get(`${path}/incidents`)).status).toBe(404)
      expect((yield* client.get(`${path}/incidents/${incident.id}`)).status).toBe(404)
      expect((yield* visit(`/s/${page.slug}`)).status).toBe(404)
      expect((yield* client.get(`/pages/${page.id}/preview`)).body).toMatchObject({
        page: { slug: page.slug },
        status: "degraded"
      })
      const stranger = (yield* signedIn((yield* newPage).workspaceId, "owner")).headers
      expect((yield* visit(`/s/${page.slug}`, stranger)).status).toBe(404)
      const member = (yield* signedIn(workspaceId, "viewer")).headers
      const seen = yield* visit(`/s/${page.slug}`, member)
      expect(seen.status).toBe(200)
      expect(seen.body).toContain("Checkout")
      expect(seen.headers["cache-control"]).toBe("private, no-store")
    }))

  it.effect("is served at its verified domain, and nothing else of the service is", () =>
    Effect.gen(function*() {
      const { client, page, workspaceId } = yield* newPage
      const sql = yield* SqlClient.SqlClient
      const domain = `status.${workspaceId.slice(-8)}.test`
      const { body } = yield* client.patch(`/pages/${page.id}`, { customDomain: domain })
      expect(body).toMatchObject({
        domainVerifiedAt: null,
        dns: {
          value: `${page.id.replace("_", "-")}.belltower.test`,
          txtName: `_belltower.${domain}`,
          txtValue: `belltower-page=${page.id}`
        },
        url: `https://belltower.test/s/${page.slug}`
      })
      yield* sql`update pages set domain_verified_at = now() where id = ${page.id}`
      const served = yield* visit("/", { host: domain })
      expect(served.body).toContain("Checkout")
      expect(served.body).toContain(`<link rel="canonical" href="https://${domain}"`)
      expect((yield* visit(`/api/v1/public/pages/${page.slug}`, { host: domain })).status).toBe(200)
      for (const path of ["/sign-in", "/app", "/api/v1/pages", "/mcp"]) {
        expect((yield* visit(path, { host: domain })).status).toBe(404)
      }
      expect((yield* visit("/", { host: "status.unknown.test" })).body).toContain("This server is running")
      for (
        const [wrong, expected] of [
          ["Status.Acme.Example", "Expected a domain in lower case"],
          ["status.acme.example.", "Expected a domain without a final dot"],
          ["acme.c0m", "Expected a domain"]
        ]
      ) {
        const refused = yield* client.patch(`/pages/${page.id}`, { customDomain: wrong })
        expect([refused.status, refused.body.error.details]).toEqual([
          422,
          [{ path: "customDomain", message: `${expected}, such as status.example.com` }]
        ])
      }
      // A changed domain must be verified again.
      expect((yield* client.patch(`/pages/${page.id}`, { customDomain: `new.${domain}` })).body.domainVerifiedAt).toBeNull()
    }))

  it.effect("is deleted with its components, and its automatic incident ends", () =>
    Effect.gen(function*() {
      const { client, component, events, page } = yield* newPage
      const queue = yield* component("Queue", { push: true, confirmations: 1 })
      yield* client.post(`/pages/${page.id}/status`, { statuses: { queue: "down" } })
      const [opened] = (yield* client.get(`/incidents?open=true&pageId=${page.id}`)).body.data
      expect(opened.title).toBe("Queue is down")
      expect((yield* client.delete(`/pages/${page.id}`)).body).toEqual({ id: page.id, deleted: true })
      expect((yield* client.get(`/pages/${page.id}`)).status).toBe(404)
      expect((yield* client.post(`/components/${queue.id}/override`, { status: null })).status).toBe(404)
      expect((yield* client.delete(`/pages/${page.id}`)).status).toBe(404)
      yield* until(client.get(`/public/pages/${page.slug}`), ({ status }) => status === 404)
      expect((yield* client.get(`/incidents/${opened.id}`)).body.status).toBe("resolved")
      const [resolved] = yield* events("incident.resolved")
      expect(resolved.data.update.body).toContain("the page was deleted")
    }))

  it.effect("gets its components in the given order and groups; those that are not listed keep their places", () =>
    Effect.gen(function*() {
      const { client, page } = yield* newPage
      const made = yield* Effect.forEach(
        ["One", "Two", "Three", "Four"],
        (name) => client.post(`/pages/${page.id}/components`, { name, manual: true })
      )
      const [one, two, three, four] = made.map(({ body }) => body.id)
      const path = `/pages/${page.id}/groups`
      const orderOf = (answer: Json) =>
        answer.body.components.map(({ group, name }: Json) => [
          name,
          answer.body.groups.find(({ id }: Json) => id === group)?.name ?? null
        ])
      const before = orderOf(yield* client.put(path, { groups: [{ name: "Core" }] })).slice(0, -4)
      const set = yield* client.put(path, { groups: [{ name: "Core" }], components: [{ id: four, group: "core" }, { id: one }] })
      expect(orderOf(set)).toEqual([...before, ["Four", "Core"], ["Two", null], ["Three", null], ["One", null]])
      const fresh = yield* client.put(path, {
        groups: [{ name: "Edge" }],
        components: [{ id: three, group: "Edge" }, { id: two, group: null }]
      })
      expect(orderOf(fresh)).toEqual([...before, ["Four", null], ["Three", "Edge"], ["Two", null], ["One", null]])
      for (
        const components of [
          [{ id: "cmp_01k9x2m4q8e7s9v3bthn5wza6c" }],
          [{ id: one }, { id: one }],
          [{ id: one, group: "Nowhere" }]
        ]
      ) {
        expect((yield* client.put(path, { groups: [{ name: "Edge" }], components })).status).toBe(422)
      }
      expect((yield* client.get(`/pages/${page.id}`)).body.components).toEqual(fresh.body.components)
    }))

  it.effect("gets its groups in the given order; a group that is not listed leaves its components behind", () =>
    Effect.gen(function*() {
      const { client, component, page } = yield* newPage
      const cart = yield* component("Cart", { group: "Shop" })
      yield* component("Docs", { group: "Help" })
      const path = `/pages/${page.id}/groups`
      const set = yield* client.put(path, { groups: [{ name: "Core", collapsed: true }, { name: "shop", description: "Sells" }] })
      expect(set.body.groups).toMatchObject([
        { name: "Core", collapsed: true, description: null },
        { id: cart.group, name: "shop", description: "Sells", collapsed: false }
      ])
      const groupOf = (name: string) => set.body.components.find((one: Json) => one.name === name).group
      expect([groupOf("Cart"), groupOf("Docs")]).toEqual([cart.group, null])
      const unknown = yield* client.put(path, { groups: [{ id: "grp_01k9x2m4q8e7s9v3bthn5wza6c", name: "X" }] })
      expect(unknown.status).toBe(422)
      expect((yield* client.put(path, { groups: [{ name: "A" }, { name: " a " }] })).status).toBe(422)
      const many = Array.from({ length: 101 }, (_, index) => ({ name: `G${index}` }))
      expect((yield* client.put(path, { groups: many })).body.error.message).toContain("at most 100 component groups")
    }))

  it.effect("lists its public incidents page by page, without internal notes", () =>
    Effect.gen(function*() {
      const { client, page } = yield* newPage
      const open = (title: string) =>
        Effect.map(client.post("/incidents", { title, message: `${title}.`, pageIds: [page.id] }), ({ body }) => body)
      const first = yield* open("First")
      yield* open("Second")
      yield* open("Third")
      yield* client.post(`/incidents/${first.id}/updates`, { message: "Rack 4 burns", public: false })
      const path = `/public/pages/${page.slug}/incidents`
      const newest = yield* until(client.get(`${path}?limit=2`), ({ body }) => body.data?.length === 2)
      expect(newest.body.data.map(({ title }: Json) => title)).toEqual(["Third", "Second"])
      const rest = yield* client.get(`${path}?limit=2&before=${newest.body.next}`)
      expect(rest.body).toMatchObject({ data: [{ title: "First" }], next: null })
      const one = yield* client.get(`${path}/${first.id}`)
      expect(one.body).toMatchObject({ id: first.id, updates: [{ body: "First." }] })
      expect(JSON.stringify([rest.body, one.body])).not.toContain("Rack 4")
      const other = yield* newPage
      expect((yield* client.get(`/public/pages/${other.page.slug}/incidents/${first.id}`)).status).toBe(404)
    }))
})

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("A component", (it) => {
  it.effect("keeps what an update does not name; naming a source replaces the one before", () =>
    Effect.gen(function*() {
      const { client, component } = yield* newPage
      const queue = yield* component("Queue", { push: true, pushTtlSec: 600, confirmations: 3, group: "Core" })
      const path = `/components/${queue.id}`
      const renamed = (yield* client.patch(path, { name: "Job queue", order: 7 })).body
      expect(renamed).toMatchObject({
        name: "Job queue",
        key: "queue",
        pushTtlSec: 600,
        confirmations: 3,
        pushUrl: queue.pushUrl,
        order: 7
      })
      const monitor = (yield* client.post("/monitors", { name: "API", url: "https://example.com/", paused: true })).body
      const followed = (yield* client.patch(path, { monitorIds: [monitor.id], group: "" })).body
      expect(followed).toMatchObject({
        monitorIds: [monitor.id],
        push: false,
        pushUrl: null,
        pushTtlSec: null,
        manual: false,
        group: null
      })
      expect((yield* client.post(new URL(queue.pushUrl).pathname.replace("/api/v1", ""), { status: "ok" })).status).toBe(404)
      const pushed = (yield* client.patch(path, { push: true })).body
      expect(pushed).toMatchObject({ push: true, monitorIds: [], status: "unknown" })
      expect(pushed.pushUrl).not.toBe(queue.pushUrl)
      expect((yield* client.patch(path, { push: true, monitorIds: [monitor.id] })).status).toBe(422)
      expect((yield* client.patch(path, { key: "checkout" })).status).toBe(409)
      expect((yield* client.patch(path, { monitorIds: ["mon_01k9x2m4q8e7s9v3bthn5wza6c"] })).status).toBe(422)
    }))

  it.effect("announces the status that a new source gives it", () =>
    Effect.gen(function*() {
      const { client, component, events } = yield* newPage
      const queue = yield* component("Queue", { push: true, confirmations: 1 })
      yield* client.post(new URL(queue.pushUrl).pathname.replace("/api/v1", ""), { status: "down" })
      yield* client.patch(`/components/${queue.id}`, { push: false })
      const changes = Effect.map(events("component.status_changed"), (all) => all.map(({ data }) => data.to))
      expect(yield* until(changes, (to) => to.length === 2)).toEqual(["major_outage", "operational"])
    }))

  it.effect("leaves its page's incident when it is deleted; the last one ends it", () =>
    Effect.gen(function*() {
      const { client, component, events, page } = yield* newPage
      const [one, two] = [
        yield* component("One", { push: true, confirmations: 1 }),
        yield* component("Two", { push: true, confirmations: 1 })
      ]
      yield* client.post(`/pages/${page.id}/status`, { statuses: { one: "down", two: { status: "degraded", message: "Slow" } } })
      yield* client.post(`/pages/${page.id}/status`, { statuses: { two: "fail" } })
      const [incident] = (yield* client.get("/incidents?open=true")).body.data
      expect(incident.components).toHaveLength(2)
      expect((yield* client.delete(`/components/${one.id}`)).body).toEqual({ id: one.id, deleted: true })
      const left = (yield* client.get(`/incidents/${incident.id}`)).body
      expect([left.status, left.components.map(({ componentId }: Json) => componentId)]).toEqual(["investigating", [two.id]])
      yield* client.delete(`/components/${two.id}`)
      expect((yield* client.get(`/incidents/${incident.id}`)).body.status).toBe("resolved")
      expect(yield* events("incident.resolved")).toHaveLength(1)
    }))
})

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("Statuses pushed for a page", (it) => {
  it.effect("reach each component by its key, and none of them if one key is wrong", () =>
    Effect.gen(function*() {
      const { client, component, page, shown, statusOf } = yield* newPage
      yield* component("Queue", { push: true })
      yield* component("Mail", { push: true, confirmations: 1 })
      const path = `/pages/${page.slug}/status`
      const wrong = yield* client.post(path, { statuses: { mail: "down", nothing: "ok", checkout: "ok" } })
      expect(wrong.status).toBe(422)
      expect(wrong.body.error.details.map(({ path }: Json) => path)).toEqual(["statuses.nothing", "statuses.checkout"])
      const { body } = yield* client.post(path, {
        statuses: { queue: false, mail: { status: "partial_outage", message: "Slow mails" } }
      })
      expect(body).toMatchObject({
        ok: true,
        components: [
          { component: { key: "queue" }, status: "unknown", awaiting: { reports: 1, confirmations: 2 } },
          { component: { key: "mail" }, status: "partial_outage", statusMessage: "Slow mails" }
        ]
      })
      yield* client.post(path, { statuses: { queue: 0 } })
      const seen = yield* shown((now) => statusOf(now, "Queue") === "major_outage")
      expect(seen.incidents).toHaveLength(1)
      yield* client.post(path, { statuses: { queue: "up", mail: "ok" } })
      expect((yield* shown(({ incidents }) => incidents.length === 0)).status).toBe("operational")
    }))
})
