/** Exports: what a workspace is as a document, and that the document means the same, here and in another workspace. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { clientOf } from "../../flows/support/Client.ts"
import { signedIn } from "../../support/database/SignedIn.ts"
import { programOf } from "../../support/program/Program.ts"
import { type Json, newKey } from "../../support/program/TestServer.ts"
import { openWorkshop } from "../../support/targets/CertificateWorkshop.ts"
import { until } from "../../support/time/Until.ts"

const newClient = Effect.gen(function*() {
  const { host, port } = yield* ServerAddress
  const key = yield* newKey()
  return { ...clientOf(`http://${host}:${port}`, key.secret), workspaceId: key.workspaceId }
})

type Client = Effect.Effect.Success<typeof newClient>

/** Imports a document into a workspace, to the end of the job. */
const imported = Effect.fn("imported")(function*(client: Client, document: unknown) {
  const started = yield* client.post("/import", { source: "belltower", document })
  expect(started).toMatchObject({ status: 202 })
  const { body } = yield* until(client.get(`/import/jobs/${started.body.id}`), (answer) => answer.body.finishedAt !== null)
  const job: Json = body
  return job
})

const optional = <A>(name: string, value: fc.Arbitrary<A>) =>
  fc.option(value, { nil: null }).map((one) => (one === null ? {} : { [name]: one }))

const merged = (...parts: ReadonlyArray<fc.Arbitrary<object>>): fc.Arbitrary<Json> =>
  fc.tuple(...parts).map((found) => Object.assign({}, ...found))

/** A name of any letters that PostgreSQL stores. */
const anyName = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).map((text) =>
  `n${text.replace(/[\0\p{Surrogate}]/gu, "")}`
)

const kinds = fc.oneof(
  merged(
    fc.record({ url: fc.webUrl().filter((url) => URL.canParse(url)) }),
    optional("keyword", anyName),
    optional("expectedStatus", fc.constantFrom("200", "200-299,404")),
    optional("headers", fc.constant({ accept: "text/html" })),
    optional("tlsVerify", fc.boolean()),
    optional("assertions", fc.constant([{ source: "json", path: "ok", op: "eq", value: true, severity: "degraded" }]))
  ),
  merged(fc.record({ host: fc.domain(), port: fc.integer({ min: 1, max: 65_535 }) }), optional("tls", fc.boolean())),
  merged(fc.record({ periodSec: fc.integer({ min: 30, max: 90_000 }) }), optional("graceSec", fc.integer({ min: 0, max: 3600 }))),
  merged(
    fc.record({ schedule: fc.constantFrom("30 2 * * *", "Mon..Fri 18:00", "0 0 L * *") }),
    optional("timezone", fc.constantFrom("Europe/Berlin", "UTC"))
  ),
  merged(fc.record({ kind: fc.constant("dns"), host: fc.domain() }), optional("recordType", fc.constantFrom("A", "MX", "TXT")))
)

/** Also on monitors that the document lists later. */
const monitor = (key: string, parents: ReadonlyArray<string>) =>
  merged(
    optional("dependsOn", fc.subarray([...parents], { minLength: 1 })),
    fc.record({ key: fc.constant(key), name: anyName, channels: fc.subarray(["hook", "mail"]), paused: fc.constant(true) }),
    kinds,
    optional("description", anyName),
    optional("tags", fc.uniqueArray(fc.constantFrom("a", "b", "c"))),
    optional("intervalSec", fc.integer({ min: 60, max: 86_400 })),
    optional("reminderMinutes", fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { maxLength: 3 })),
    optional("urgency", fc.constantFrom("high", "low")),
    optional("ai", fc.boolean())
  )

const component = (key: string) =>
  merged(
    fc.record({ key: fc.constant(key), name: anyName }),
    fc.oneof(
      fc.record({ monitors: fc.subarray(["m0", "m1", "m2"], { minLength: 1 }), aggregate: fc.constantFrom("worst", "majority") }),
      fc.record({
        push: fc.constant(true),
        pushTtlSec: fc.integer({ min: 60, max: 9000 }),
        confirmations: fc.integer({ min: 1, max: 5 })
      }),
      fc.constant({ manual: true }),
      fc.record({ pushTtlSec: fc.constant(300), confirmations: fc.constant(4) }),
      fc.constant({})
    ),
    optional("group", fc.constantFrom("One", "Two")),
    optional("hidden", fc.boolean()),
    optional("showUptime", fc.boolean()),
    optional("description", anyName)
  )

