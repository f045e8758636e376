/** Plans against the real program: what they show, what they change, and when they refuse. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { clientOf } from "../../flows/support/Client.ts"
import { programOf } from "../../support/program/Program.ts"
import { type Json, newKey } from "../../support/program/TestServer.ts"

const newClient = Effect.gen(function*() {
  const { host, port } = yield* ServerAddress
  const key = yield* newKey()
  return { ...clientOf(`http://${host}:${port}`, key.secret), workspaceId: key.workspaceId, url: `http://${host}:${port}/api/v1` }
})

type Client = Effect.Effect.Success<typeof newClient>

const shop = `
version: 1
channels:
  - key: ops
    name: Ops
    type: webhook
    url: https://hooks.example.com/ops
    headers: {authorization: Bearer very-secret-token}
monitors:
  - key: shop
    name: Shop
    url: https://shop.example.com/
    headers: {authorization: Bearer other-secret-token, accept: text/html}
    channels: [ops]
  - key: backup
    name: Nightly backup
    periodSec: 86400
pages:
  - key: acme
    name: Acme
    settings: {uptimeDays: 30}
    groups: [{name: Store}]
    components:
      - {key: checkout, name: Checkout, group: Store, monitors: [shop]}
      - {key: mail, name: Mail}
policies:
  - key: default
    name: Default
    monitors: [shop]
    pages: [acme]
    levels:
      - {afterMinutes: 0, targets: [{channel: ops}]}
`

const plan = Effect.fn("plan")(function*(client: Client, document: unknown, more: object = {}) {
  const answer = yield* client.post("/plan", { document, ...more })
  expect(answer).toMatchObject({ status: 201 })
  const made: Json = answer.body
  return made
})

const applied = Effect.fn("applied")(function*(client: Client, document: unknown, more: object = {}) {
  const made = yield* plan(client, document, more)
  const answer = yield* client.post(`/plan/${made.id}/apply`)
  expect(answer).toMatchObject({ status: 200 })
  const done: Json = answer.body
  return done
})

const heads = ({ changes }: Json) => changes.map(({ action, key, kind }: Json) => `${action} ${kind} ${key}`)
const counts = ({ create, delete: gone, unchanged, update }: Json) => ({ create, update, delete: gone, unchanged })
const settled = { create: 0, update: 0, delete: 0, unchanged: 7 }

layer(programOf(), { excludeTestServices: true, timeout: "90 seconds" })("a plan", (it) => {
  it.effect("makes what the document lists, in order of references, and then finds nothing to do", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const made = yield* plan(client, shop)
      expect(heads(made)).toEqual([
        "create channel ops",
        "create monitor shop",
        "create monitor backup",
        "create page acme",
        "create component acme/checkout",
        "create component acme/mail",
        "create policy default"
      ])
      expect((yield* client.get("/monitors")).body.data).toEqual([])
      const done = (yield* client.post(`/plan/${made.id}/apply`)).body
      expect(done.changes.every(({ id }: Json) => typeof id === "string")).toBe(true)
      expect(done.appliedAt).not.toBeNull()
      const monitors: ReadonlyArray<Json> = (yield* client.get("/monitors")).body.data
      const channels: ReadonlyArray<Json> = (yield* client.get("/channels")).body.data
      const [page]: ReadonlyArray<Json> = (yield* client.get("/pages")).body.data
      const [policy]: ReadonlyArray<Json> = (yield* client.get("/escalation-policies")).body.data
      const shopId = monitors.find(({ name }) => name === "Shop").id
      expect(monitors.find(({ name }) => name === "Shop").channelIds).toEqual([channels[0].id])
      expect(page).toMatchObject({ slug: "acme", settings: { uptimeDays: 30 }, groups: [{ name: "Store" }] })
      expect(page.components.map(({ key, monitorIds }: Json) => ({ key, monitorIds }))).toEqual([
        { key: "checkout", monitorIds: [shopId] },
        { key: "mail", monitorIds: [] }
      ])
      expect(policy).toMatchObject({ monitorIds: [shopId], pageIds: [page.id] })
      expect(counts(yield* plan(client, shop))).toEqual(settled)
      // The answer to the first call may have been lost.
      expect((yield* client.post(`/plan/${made.id}/apply`)).body).toEqual(done)
      expect((yield* client.get("/monitors")).body.data).toHaveLength(2)
    }))

  it.effect("shows each changed field without secrets, and brings back what was changed by hand", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      yield* applied(client, shop)
      const monitors: ReadonlyArray<Json> = (yield* client.get("/monitors")).body.data
      const shopId = monitors.find(({ name }) => name === "Shop").id
      yield* client.patch(`/monitors/${shopId}`, { name: "Renamed", intervalSec: 300, keyword: "Buy" })
      const edited = shop
        .replace("other-secret-token", "new-secret-token")
        .replace("very-secret-token", "newest-secret-token")
        .replace("key: mail, name: Mail", "key: mail, name: Post")
      const made = yield* plan(client, edited)
      expect(heads(made)).toEqual(["update channel ops", "update monitor shop", "update component acme/mail"])
      expect(JSON.stringify(made)).not.toContain("secret-token")
      const byPath = new Map(
        made.changes.flatMap(({ fields, key }: Json) => fields.map(({ from, path, to }: Json) => [`${key} ${path}`, [from, to]]))
      )
      expect(byPath.get("shop name")).toEqual(["Renamed", "Shop"])
      expect(byPath.get("shop intervalSec")).toEqual([300, 60])
      expect(byPath.get("shop keyword")).toEqual(["Buy", undefined])
      expect(byPath.get("shop headers.authorization")).toEqual(["[hidden]", "[hidden]"])
      expect(byPath.get("ops headers.authorization")).toEqual(["[hidden]", "[hidden]"])
      yield* client.post(`/plan/${made.id}/apply`)
      expect((yield* client.get(`/monitors/${shopId}`)).body).toMatchObject({ name: "Shop", intervalSec: 60, keyword: null })
      expect(counts(yield* plan(client, edited))).toEqual(settled)
    }))

  it.effect("deletes only what an earlier plan made, and only when asked", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      yield* client.post("/monitors", { name: "By hand", url: "https://hand.example.com/" })
      yield* applied(client, shop)
      const smaller = "channels: []\nmonitors: []\npages: []\npolicies: []\n"
      const kept = yield* plan(client, smaller)
      expect(counts(kept)).toEqual({ ...settled, unchanged: 0 })
      expect(kept.notes[0]).toContain("5 things that an earlier plan made")
      // Things that the document refers to are not deleted.
      const torn = {
        channels: [],
        pages: [],
        monitors: [{ key: "shop", name: "Shop", url: "https://shop.example.com/", channels: ["ops"] }],
        policies: [{ key: "default", name: "Default", levels: [{ afterMinutes: 0, targets: [{ channel: "ops" }] }] }],
        templates: [{ key: "slow", name: "Slow", title: "Slow", body: "Slow", components: [{ page: "acme", component: "mail" }] }]
      }
      expect((yield* plan(client, torn)).delete).toBe(0)
      const refused = yield* client.post("/plan", { document: torn, prune: true })
      expect(refused.body.error.details.map(({ path }: Json) => path)).toEqual([
        "monitors.0.channels.0",
        "policies.0.levels.0.targets.0.channel",
        "templates.0.components.0"
      ])
      // A section that is absent is left as it is.
      expect(heads(yield* plan(client, "channels: []", { prune: true }))).toEqual(["delete channel ops"])
      const done = yield* applied(client, smaller, { prune: true })
      expect(heads(done)).toEqual([
        "delete policy default",
        "delete page acme",
        "delete monitor backup",
        "delete monitor shop",
        "delete channel ops"
      ])
      expect((yield* client.get("/monitors")).body.data.map(({ name }: Json) => name)).toEqual(["By hand"])
      expect((yield* client.get("/pages")).body.data).toEqual([])
      expect(counts(yield* plan(client, shop))).toEqual({ create: 7, update: 0, delete: 0, unchanged: 0 })
    }))

  it.effect("takes a key that an entry repeats as one", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      yield* applied(client, shop)
      const doubled = {
        monitors: [{ key: "shop", name: "Shop", url: "https://shop.example.com/", channels: ["ops", "ops"] }],
        policies: [{
          key: "default",
          name: "Default",
          monitors: ["shop", "shop"],
          pages: ["acme", "acme"],
          levels: [{ afterMinutes: 0, targets: [{ channel: "ops" }] }]
        }],
        templates: [{
          key: "slow",
          name: "Slow",
          title: "Slow",
          body: "Slow",
          components: [{ page: "acme", component: "mail" }, { component: "mail", page: "acme" }]
        }]
      }
      yield* applied(client, doubled)
      expect((yield* plan(client, doubled)).changes).toEqual([])
      const [policy]: ReadonlyArray<Json> = (yield* client.get("/escalation-policies")).body.data
      const { body } = yield* client.patch(`/escalation-policies/${policy?.id}`, {
        monitorIds: [...policy?.monitorIds, ...policy?.monitorIds]
      })
      expect(body.monitorIds).toEqual(policy?.monitorIds)
    }))

  it.effect("takes a thing over that has the name of its key, and never deletes it", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const hand = (yield* client.post("/monitors", { name: "By hand", url: "https://hand.example.com/" })).body
      const document = "monitors:\n  - {key: by-hand, name: Taken over, url: https://hand.example.com/}"
      expect(heads(yield* applied(client, document))).toEqual(["update monitor by-hand"])
      expect((yield* client.get(`/monitors/${hand.id}`)).body.name).toBe("Taken over")
      expect(counts(yield* plan(client, document))).toMatchObject({ unchanged: 1, create: 0 })
      expect(counts(yield* plan(client, "monitors: []", { prune: true }))).toMatchObject({ delete: 0 })
    }))

  it.effect("refuses when something that it changes has changed since, and makes nothing", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      yield* applied(client, shop)
      const made = yield* plan(client, shop.replace("name: Shop", "name: Store").replace("uptimeDays: 30", "uptimeDays: 60"))
      const [page]: ReadonlyArray<Json> = (yield* client.get("/pages")).body.data
      yield* client.patch(`/pages/${page.id}`, { settings: { uptimeDays: 45 } })
      const refused = yield* client.post(`/plan/${made.id}/apply`)
      expect(refused.status).toBe(409)
      expect(refused.body.error.message).toContain("changed since")
      expect((yield* client.get("/monitors")).body.data.map(({ name }: Json) => name)).toEqual(["Shop", "Nightly backup"])
      // A change back makes it the same plan again.
      yield* client.patch(`/pages/${page.id}`, { settings: { uptimeDays: 30 } })
      expect((yield* client.post(`/plan/${made.id}/apply`)).status).toBe(200)
    }))

  it.effect("makes nothing if one of its changes is refused", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const other = yield* newClient
      yield* other.post("/pages", { name: "Taken", slug: "taken-slug" })
      const made = yield* plan(client, shop.replace("name: Acme", "name: Acme\n    slug: taken-slug"))
      const refused = yield* client.post(`/plan/${made.id}/apply`)
      expect(refused.status).toBe(409)
      expect(refused.body.error.message).toBe("page acme: The slug taken-slug is taken")
      expect((yield* client.get("/monitors")).body.data).toEqual([])
      expect((yield* client.get("/channels")).body.data).toEqual([])
    }))

  it.effect("moves slugs and domains between pages, also in a circle, in whichever order these are listed", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const slug = `moved-${client.workspaceId.slice(-6)}`
      const customDomain = `${slug}.example.com`
      const page = (key: string, more: object = { slug: `${slug}-${key}` }) => ({ key, name: key, ...more })
      yield* applied(client, { pages: [page("a", { slug, customDomain }), page("b"), page("c")] })
      yield* applied(client, { pages: [page("b", { slug, customDomain }), page("c"), page("a")] })
      yield* applied(client, { pages: [page("a"), page("b"), page("c", { slug, customDomain })] })
      const document = {
        pages: [
          page("a", { slug: `${slug}-b` }),
          page("b", { slug, customDomain }),
          page("c", { slug: `${slug}-a`, customDomain: null }),
          page("d", { slug: `${slug}-c` })
        ]
      }
      yield* applied(client, document)
      expect((yield* plan(client, document)).changes).toEqual([])
    }))

  it.effect("says beforehand what the workspace's plan refuses", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const sql = yield* SqlClient.SqlClient
      yield* sql`update workspaces set plan = 'free' where id = ${client.workspaceId}`
      const pages = (...keys: ReadonlyArray<string>) => ({ pages: keys.map((key) => ({ key, name: key })) })
      expect((yield* applied(client, pages("one"))).notes).toEqual([])
      const policies = [{ key: "ops", name: "Ops", levels: [{ afterMinutes: 0, targets: [{ channel: "hook" }] }] }]
      const channels = [{ key: "hook", name: "Hook", type: "webhook", url: "https://hooks.example.com/" }]
      const made = yield* plan(client, { ...pages("one", "two"), channels, policies })
      expect(made.notes).toEqual([
        "The Free plan allows 1 status page: this cannot be applied",
        "The Free plan has no on-call schedules and escalation policies: this cannot be applied"
      ])
      expect((yield* client.post(`/plan/${made.id}/apply`)).status).toBe(402)
      // Deletions make room.
      expect((yield* applied(client, pages("two"), { prune: true })).notes).toEqual([])
    }))

  it.effect("is refused with the path of each mistake", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const answer = yield* client.post("/plan", {
        document: {
          channels: [{ key: "pager", name: "Pager", type: "opsgenie", token: "k3y", groupAlerts: true }],
          monitors: [
            { key: "a", name: "A", url: "https://a.example.com/", channels: ["nobody"] },
            { key: "b", name: "B", url: "http://127.0.0.1/", intervalSec: 60 },
            { key: "c", name: "C", url: "https://c.example.com/", headers: { authorization: "[hidden]" } }
          ],
          policies: ["one", "two"].map((key) => ({
            key,
            name: key,
            isDefault: true,
            levels: [{ afterMinutes: 0, targets: [{ schedule: "nobody" }] }]
          }))
        }
      })
      expect(answer.status).toBe(422)
      expect(answer.body.error.details.map(({ path }: Json) => path)).toEqual([
        "channels.0.groupAlerts",
        "monitors.0.channels.0",
        "monitors.1.url",
        "monitors.2.headers.authorization",
        "policies.0.levels.0.targets.0.schedule",
        "policies.1.levels.0.targets.0.schedule",
        "policies.1.isDefault"
      ])
      const shapes = yield* client.post("/plan", {
        document: `monitors:\n  - {key: a, name: A, nmae: A, keyword: ${"k".repeat(501)}}\n  - {key: a, name: B}\nmonitor: []`
      })
      // In the words of the operations that make one.
      expect(shapes.body.error.details).toEqual(expect.arrayContaining([
        { path: "monitors.0.nmae", message: "Unknown field; did you mean name?" },
        { path: "monitors.0.keyword", message: "At most 500 characters" }
      ]))
      expect(shapes.body.error.details.map(({ path }: Json) => path)).toContain("monitor")
      const broken = yield* client.post("/plan", { document: "monitors: [" })
      expect(broken).toMatchObject({ status: 422 })
      expect((yield* client.post("/plan/plan_01k9x2m4q8e7s9v3bthn5wza6c/apply")).status).toBe(404)
    }))

  it.effect("reads a YAML body, and refuses bombs while others are served", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const sent = yield* Effect.promise(() =>
        fetch(`${client.url}/plan?prune=true`, {
          method: "POST",
          headers: { ...client.headers, "content-type": "application/yaml" },
          body: shop
        })
      )
      expect(sent.status).toBe(201)
      const levels = Array.from({ length: 9 }, (_, at) =>
        `l${at + 1}: &l${at + 1} [${Array.from({ length: 10 }, () => `*l${at}`).join(",")}]`)
      const bomb = `l0: &l0 [x]\n${levels.join("\n")}\n`
      const deep = `monitors: ${"[".repeat(200_000)}`
      for (const document of [bomb, deep]) {
        const [refused, health] = yield* Effect.all([client.post("/plan", { document }), client.get("/workspace")], {
          concurrency: 2
        })
        expect(refused.status).toBe(422)
        expect(health.status).toBe(200)
      }
    }))

  it.effect("takes a document beyond the limit of other bodies, up to its own", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const comment = `# ${"x".repeat(2 * 1024 * 1024)}\n`
      expect((yield* client.post("/plan", { document: comment + shop })).status).toBe(201)
      expect((yield* client.post("/plan", { document: comment.repeat(2) + shop })).status).toBe(422)
      expect((yield* client.post("/plan", { document: comment.repeat(4) + shop })).status).toBe(413)
      expect((yield* client.post("/monitors", { name: "A", url: "https://a.example.com/", description: comment })).status).toBe(
        413
      )
    }))

  it.effect("keeps its document sealed, and no more than the last ten", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const sql = yield* SqlClient.SqlClient
      for (let at = 0; at < 12; at++) yield* plan(client, shop)
      const rows = yield* sql<{ text: string }>`
        select row_to_json(plans)::text as text from plans where workspace_id = ${client.workspaceId}`
      expect(rows).toHaveLength(10)
      expect(rows.every(({ text }) => !text.includes("secret-token"))).toBe(true)
    }))

  it.effect("keep what an item omits with merge, and say without it that an item is a whole declaration", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      yield* applied(client, shop)
      const few = {
        monitors: [{ key: "shop", intervalSec: 300 }],
        pages: [{ key: "acme", components: [{ key: "mail", name: "E-mail" }] }]
      }
      const refused = yield* client.post("/plan", { document: few })
      expect([refused.status, refused.body.error.hint]).toEqual([422, expect.stringContaining("merge: true")])
      const made = yield* plan(client, few, { merge: true })
      expect(made.changes.map(({ fields, key }: Json) => [key, fields.map(({ path }: Json) => path)])).toEqual([
        ["shop", ["intervalSec"]],
        ["acme/mail", ["name"]]
      ])
      yield* client.post(`/plan/${made.id}/apply`)
      const { data } = (yield* client.get("/monitors")).body
      const found = data.find(({ name }: Json) => name === "Shop")
      expect([found.intervalSec, found.channelIds.length, Object.keys(found.headers).length]).toEqual([300, 1, 2])
    }))
})
