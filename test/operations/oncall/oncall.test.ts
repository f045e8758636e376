/** On-call schedules, escalation policies, deploys and the digest through the public interface. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { UserId, type WorkspaceId } from "../../../schema/Ids.ts"
import { AcknowledgeTokens } from "../../../src/store/incident/AcknowledgeTokens.ts"
import { mint } from "../../../src/store/Mint.ts"
import { programKeys, TestProgram } from "../../support/program/Program.ts"
import { call, type Json } from "../../support/program/TestServer.ts"
import { newPage } from "../incident/Fixtures.ts"

const newMember = (workspaceId: WorkspaceId, name: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const id = yield* mint("usr", UserId)
    const email = `${name}-${id}@example.com`
    yield* sql`
      insert into users (id, email, name, email_proved_at, created_at, updated_at) values (${id}, ${email}, ${name}, now(), now(), now())`
    yield* sql`insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${id}, 'member', now())`
    return { id, email, name }
  })

const rotation = (participants: ReadonlyArray<string>) => ({
  name: "Platform",
  timezone: "Europe/Athens",
  handoffDay: 0,
  handoffTime: "09:00",
  participants
})

/** The path of an absolute link of this deployment. */
const pathOf = (url: string): string => new URL(url).pathname

/** Signs as the program does. */
const tokens = AcknowledgeTokens.Default.pipe(Layer.provide(programKeys))