const page = merged(
  fc.record({
    key: fc.constant("site"),
    name: anyName,
    groups: fc.constantFrom([{ name: "Two", collapsed: true }, { name: "One", description: "The first" }], [{ name: "One" }, {
      name: "Two"
    }]),
    components: fc.tuple(component("c0"), component("c1"), component("c2"))
  }),
  optional("description", anyName),
  optional("visibility", fc.constantFrom("public", "private")),
  optional(
    "theme",
    merged(
      optional("accent", fc.constant("#0a84ff")),
      optional("mode", fc.constantFrom("dark", "light")),
      optional("radius", fc.nat(24))
    )
  ),
  optional("branding", merged(optional("logoText", anyName), optional("hidePoweredBy", fc.boolean()))),
  optional(
    "settings",
    merged(optional("uptimeDays", fc.integer({ min: 7, max: 90 })), optional("subscriptions", fc.constant({ email: false })))
  ),
  optional("seo", merged(optional("title", anyName), optional("noindex", fc.boolean())))
)

/** Overrides that often overlap, in any order. */
const overrides = (addresses: ReadonlyArray<string>) =>
  fc.array(
    merged(
      fc.record({
        user: fc.constantFrom(...addresses),
        from: fc.integer({ min: 10, max: 20 }),
        days: fc.integer({ min: 1, max: 8 })
      })
        .map(({ days, from, user }) => ({
          user,
          start: `2098-01-${from}T08:00:00.000Z`,
          end: `2098-01-${from + days}T09:30:00.000Z`
        })),
      optional("note", anyName)
    ),
    { maxLength: 6 }
  )

/** A workspace of everything that a document holds. The addresses are those of members. */
const workspace = (address: string, other: string) =>
  fc.record({
    channels: fc.tuple(
      fc.record({
        key: fc.constant("hook"),
        name: anyName,
        type: fc.constant("webhook"),
        url: fc.constant("https://hooks.example.com/x"),
        isDefault: fc.boolean(),
        enabled: fc.boolean(),
        groupAlerts: fc.boolean()
      }),
      fc.record({
        key: fc.constant("mail"),
        name: anyName,
        type: fc.constant("ntfy"),
        topic: fc.constant("ops"),
        events: fc.constant(["monitor.*"])
      })
    ),
    schedules: fc.tuple(fc.record({
      key: fc.constant("rota"),
      name: anyName,
      timezone: fc.constantFrom("Europe/Athens", "UTC"),
      handoffDay: fc.nat(6),
      handoffTime: fc.constant("09:00"),
      startDay: fc.constant("2026-11-16"),
      participants: fc.constantFrom([address], [other, address]),
      turnUnit: fc.constantFrom("day", "week"),
      turnLength: fc.integer({ min: 1, max: 3 }),
      hours: fc.constantFrom([], [{ days: [0, 4], from: "08:00", to: "20:00" }]),
      layers: fc.constantFrom([], [{
        name: "Weekend",
        startDay: "2026-11-18",
        participants: [other],
        beside: true,
        handoffDay: 4
      }]),
      overrides: overrides([address, other])
    })),
    monitors: fc.tuple(
      monitor("m0", ["m2"]),
      monitor("m1", ["m0", "m2"]),
      monitor("m2", [""]).map(({ dependsOn: _, ...one }) => one)
    ),
    pages: fc.tuple(page),
    policies: fc.tuple(fc.record({
      key: fc.constant("policy"),
      name: anyName,
      monitors: fc.subarray(["m0", "m1"]),
      pages: fc.subarray(["site"]),
      isDefault: fc.boolean(),
      repeat: fc.nat(5),
      repeatAfterMinutes: fc.integer({ min: 1, max: 60 }),
      levels: fc.constant([
        { afterMinutes: 0, targets: [{ schedule: "rota" }, { channel: "hook" }] },
        { afterMinutes: 10, urgency: "low", targets: [{ user: address }] }
      ])
    })),
    templates: fc.tuple(merged(
      fc.record({ key: fc.constant("slow"), name: anyName, title: fc.constant("{{component}} is slow"), body: anyName }),
      optional("kind", fc.constantFrom("incident", "maintenance")),
      optional("impact", fc.constantFrom("none", "critical")),
      optional("componentStatus", fc.constantFrom("degraded", "operational")),
      optional("components", fc.subarray(["c0", "c2"]).map((all) => all.map((component) => ({ page: "site", component })))),
      optional("order", fc.nat(9))
    ))
  })

/** The slug is one for all workspaces, so the second page of a name gets another. */
const withoutSlugs = (document: Json): Json => ({ ...document, pages: document.pages.map(({ slug: _, ...rest }: Json) => rest) })

