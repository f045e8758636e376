/** Incidents that people write: from the first update to the resolution, on the page and in the event log. */
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { makeId } from "../../../src/domain/tools/Id.ts"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { clientOf } from "../../flows/support/Client.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { newKey } from "../../support/program/TestServer.ts"
import { until } from "../../support/time/Until.ts"
import { type Json, newPage } from "./Fixtures.ts"

const bodies = ({ updates }: Json): ReadonlyArray<string> => updates.map(({ body }: Json) => body)
const lifeOf = "incident.created,incident.updated,incident.resolved"

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("an incident", (it) => {
  describe("that a person opens", () => {
    it.effect("switches its components, shows its updates and not its notes, and gives the components back at the end", () =>
      Effect.gen(function*() {
        const { checkout, client, events, page, search, shown, statusOf } = yield* newPage
        const opened = yield* client.post("/incidents", {
          title: "Slow checkout",
          message: "We are looking into slow checkouts.",
          components: [{ componentId: checkout.id, status: "degraded" }]
        })
        expect(opened.status).toBe(201)
        expect(opened.body).toMatchObject({
          kind: "incident",
          status: "investigating",
          impact: "minor",
          public: true,
          automatic: false,
          pageIds: [page.id],
          components: [{ componentId: checkout.id, status: "degraded" }],
          acknowledgement: null,
          aiSummary: null,
          aiReports: []
        })
        const path = `/incidents/${opened.body.id}`
        const first = yield* shown((body) => statusOf(body, "Checkout") === "degraded")
        expect(first).toMatchObject({ status: "degraded", incidents: [{ title: "Slow checkout" }] })
        expect(first.incidents[0].updates[0]).toEqual({
          id: expect.stringMatching(/^upd_/),
          status: "investigating",
          body: "We are looking into slow checkouts.",
          at: expect.any(String),
          ai: false
        })

        const note = yield* client.post(`${path}/updates`, { message: "The secret is in pod 7.", public: false })
        expect(note.status).toBe(200)
        yield* client.post(`${path}/updates`, {
          message: "Found it.",
          status: "identified",
          components: [{ componentId: search.id, status: "major_outage" }]
        })
        const worse = yield* shown((body) => statusOf(body, "Search") === "major_outage")
        expect(JSON.stringify(worse)).not.toContain("pod 7")
        expect(bodies(worse.incidents[0])).toEqual(["We are looking into slow checkouts.", "Found it."])

        const resolved = yield* client.post(`${path}/resolve`, {})
        expect(resolved.body).toMatchObject({ status: "resolved", resolvedAt: expect.any(String) })
        expect(bodies(resolved.body).at(-1)).toMatch(/^Checkout, Search recovered after \d+ seconds?\.$/)
        const well = yield* shown((body) => body.status === "operational")
        expect(well.incidents).toEqual([])

        const recorded = yield* events(lifeOf)
        expect(recorded.map(({ data, type }) => [type, data.update.status])).toEqual([
          ["incident.created", "investigating"],
          ["incident.updated", "identified"],
          ["incident.resolved", "resolved"]
        ])
        expect(recorded.at(-1).data).toMatchObject({ durationMinutes: 0, durationText: expect.stringMatching(/second/) })
        // The team's event carries the internal note.
        expect(bodies(recorded.at(-1).data.incident)).toContain("The secret is in pod 7.")
        const changes = yield* until(events("component.status_changed"), ({ length }) => length >= 4)
        expect(changes.map(({ data }) => [data.component.name, data.from, data.to]).sort()).toEqual([
          ["Checkout", "degraded", "operational"],
          ["Checkout", "operational", "degraded"],
          ["Search", "major_outage", "operational"],
          ["Search", "operational", "major_outage"]
        ])
      }))

    it.effect("says which call lists the ids of pages, components and monitors, if one is wrong", () =>
      Effect.gen(function*() {
        const { client, page } = yield* newPage
        const hintOf = (path: string, body: object) =>
          Effect.map(client.post(path, body), (answer) => [answer.status, answer.body.error.hint])
        const text = { title: "Outage", message: "Down." }
        const { body: channel } = yield* client.post("/channels", { name: "X", type: "webhook", url: "https://example.com/" })
        const policyOf = (id: string) => ({
          name: "X",
          levels: [{ afterMinutes: 0, targets: [{ type: "channel", id }] }],
          monitorIds: ["mon_none"]
        })
        const monitors = [422, "List monitors with GET /api/v1/monitors"]
        const pages = [422, "Send the id or slug of a page. List pages with GET /api/v1/pages"]
        // A key, as pushes and subscriptions take it, is not an id.
        expect(yield* hintOf("/incidents", { ...text, components: [{ componentId: "checkout", status: "degraded" }] })).toEqual([
          422,
          "Send the id of a component, such as cmp_..., and not its key. List pages with their components with GET /api/v1/pages"
        ])
        expect(yield* hintOf("/incidents", { ...text, pageIds: ["none"] })).toEqual(pages)
        expect(yield* hintOf(`/pages/${page.id}/components`, { name: "X", monitorIds: ["mon_none"] })).toEqual(monitors)
        expect(yield* hintOf("/monitors", { name: "Job", periodSec: 60, dependsOn: ["mon_none"] })).toEqual(monitors)
        expect(yield* hintOf("/deploys", { version: "1", monitorIds: ["mon_none"] })).toEqual(monitors)
        expect(yield* hintOf("/escalation-policies", policyOf(channel.id))).toEqual(monitors)
        expect(yield* hintOf("/escalation-policies", policyOf("ch_none"))).toEqual([
          422,
          "List alert channels with GET /api/v1/channels"
        ])
        expect(
          yield* hintOf(`/public/pages/${page.slug}/subscribers`, {
            type: "webhook",
            url: "https://example.com/",
            components: ["none"]
          })
        ).toEqual([422, "Send ids or keys of components. GET /api/v1/public/pages/{slug} lists them"])
      }))

    it.effect("gives a component back when it lists it as operational", () =>
      Effect.gen(function*() {
        const { checkout, client, shown, statusOf } = yield* newPage
        const { body } = yield* client.post("/incidents", {
          title: "Outage",
          message: "Down.",
          components: [{ componentId: checkout.id, status: "major_outage" }]
        })
        yield* shown((one) => statusOf(one, "Checkout") === "major_outage")
        yield* client.post(`/incidents/${body.id}/updates`, {
          message: "Better.",
          status: "monitoring",
          components: [{ componentId: checkout.id, status: "operational" }]
        })
        const better = yield* shown((one) => statusOf(one, "Checkout") === "operational")
        expect(better.incidents[0]).toMatchObject({ status: "monitoring", components: [{ status: "operational" }] })
      }))

    it.effect("without pages is internal: it changes no page, and still has its events", () =>
      Effect.gen(function*() {
        const { client, events, shown } = yield* newPage
        const { body } = yield* client.post("/incidents", { title: "Rack 4", message: "Hot.", impact: "critical" })
        expect(body).toMatchObject({ public: false, pageIds: [], impact: "critical" })
        yield* client.post(`/incidents/${body.id}/updates`, { message: "Cooling." })
        expect((yield* shown(() => true)).incidents).toEqual([])
        expect((yield* events(lifeOf)).map(({ type }) => type)).toEqual(["incident.created", "incident.updated"])
      }))

    it.effect("names what it refuses: unknown pages and components, and polishing without AI", () =>
      Effect.gen(function*() {
        const { client, checkout } = yield* newPage
        const stranger = makeId("cmp", 1_700_000_000_000, Buffer.alloc(10, 7))
        const foreign = (yield* newPage).checkout.id
        const refused = yield* client.post("/incidents", {
          title: "Outage",
          message: "Down.",
          pageIds: ["nowhere"],
          components: [
            { componentId: checkout.id, status: "degraded" },
            { componentId: stranger, status: "degraded" },
            { componentId: foreign, status: "degraded" }
          ]
        })
        expect(refused.status).toBe(422)
        expect(refused.body.error.details.map(({ path }: Json) => path)).toEqual([
          "pageIds.0",
          "components.1.componentId",
          "components.2.componentId"
        ])
        const polished = yield* client.post("/incidents", { title: "Outage", message: "Down.", polish: true })
        expect([polished.status, polished.body.error.code]).toEqual([503, "unavailable"])
        expect((yield* client.get("/incidents")).body.data).toEqual([])
      }))
  })

  it.effect("is listed by kind, page and state, a page of the list at a time", () =>
    Effect.gen(function*() {
      const { client, page } = yield* newPage
      const made: Array<string> = []
      for (const title of ["One", "Two", "Three"]) {
        made.unshift(
          (yield* client.post("/incidents", { title, message: "x", ...(title === "Two" ? { pageIds: [page.id] } : {}) })).body.id
        )
      }
      yield* client.post(`/incidents/${made[0]}/resolve`, {})
      const ids = (query: string) =>
        Effect.map(client.get(`/incidents?${query}`), ({ body }) => [body.data.map(({ id }: Json) => id), body.next])
      expect(yield* ids("")).toEqual([made, null])
      expect(yield* ids("open=true")).toEqual([made.slice(1), null])
      expect(yield* ids(`pageId=${page.slug}`)).toEqual([[made[1]], null])
      expect(yield* ids("pageId=nowhere")).toEqual([[], null])
      expect(yield* ids("kind=maintenance")).toEqual([[], null])
      expect(yield* ids("limit=2")).toEqual([made.slice(0, 2), made[1]])
      expect(yield* ids(`limit=2&before=${made[1]}`)).toEqual([made.slice(2), null])
      expect((yield* client.get("/incidents?limit=201")).status).toBe(422)
      expect((yield* client.get("/incidents")).body.data[0]).not.toHaveProperty("updates")
    }))

  describe("that is acknowledged", () => {
    it.effect("keeps its first acknowledgement, which only the team sees, until it is taken back", () =>
      Effect.gen(function*() {
        const { client, events, page, shown } = yield* newPage
        const { body } = yield* client.post("/incidents", { title: "Outage", message: "Down.", pageIds: [page.id] })
        const path = `/incidents/${body.id}`
        const acked = yield* client.post(`${path}/ack`, { note: "On it" })
        expect(acked.body).toMatchObject({
          status: "investigating",
          acknowledgement: { by: "test", via: "api", note: "On it", at: expect.any(String) }
        })
        expect(acked.body.updates.at(-1)).toMatchObject({ public: false, body: "Acknowledged by test: On it" })
        const again = yield* client.post(`${path}/ack`, { note: "Me too" })
        expect([again.status, again.body.acknowledgement]).toEqual([200, acked.body.acknowledgement])
        expect(JSON.stringify(yield* shown(() => true))).not.toContain("On it")
        expect((yield* client.post(`${path}/unack`)).body.acknowledgement).toBeNull()
        expect((yield* client.post(`${path}/unack`)).status).toBe(200)
        const recorded = yield* events("incident.acknowledged,incident.unacknowledged")
        expect(recorded.map(({ type }) => type)).toEqual(["incident.acknowledged", "incident.unacknowledged"])
        expect(recorded[0].data).toMatchObject({ ack: { by: "test", note: "On it" }, incident: { id: body.id } })
        expect(recorded[1].data).toMatchObject({ by: "test" })
        yield* client.post(`${path}/resolve`, {})
        expect((yield* client.post(`${path}/ack`, {})).status).toBe(409)
      }))

    it.effect("twice at the same time has one acknowledgement", () =>
      Effect.gen(function*() {
        const { client, events } = yield* newPage
        const { body } = yield* client.post("/incidents", { title: "Outage", message: "Down." })
        const answers = yield* Effect.all(
          Array.from({ length: 5 }, (_, index) => client.post(`/incidents/${body.id}/ack`, { note: `${index}` })),
          { concurrency: "unbounded" }
        )
        expect(new Set(answers.map((one) => one.body.acknowledgement.note)).size).toBe(1)
        expect(yield* events("incident.acknowledged")).toHaveLength(1)
      }))

    it.effect("by a monitor's id needs an open incident of that monitor", () =>
      Effect.gen(function*() {
        const { client } = yield* newPage
        const monitor = yield* client.post("/monitors", { name: "Job", periodSec: 60 })
        const none = yield* client.post(`/monitors/${monitor.body.id}/check`, {})
        expect(none.status).not.toBe(500)
        const refused = yield* client.post(`/incidents/${monitor.body.id}/ack`, {})
        expect([refused.status, refused.body.error.message]).toEqual([404, expect.stringContaining("No incident for mon_")])
      }))
  })

  it.effect("is invisible to other workspaces, by its id and by its monitor's", () =>
    Effect.gen(function*() {
      const { client } = yield* newPage
      const { host, port } = yield* ServerAddress
      const other = clientOf(`http://${host}:${port}`, (yield* newKey()).secret)
      const { body } = yield* client.post("/incidents", { title: "Outage", message: "Down." })
      for (const path of ["/ack", "/unack", "/resolve", "/analyze", "/postmortem", "/postmortem/publish"]) {
        expect([path, (yield* other.post(`/incidents/${body.id}${path}`, {})).status]).toEqual([path, 404])
      }
      expect((yield* client.get(`/incidents/${body.id}`)).body.updates).toHaveLength(1)
    }))
})