layer(Layer.provideMerge(tokens, TestProgram), { excludeTestServices: true, timeout: "60 seconds" })("on-call", (it) => {
  describe("a schedule", () => {
    it.effect("shows who is on call, its shifts, and an override that wins", () =>
      Effect.gen(function*() {
        const { client, workspaceId } = yield* newPage
        const [alex, sam] = [yield* newMember(workspaceId, "Alex"), yield* newMember(workspaceId, "Sam")]
        const created = yield* client.post("/oncall/schedules", rotation([alex.id, sam.id]))
        expect(created.status).toBe(201)
        const { id } = created.body
        expect(created.body).toMatchObject({
          ...rotation([alex.id, sam.id]),
          current: { user: { name: "Alex" }, overrideId: null }
        })
        const record = (yield* client.get(`/oncall/schedules/${id}?days=42`)).body
        expect(record.shifts.length).toBeGreaterThanOrEqual(6)
        expect(record.shifts.slice(0, 3).map(({ user }: Json) => user.name)).toEqual(["Alex", "Sam", "Alex"])
        const now = yield* DateTime.now
        const override = yield* client.post(`/oncall/schedules/${id}/overrides`, {
          userId: sam.id,
          start: DateTime.formatIso(DateTime.subtract(now, { hours: 1 })),
          end: DateTime.formatIso(DateTime.add(now, { hours: 1 })),
          note: "Swap"
        })
        expect(override.status).toBe(201)
        const current = (yield* client.get(`/oncall/current?scheduleId=${id}`)).body
        expect(current.data).toMatchObject([{ scheduleId: id, user: { id: sam.id }, until: override.body.end, override: true }])
        expect((yield* client.delete(`/oncall/schedules/${id}/overrides/${override.body.id}`)).status).toBe(200)
        expect((yield* client.get("/oncall/current")).body.data).toMatchObject([{ user: { id: alex.id }, override: false }])
        expect((yield* client.get("/oncall/members")).body.data).toMatchObject([
          { id: alex.id, contact: { phone: false, slack: false } },
          { id: sam.id }
        ])
        expect((yield* client.patch(`/oncall/schedules/${id}`, { participants: [sam.id] })).body.current.user.id).toBe(sam.id)
        expect((yield* client.delete(`/oncall/schedules/${id}`)).body).toEqual({ id, deleted: true })
      }))

    it.effect("has a calendar feed whose address is the credential and can be replaced", () =>
      Effect.gen(function*() {
        const { client, workspaceId } = yield* newPage
        const alex = yield* newMember(workspaceId, "Alex")
        const { feedUrl, id } = (yield* client.post("/oncall/schedules", rotation([alex.id]))).body
        const feed = yield* call(pathOf(feedUrl))
        const text = yield* Effect.promise(() => feed.text())
        expect([feed.status, feed.headers.get("content-type")]).toEqual([200, "text/calendar; charset=utf-8"])
        expect(text).toContain("SUMMARY:Alex on call: Platform")
        expect(text.match(/BEGIN:VEVENT/g)?.length).toBeGreaterThanOrEqual(8)
        const other = (yield* client.post("/oncall/schedules", rotation([alex.id]))).body
        expect((yield* call(pathOf(feedUrl).replace(id, other.id))).status).toBe(404)
        const replaced = (yield* client.patch(`/oncall/schedules/${id}`, { rotateFeed: true })).body
        expect((yield* call(pathOf(feedUrl))).status).toBe(404)
        expect((yield* call(pathOf(replaced.feedUrl))).status).toBe(200)
      }))

    it.effect("refuses people who are no members, offsets as time zones, and windows that have passed", () =>
      Effect.gen(function*() {
        const { client, workspaceId } = yield* newPage
        const stranger = yield* newMember((yield* newPage).workspaceId, "Stranger")
        const alex = yield* newMember(workspaceId, "Alex")
        const unknown = yield* client.post("/oncall/schedules", rotation([alex.id, stranger.id]))
        expect(unknown).toMatchObject({ status: 422, body: { error: { message: expect.stringContaining("participants.1") } } })
        const offset = yield* client.post("/oncall/schedules", {
          ...rotation([alex.id]),
          timezone: "+02:00",
          handoffTime: "25:00"
        })
        expect(offset.body.error.details.map(({ path }: Json) => path)).toEqual(["timezone", "handoffTime"])
        const { id } = (yield* client.post("/oncall/schedules", rotation([alex.id]))).body
        const passed = yield* client.post(`/oncall/schedules/${id}/overrides`, {
          userId: alex.id,
          start: "2020-01-01T00:00:00Z",
          end: "2020-01-02T00:00:00Z"
        })
        expect(passed).toMatchObject({ status: 422, body: { error: { message: expect.stringContaining("end") } } })
      }))
  })

  describe("an escalation policy", () => {
    it.effect("is the default if it is the first, and hands that over", () =>
      Effect.gen(function*() {
        const { client, page, workspaceId } = yield* newPage
        const alex = yield* newMember(workspaceId, "Alex")
        const levels = [{ afterMinutes: 0, targets: [{ type: "user", id: alex.id }] }]
        const first = (yield* client.post("/escalation-policies", { name: "First", levels, pageIds: [page.slug] })).body
        expect(first).toMatchObject({ isDefault: true, pageIds: [page.id], repeat: 0, repeatAfterMinutes: 30 })
        const second = (yield* client.post("/escalation-policies", { name: "Second", levels })).body
        expect(second.isDefault).toBe(false)
        expect((yield* client.patch(`/escalation-policies/${second.id}`, { isDefault: true })).body.isDefault).toBe(true)
        const { data } = (yield* client.get("/escalation-policies")).body
        expect(data.map(({ isDefault }: Json) => isDefault)).toEqual([false, true])
        const wrong = yield* client.post("/escalation-policies", {
          name: "Wrong",
          levels: [{ afterMinutes: 0, targets: [{ type: "channel", id: alex.id }] }]
        })
        expect(wrong.status).toBe(422)
        expect((yield* client.delete(`/escalation-policies/${first.id}`)).status).toBe(200)
      }))

    it.effect("forgets a monitor or a page that is deleted", () =>
      Effect.gen(function*() {
        const { client, page, workspaceId } = yield* newPage
        const pageIds = [page.id, (yield* client.post("/pages", { name: "Other" })).body.id]
        const alex = yield* newMember(workspaceId, "Alex")
        const made = (name: string) => client.post("/monitors", { name, url: `https://${name}.example.com/` })
        const [shop, api] = [(yield* made("shop")).body, (yield* made("api")).body]
        const levels = [{ afterMinutes: 0, targets: [{ type: "user", id: alex.id }] }]
        const monitorIds = [shop.id, api.id]
        const { id } = (yield* client.post("/escalation-policies", { name: "Nights", levels, monitorIds, pageIds })).body
        expect((yield* client.delete(`/monitors/${shop.id}`)).status).toBe(200)
        expect((yield* client.delete(`/pages/${page.id}`)).status).toBe(200)
        expect((yield* client.patch(`/escalation-policies/${id}`, { repeat: 1 })).body).toMatchObject({
          monitorIds: [api.id],
          pageIds: pageIds.slice(1),
          repeat: 1
        })
      }))

    it.effect("needs the business plan, as schedules do", () =>
      Effect.gen(function*() {
        const { client, workspaceId } = yield* newPage
        const sql = yield* SqlClient.SqlClient
        const alex = yield* newMember(workspaceId, "Alex")
        yield* sql`update workspaces set plan = 'starter' where id = ${workspaceId}`
        const levels = [{ afterMinutes: 0, targets: [{ type: "user", id: alex.id }] }]
        const refused = yield* client.post("/escalation-policies", { name: "Platform", levels })
        expect(refused).toMatchObject({
          status: 402,
          body: { error: { code: "plan_limit", details: { upgrade: { plan: "business", name: "Business" } } } }
        })
        expect((yield* client.post("/oncall/schedules", rotation([alex.id]))).status).toBe(402)
      }))
  })

  describe("an acknowledge link", () => {
    it.effect("acknowledges by its button in the name of its reader, and never by opening it", () =>
      Effect.gen(function*() {
        const { client, workspaceId } = yield* newPage
        const tokens = yield* AcknowledgeTokens
        const alex = yield* newMember(workspaceId, "Alex")
        const incident = (yield* client.post("/incidents", { title: "Slow checkout", message: "We look." })).body
        const token = tokens.make({ incidentId: incident.id, recipient: alex.id }, yield* DateTime.now)
        const acknowledgement = Effect.map(client.get(`/incidents/${incident.id}`), ({ body }) => body.acknowledgement)
        for (const method of ["GET", "HEAD"]) expect((yield* call(`/ack/${token}`, { method })).status).toBe(200)
        expect(yield* acknowledgement).toBeNull()
        const foreign = yield* call(`/ack/${token}`, { method: "POST", headers: { origin: "https://evil.test" } })
        expect(foreign.status).toBe(403)
        const clicked = yield* call(`/ack/${token}`, {
          method: "POST",
          headers: { origin: "https://belltower.test" },
          redirect: "manual"
        })
        expect([clicked.status, clicked.headers.get("location")]).toEqual([303, `/ack/${token}`])
        expect(yield* acknowledgement).toMatchObject({ by: alex.email, via: "link" })
        const shown = yield* call(`/ack/${token}`)
        const page = yield* Effect.promise(() => shown.text())
        expect(page).toContain("Acknowledged by")
      }))

    it.effect("that was changed, has expired, or belongs to someone who has left does nothing", () =>
      Effect.gen(function*() {
        const { client, workspaceId } = yield* newPage
        const sql = yield* SqlClient.SqlClient
        const tokens = yield* AcknowledgeTokens
        const alex = yield* newMember(workspaceId, "Alex")
        const incident = (yield* client.post("/incidents", { title: "Slow checkout", message: "We look." })).body
        const claim = { incidentId: incident.id, recipient: alex.id }
        const now = yield* DateTime.now
        const good = tokens.make(claim, now)
        const other = (yield* client.post("/incidents", { title: "Other", message: "We look." })).body
        const status = (token: string) =>
          Effect.map(
            call(`/ack/${token}`, { method: "POST", headers: { origin: "https://belltower.test" } }),
            (one) => one.status
          )
        expect(yield* status(good.replace(incident.id.slice(4), other.id.slice(4)))).toBe(404)
        expect(yield* status(tokens.make(claim, DateTime.subtract(now, { days: 4 })))).toBe(404)
        yield* sql`delete from memberships where workspace_id = ${workspaceId} and user_id = ${alex.id}`
        expect(yield* status(good)).toBe(404)
        expect((yield* client.get(`/incidents/${incident.id}`)).body.acknowledgement).toBeNull()
      }))
  })

  describe("a deploy marker", () => {
    it.effect("is listed by monitor, page, environment, time and incident, and in the incident's record", () =>
      Effect.gen(function*() {
        const { client, events, page } = yield* newPage
        const monitor =
          (yield* client.post("/monitors", { name: "Shop", url: "https://shop.test/", tags: ["checkout"], paused: true })).body
        const other = (yield* client.post("/monitors", { name: "Blog", url: "https://blog.test/", paused: true })).body
        const deploy = (input: object) => Effect.map(client.post("/deploys", input), ({ body }) => body.version as string)
        const wide = yield* deploy({ version: "wide", environment: "production" })
        const service = yield* deploy({ version: "service", service: "checkout" })
        const blog = yield* deploy({ version: "blog", monitorIds: [other.id] })
        const paged = yield* deploy({ version: "paged", pageId: page.slug })
        const old = yield* deploy({ version: "old", at: "2026-01-01T00:00:00+02:00" })
        const listed = (query: string) =>
          Effect.map(client.get(`/deploys?${query}`), ({ body }) => body.data.map(({ version }: Json) => version))
        expect(yield* listed("")).toEqual([paged, blog, service, wide, old])
        expect(yield* listed(`monitorId=${monitor.id}`)).toEqual([service, wide, old])
        expect(yield* listed(`monitorId=${other.id}&limit=1`)).toEqual([blog])
        expect(yield* listed(`pageId=${page.slug}`)).toEqual([paged, wide, old])
        expect(yield* listed("environment=production")).toEqual([wide])
        expect(yield* listed("environment=")).toEqual([paged, blog, service, wide, old])
        expect(yield* listed("until=2026-02-01T00:00:00Z")).toEqual([old])
        const incident = (yield* client.post("/incidents", { title: "Slow", message: "We look." })).body
        expect(yield* listed(`incidentId=${incident.id}&since=2026-02-01T00:00:00Z`)).toEqual([paged, blog, service, wide])
        const record = (yield* client.get(`/incidents/${incident.id}`)).body
        expect(record.deploys.map(({ version }: Json) => version)).toEqual([paged, blog, service, wide])
        expect((yield* events("deploy.created")).map(({ data }) => data.deploy.version)).toEqual([
          wide,
          service,
          blog,
          paged,
          old
        ])
        // A single monitor or page stands in its own field, too.
        const scopes = (all: ReadonlyArray<Json>) =>
          all.map(({ monitorId, monitorIds, pageId, pageIds }) => [monitorIds, monitorId, pageIds, pageId])
        const both = yield* client.post("/deploys", { monitorIds: [monitor.id], monitorId: other.id, at: "2025-01-01T00:00:00Z" })
        const two = [[monitor.id, other.id], null, [], null]
        expect(scopes([both.body])).toEqual([two])
        const none = [[], null, [], null]
        const [ofPage, ofBlog] = [[[], null, [page.id], page.id], [[other.id], other.id, [], null]]
        expect(scopes((yield* client.get("/deploys")).body.data)).toEqual([ofPage, ofBlog, none, none, none, two])
        expect(scopes(record.deploys)).toEqual([ofPage, ofBlog, none, none])
        expect(scopes((yield* events("deploy.created")).map(({ data }) => data.deploy))).toContainEqual(ofPage)
        expect((yield* client.delete(`/deploys/${both.body.id}`)).status).toBe(200)
        expect((yield* client.post("/deploys", { monitorId: "mon_nope" })).status).toBe(422)
        for (const query of ["monitorId=mon_nope", "pageId=nope", `monitorId=mon_nope&pageId=${page.id}`]) {
          expect([query, (yield* client.get(`/deploys?${query}`)).body]).toEqual([query, { data: [], next: null }])
        }
        const { body: first } = yield* client.get("/deploys?limit=4")
        expect([first.data.length, first.next]).toEqual([4, first.data[3].id])
        expect(yield* listed(`limit=4&before=${first.next}`)).toEqual([old])
        expect((yield* client.get(`/deploys?limit=1&before=${first.next}`)).body.next).toBeNull()
        const [{ id }] = (yield* client.get("/deploys?limit=1")).body.data
        expect((yield* client.delete(`/deploys/${id}`)).status).toBe(200)
        expect(yield* listed("limit=1")).toEqual([blog])
      }))

    it.effect("is on one page of the list, although many are of one time", () =>
      Effect.gen(function*() {
        const { client } = yield* newPage
        const at = "2026-01-01T00:00:00.000Z"
        for (const version of ["1", "2", "3", "4", "5"]) yield* client.post("/deploys", { version, at })
        const read = (before: string | null): Effect.Effect<ReadonlyArray<string>, unknown, never> =>
          Effect.flatMap(client.get(`/deploys?limit=2${before === null ? "" : `&before=${before}`}`), ({ body }) => {
            const found = body.data.map(({ version }: Json) => version)
            return body.next === null ? Effect.succeed(found) : Effect.map(read(body.next), (more) => [...found, ...more])
          })
        expect(yield* read(null)).toEqual(["5", "4", "3", "2", "1"])
        // As in the other lists, a page after what was deleted meanwhile is the first one.
        const { body: { next } } = yield* client.get("/deploys?limit=2")
        yield* client.delete(`/deploys/${next}`)
        expect(yield* read(next)).toEqual(["5", "3", "2", "1"])
      }))

    it.effect("of a page concerns the monitors that the page shows, and no other", () =>
      Effect.gen(function*() {
        const { client, page } = yield* newPage
        const monitor = (name: string, more: object = {}) =>
          Effect.map(client.post("/monitors", { name, url: "https://shop.test/", paused: true, ...more }), ({ body }) => body.id)
        const [shown, list, other] = [
          yield* monitor("Shop"),
          yield* monitor("List", { kind: "manifest" }),
          yield* monitor("Blog")
        ]
        yield* client.post(`/pages/${page.slug}/components`, { name: "Shop", monitorIds: [shown] })
        yield* client.post(`/pages/${page.slug}/components`, { name: "Search", manifest: { monitorId: list, key: "search" } })
        yield* client.post("/deploys", { version: "paged", pageId: page.slug })
        yield* client.post("/deploys", { version: "of the list", monitorIds: [list] })
        const listed = (query: string) =>
          Effect.map(client.get(`/deploys?${query}`), ({ body }) => body.data.map(({ version }: Json) => version))
        expect(yield* listed(`monitorId=${shown}`)).toEqual(["paged"])
        expect(yield* listed(`monitorId=${list}`)).toEqual(["of the list", "paged"])
        expect(yield* listed(`monitorId=${other}`)).toEqual([])
        expect(yield* listed(`pageId=${page.slug}`)).toEqual(["of the list", "paged"])
      }))
  })

  describe("the digest", () => {
    it.effect("has a preview as JSON and as the mail, and settings of the workspace", () =>
      Effect.gen(function*() {
        const { client } = yield* newPage
        yield* client.post("/monitors", { name: "<Shop>", url: "https://shop.test/", paused: true })
        yield* client.post("/incidents", { title: "Slow <checkout>", message: "We look." })
        const preview = (yield* client.post("/digest/preview", { period: "last_7_days", format: "html" })).body
        expect(preview).toMatchObject({
          monitors: { total: 1, uptimePercent: null },
          incidents: { total: 1, open: 1, longest: [{ title: "Slow <checkout>" }] },
          focus: expect.arrayContaining(["1 incident is still open."]),
          ai: null
        })
        expect(preview.html).toContain("Slow &lt;checkout&gt;")
        expect((yield* client.post("/digest/preview", {})).body.html).toBeUndefined()
        // Without a provider, rules write it.
        expect((yield* client.post("/digest/preview", { ai: true })).body).toMatchObject({ ai: null, monitors: { total: 1 } })
        const settings = (yield* client.get("/digest/settings")).body
        expect(settings).toMatchObject({ timezone: "UTC", subscribed: null, recipients: [], lastRuns: [] })
        const moved = (yield* client.patch("/digest/settings", { timezone: "Asia/Tokyo" })).body
        expect(moved.timezone).toBe("Asia/Tokyo")
        expect(moved.nextSendAt).toMatch(/T23:00:00.000Z$/)
        expect((yield* client.patch("/digest/settings", { subscribed: true })).status).toBe(403)
      }))
  })
})