layer(programOf(), { excludeTestServices: true, timeout: "90 seconds" })("an export", (it) => {
  it.effect("names things by keys, hides secrets, and changes nothing when it is planned again", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const channel = (yield* client.post("/channels", {
        name: "Ops",
        type: "webhook",
        url: "https://hooks.example.com/ops",
        headers: { authorization: "Bearer very-secret-token" }
      })).body
      const monitor = (yield* client.post("/monitors", {
        name: "Shop",
        url: "https://shop.example.com/",
        headers: { authorization: "Bearer other-secret-token", accept: "text/html" }
      })).body
      yield* client.post("/monitors", { name: "Shop", host: "shop.example.com", port: 443 })
      const page = (yield* client.post("/pages", { name: "Acme", theme: { accent: "#123456" } })).body
      yield* client.post(`/pages/${page.id}/components`, { name: "Checkout", group: "Store", monitorIds: [monitor.id] })
      const policy = yield* client.post("/escalation-policies", {
        name: "Default",
        levels: [{ afterMinutes: 0, targets: [{ type: "channel", id: channel.id }] }]
      })
      expect([policy.status, policy.body.error]).toEqual([201, undefined])
      const { body: document } = yield* client.get("/export")
      expect(JSON.stringify(document)).not.toContain("secret-token")
      expect(document.channels[0]).toMatchObject({ key: "ops", headers: { authorization: "[hidden]" } })
      // Two things of one name have the ends of their ids in their keys.
      expect(document.monitors.map(({ key }: Json) => key)).toEqual([
        `shop-${monitor.id.slice(-6)}`,
        expect.stringMatching(/^shop-/)
      ])
      expect(document.pages[0]).toMatchObject({
        key: "acme",
        groups: [{ name: "Store" }],
        components: [{ key: "checkout", group: "Store", monitors: [document.monitors[0].key] }]
      })
      expect(document.policies[0].levels[0].targets).toEqual([{ channel: "ops" }])
      const plan = (yield* client.post("/plan", { document })).body
      expect(plan.changes).toEqual([])
      expect(plan.unchanged).toBe(6)
    }))

  it.effect("keeps the key of a client certificate by its mask, and a document without the certificate removes both", () =>
    Effect.gen(function*() {
      const { close, make } = openWorkshop()
      const { cert, key } = make({ name: "client" })
      close()
      const client = yield* newClient
      const settings = { name: "Shop", url: "https://shop.example.com/", tlsVerify: false, tlsCa: cert, paused: true }
      const made = yield* client.post("/monitors", { ...settings, clientCertificate: cert, clientKey: key })
      expect(made).toMatchObject({ status: 201, body: { clientKey: "[hidden]" } })
      const { body: document } = yield* client.get("/export")
      const [{ clientCertificate, clientKey, tlsCa: _, tlsVerify: __, ...plain }] = document.monitors
      expect([clientCertificate, clientKey]).toEqual([cert, "[hidden]"])
      expect((yield* client.post("/plan", { document })).body.changes).toEqual([])
      const { body: plan } = yield* client.post("/plan", { document: { ...document, monitors: [plain] } })
      expect((yield* client.post(`/plan/${plan.id}/apply`)).status).toBe(200)
      expect((yield* client.get(`/monitors/${made.body.id}`)).body).toMatchObject({
        tlsVerify: true,
        tlsCa: null,
        clientCertificate: null,
        clientKey: null
      })
    }))

  it.effect("is the same after it was imported into another workspace, where a plan of it finds nothing to do", () =>
    Effect.gen(function*() {
      const seed = yield* newClient
      const [alex, sam] = [yield* signedIn(seed.workspaceId, "member"), yield* signedIn(seed.workspaceId, "member")]
      const sql = yield* SqlClient.SqlClient
      for (const document of fc.sample(workspace(alex.email, sam.email), { numRuns: 5, seed: 7 })) {
        const [one, other] = [yield* newClient, yield* newClient]
        for (const { workspaceId } of [one, other]) {
          yield* sql`
            insert into memberships (workspace_id, user_id, role, created_at)
            select ${workspaceId}, id, 'member', now() from unnest(${[alex.userId, sam.userId]}::text[]) id`
        }
        const plan = yield* one.post("/plan", { document })
        expect([plan.status, plan.body.error]).toEqual([201, undefined])
        expect((yield* one.post(`/plan/${plan.body.id}/apply`)).status).toBe(200)
        const first = (yield* one.get("/export")).body
        expect(first.schedules[0].overrides).toEqual(document.schedules[0].overrides)
        expect(first.policies[0].levels).toEqual(document.policies[0].levels)
        const named = document.pages[0].components.map(({ manual: _, ...one }: Json) => one)
        expect(first.pages[0].components).toMatchObject(named)
        expect((yield* one.post("/plan", { document })).body.changes).toEqual([])

        const job = yield* imported(other, first)
        expect(job).toMatchObject({ status: "succeeded", failed: [], skipped: [] })
        const second = (yield* other.get("/export")).body
        expect(withoutSlugs(second)).toEqual(withoutSlugs(first))
        const again = (yield* other.post("/plan", { document: second })).body
        expect([again.changes, again.unchanged]).toEqual([[], 12])
        expect((yield* imported(other, first)).created).toEqual([])
      }
    }))

  it.effect("leaves secrets behind: a monitor that needs one starts paused, and a channel waits for it", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* newClient, yield* newClient]
      const secret = "Bearer very-secret-token"
      yield* one.post("/channels", {
        name: "Ops",
        type: "slack",
        url: "https://hooks.slack.com/services/T00/B00/abcdefghijklmnop"
      })
      yield* one.post("/monitors", {
        name: "Shop",
        url: "https://shop.example.com/",
        headers: { authorization: secret, accept: "text/html" }
      })
      const document = (yield* one.get("/export")).body
      const preview = (yield* other.post("/import/preview", { source: "belltower", document })).body
      expect(preview.channels).toMatchObject([{ ref: "channel:ops", action: "unsupported" }])
      expect(preview.monitors[0].notes).toEqual([
        "The value of the header authorization is hidden in the document; set it again",
        "It starts paused",
        "None of its alert channels is carried, and the workspace has no default channel. Set its channelIds"
      ])
      const job = yield* imported(other, document)
      expect(job.created.map(({ ref }: Json) => ref)).toEqual(["monitor:shop"])
      const [monitor] = (yield* other.get("/export")).body.monitors
      expect(monitor).toMatchObject({ key: "shop", paused: true, headers: { accept: "text/html" } })
    }))

  it.effect("fits a smaller plan: its preview says what the job makes, and no field takes a thing with it", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const sql = yield* SqlClient.SqlClient
      yield* sql`update workspaces set plan = 'free', claimed_at = now() where id = ${client.workspaceId}`
      const document = {
        monitors: [
          { key: "one", name: "One", kind: "script", code: "await http.get('https://example.com/')" },
          { key: "two", name: "Two", kind: "script", code: "await http.get('https://example.com/')" },
          { key: "wide", name: "Wide", url: "https://wide.example.com/", intervalSec: 10, regions: ["a", "b", "c", "d"] }
        ],
        pages: [{ key: "site", name: "Site", customDomain: "status.example.com" }, { key: "more", name: "More" }],
        templates: [{ key: "slow", name: "Slow", title: "Slow", body: "Slow" }]
      }
      const preview = (yield* client.post("/import/preview", { source: "belltower", document })).body
      const items: ReadonlyArray<Json> = [...preview.monitors, ...preview.pages, ...preview.incidents]
      expect(items.map(({ action, ref }) => [ref, action])).toEqual([
        ["monitor:one", "create"],
        ["monitor:two", "unsupported"],
        ["monitor:wide", "create"],
        ["page:site", "create"],
        ["page:more", "unsupported"],
        ["template:slow", "create"]
      ])
      expect(items.flatMap(({ notes = [] }) => notes)).toEqual(expect.arrayContaining([
        "The Free plan allows 1 browser or script monitor",
        "interval 10 becomes 60",
        "regions are left out: The Free plan allows 3 regions per monitor",
        "customDomain is left out: The Free plan allows no custom domains",
        "The Free plan allows 1 status page"
      ]))
      const job = yield* imported(client, document)
      const wanted = items.filter(({ action }) => action === "create").map(({ ref }) => ref)
      expect([job.failed, job.created.map(({ ref }: Json) => ref)]).toEqual([[], wanted])
    }))

  it.effect("leaves out what is gone: a level of a policy without targets, and a policy without levels", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const hook = (name: string) =>
        Effect.map(client.post("/channels", { name, type: "webhook", url: "https://hooks.example.com/x" }), ({ body }) => body.id)
      const ids = [yield* hook("First"), yield* hook("Second")]
      const levels = ids.map((id) => ({ afterMinutes: 5, targets: [{ type: "channel", id }] }))
      yield* client.post("/escalation-policies", { name: "Platform", levels })
      const left: Array<unknown> = []
      for (const id of ids) {
        yield* client.delete(`/channels/${id}`)
        const { body, status } = yield* client.get("/export")
        left.push([status, body.policies?.map((policy: Json) => policy.levels.length)])
        expect((yield* client.post("/plan", { document: body })).body.changes).toEqual([])
      }
      expect(left).toEqual([[200, [1]], [200, []]])
    }))

  it.effect("carries what monitors depend on, in any order, and refuses a cycle", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* newClient, yield* newClient]
      const monitor = (key: string, dependsOn: ReadonlyArray<string>) => ({
        key,
        name: key,
        url: `https://${key}.example.com/`,
        dependsOn
      })
      const apply = Effect.fnUntraced(function*(monitors: ReadonlyArray<object>) {
        const plan = yield* one.post("/plan", { document: { monitors } })
        expect(plan).toMatchObject({ status: 201 })
        expect((yield* one.post(`/plan/${plan.body.id}/apply`)).status).toBe(200)
        return plan.body
      })
      yield* apply([monitor("shop", ["api", "router"]), monitor("api", ["router"]), monitor("router", [])])
      const listed = (yield* one.get("/monitors")).body.data
      const idOf = (name: string) => listed.find((found: Json) => found.name === name).id
      expect((yield* one.get(`/monitors/${idOf("shop")}`)).body.dependsOn).toEqual([idOf("api"), idOf("router")])
      const first = (yield* one.get("/export")).body
      expect(yield* imported(other, first)).toMatchObject({ status: "succeeded", failed: [], skipped: [] })
      expect((yield* other.get("/export")).body.monitors).toHaveLength(3)
      expect((yield* other.post("/plan", { document: first })).body.changes).toEqual([])
      // Turned around: no step may pass through a cycle. What an entry omits is gone.
      const turned = yield* apply([monitor("shop", []), monitor("api", ["shop"]), { ...monitor("router", ["api"]) }])
      expect(turned.update).toBe(3)
      // Older ones that depend on newer ones come after those, as the import makes them.
      const third = yield* newClient
      const { body } = yield* one.get("/export")
      expect(yield* imported(third, body)).toMatchObject({ status: "succeeded" })
      expect((yield* third.get("/export")).body).toEqual(body)
      const bare = yield* apply([{ key: "api", name: "api", url: "https://api.example.com/" }])
      expect(bare.changes).toMatchObject([{ key: "api", fields: [{ path: "dependsOn", from: ["shop"] }] }])
      const refused = yield* one.post("/plan", {
        document: { monitors: [monitor("a", ["b"]), monitor("b", ["a"]), monitor("c", ["x"])] }
      })
      expect(refused.body.error.details.map(({ path }: Json) => path)).toEqual([
        "monitors.0.dependsOn",
        "monitors.1.dependsOn",
        "monitors.2.dependsOn.0"
      ])
    }))

  it.effect("says that a page has a password: it stays where there is one, and elsewhere the page is for members only", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* newClient, yield* newClient]
      const apply = Effect.fnUntraced(function*(page: object) {
        const plan = yield* one.post("/plan", { document: { pages: [page] } })
        expect(plan).toMatchObject({ status: 201 })
        expect(JSON.stringify(plan.body)).not.toMatch(/first password|second password/)
        expect((yield* one.post(`/plan/${plan.body.id}/apply`)).status).toBe(200)
        return plan.body
      })
      const page = { key: "acme", name: "Acme", visibility: "private" }
      yield* apply({ ...page, password: "the first password" })
      const document = (yield* one.get("/export")).body
      expect(document.pages).toMatchObject([{ key: "acme", visibility: "private", password: "[hidden]" }])
      for (const same of [document.pages[0], page, { ...page, password: "the first password" }]) {
        expect((yield* one.post("/plan", { document: { pages: [same] } })).body.changes).toEqual([])
      }
      const changed = yield* apply({ ...page, password: "the second password" })
      expect(changed.changes).toMatchObject([{ fields: [{ path: "password", from: "[hidden]", to: "[hidden]" }] }])
      const open = yield* one.post("/plan", { document: { pages: [{ ...page, visibility: "public" }] } })
      expect(open.body.error.message).toContain("pages.0.password")

      const preview = (yield* other.post("/import/preview", { source: "belltower", document })).body
      expect(preview.pages[0].notes).toEqual([
        "Its password is hidden in the document; set it again. Until then only members see the page"
      ])
      yield* imported(other, document)
      expect((yield* other.get("/pages")).body.data).toMatchObject([{ visibility: "private", hasPassword: false }])
      const unknown = yield* other.post("/plan", { document })
      expect(unknown.body.error.message).toContain("pages.0.password")

      yield* apply({ ...page, password: null })
      expect((yield* one.get("/export")).body.pages[0]).not.toHaveProperty("password")
    }))
})
