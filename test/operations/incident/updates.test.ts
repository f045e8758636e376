/** The statuses that updates of incidents and maintenance windows carry, and what becomes of them. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestProgram } from "../../support/program/Program.ts"
import { type Json, newPage } from "./Fixtures.ts"

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("an update", (it) => {
  it.effect("of an incident takes every status, ends it as completed, too, and does not reopen it", () =>
    Effect.gen(function*() {
      const { client, events, page, shown } = yield* newPage
      const { body } = yield* client.post("/incidents", { title: "Outage", message: "Down.", pageIds: [page.slug] })
      expect(body.pageIds).toEqual([page.id])
      const path = `/incidents/${body.id}`
      const post = (input: object) =>
        Effect.map(client.post(`${path}/updates`, { message: "x", ...input }), ({ body, status }) => [
          status,
          body.status,
          body.updates.at(-1).status,
          body.warnings
        ])
      expect(yield* post({ status: "identified" })).toEqual([200, "identified", "identified", undefined])
      const other = ["It stays identified: in_progress is not a status of incidents"]
      expect(yield* post({ status: "in_progress" })).toEqual([200, "identified", "identified", other])
      expect(yield* post({ status: "completed" })).toEqual([200, "resolved", "resolved", undefined])
      const { resolvedAt } = (yield* client.get(path)).body
      expect(resolvedAt).not.toBeNull()
      const late = [expect.stringContaining("It stays resolved: an update does not reopen what is over")]
      expect(yield* post({ message: "Late.", status: "monitoring" })).toEqual([200, "resolved", "resolved", late])
      expect(yield* post({ status: "resolved", public: false })).toEqual([200, "resolved", "resolved", undefined])
      expect((yield* client.post(`${path}/resolve`, {})).status).toBe(409)
      expect(yield* post({ message: "For the record." })).toEqual([200, "resolved", "resolved", undefined])
      expect((yield* client.get(path)).body).toMatchObject({ status: "resolved", resolvedAt })
      expect((yield* client.get("/incidents?open=true")).body.data).toEqual([])
      expect((yield* shown(() => true)).incidents).toEqual([])
      expect(
        (yield* events("incident.created,incident.updated,incident.resolved")).map(({ data, type }) => [type, data.update.status])
      ).toEqual([
        ["incident.created", "investigating"],
        ["incident.updated", "identified"],
        ["incident.updated", "identified"],
        ["incident.resolved", "resolved"],
        ["incident.updated", "resolved"],
        ["incident.updated", "resolved"]
      ])
      const preview = yield* client.post(`${path}/updates/preview`, { message: "x", status: "monitoring" })
      expect([preview.status, preview.body.pages[0].title]).toEqual([200, expect.stringContaining("Resolved")])
    }))

  it.effect("of a maintenance window takes every status, and completes it as resolved", () =>
    Effect.gen(function*() {
      const { client, events, page } = yield* newPage
      const hour = 3_600_000
      const at = (ms: number) => new Date(1_900_000_000_000 + ms).toISOString()
      const { body } = yield* client.post("/maintenance", {
        title: "Upgrade",
        message: "x",
        scheduledStart: at(0),
        scheduledEnd: at(hour),
        pageIds: [page.id]
      })
      const post = (status: string) =>
        Effect.map(client.post(`/incidents/${body.id}/updates`, { message: status, status }), (answer) => [
          answer.status,
          answer.body.status
        ])
      expect(yield* post("investigating")).toEqual([200, "scheduled"])
      expect(yield* post("in_progress")).toEqual([200, "in_progress"])
      expect(yield* post("scheduled")).toEqual([200, "in_progress"])
      expect(yield* post("monitoring")).toEqual([200, "in_progress"])
      expect(yield* post("resolved")).toEqual([200, "completed"])
      expect(yield* post("in_progress")).toEqual([200, "completed"])
      expect(
        (yield* events("maintenance.scheduled,maintenance.updated,maintenance.started,maintenance.completed")).map(({ type }) =>
          type
        )
      ).toEqual([
        "maintenance.scheduled",
        "maintenance.updated",
        "maintenance.started",
        "maintenance.updated",
        "maintenance.updated",
        "maintenance.completed",
        "maintenance.updated"
      ])
    }))

  it.effect("refuses a component with two statuses, as a new incident and a maintenance window do", () =>
    Effect.gen(function*() {
      const { checkout, client, page } = yield* newPage
      const listed = (...statuses: ReadonlyArray<string>) => statuses.map((status) => ({ componentId: checkout.id, status }))
      const text = { title: "Slow", message: "We look." }
      const window = { scheduledStart: "2030-01-01T00:00:00Z", scheduledEnd: "2030-01-01T01:00:00Z" }
      const { body: incident } = yield* client.post("/incidents", { ...text, components: listed("degraded", "degraded") })
      expect(incident.components).toEqual(listed("degraded"))
      for (
        const [path, input] of [
          ["/incidents", text],
          [`/incidents/${incident.id}/updates`, { message: "x" }],
          ["/maintenance", { ...text, ...window, pageIds: [page.id] }]
        ] as const
      ) {
        const { body, status } = yield* client.post(path, { ...input, components: listed("degraded", "major_outage") })
        expect([path, status, body.error.details]).toEqual([path, 422, [{
          path: "components.1.componentId",
          message: `The list names ${checkout.id} twice, as degraded and as major_outage`
        }]])
      }
    }))

  it.effect("takes the components that the incident shows, also when one was deleted", () =>
    Effect.gen(function*() {
      const { checkout, client, search } = yield* newPage
      const components = [checkout, search].map(({ id }) => ({ componentId: id, status: "degraded" }))
      const { body: incident } = yield* client.post("/incidents", { title: "Slow", message: "We look.", components })
      yield* client.delete(`/components/${checkout.id}`)
      const path = `/incidents/${incident.id}/updates`
      const worse = { message: "Down.", components: incident.components.map((one: Json) => ({ ...one, status: "major_outage" })) }
      expect((yield* client.post(`${path}/preview`, worse)).status).toBe(200)
      const { body, status } = yield* client.post(path, worse)
      expect([status, body.components]).toEqual([200, worse.components])
      const other = yield* client.post("/incidents", { title: "Slow", message: "We look.", components })
      expect([other.status, other.body.error.details[0].path]).toEqual([422, "components.0.componentId"])
    }))

  it.effect("replaces the title and the impact, and keeps the old ones in an internal note", () =>
    Effect.gen(function*() {
      const { client, events, page, shown } = yield* newPage
      const { body } = yield* client.post("/incidents", {
        title: "Slow checkout",
        message: "Slow.",
        impact: "minor",
        pageIds: [page.id]
      })
      const path = `/incidents/${body.id}/updates`
      const worse = { message: "It is down.", title: "Checkout is down", impact: "major" }
      const { body: preview } = yield* client.post(`${path}/preview`, worse)
      expect(preview.pages[0].title).toContain("Checkout is down")
      expect((yield* client.get(`/incidents/${body.id}`)).body.title).toBe("Slow checkout")
      const { body: after } = yield* client.post(path, worse)
      expect(after).toMatchObject({ title: "Checkout is down", impact: "major", status: "investigating" })
      expect(after.updates.map((one: Json) => [one.public, one.body])).toEqual([
        [true, "Slow."],
        [false, "Title changed from \"Slow checkout\" to \"Checkout is down\". Impact changed from minor to major."],
        [true, "It is down."]
      ])
      const seen = yield* shown(({ incidents }) => incidents[0]?.title === "Checkout is down")
      expect(seen).toMatchObject({ status: "partial_outage", incidents: [{ impact: "major" }] })
      expect(seen.incidents[0].updates).toHaveLength(2)
      const [, event] = yield* events("incident.created,incident.updated")
      expect(event.data.incident).toMatchObject({ title: "Checkout is down", impact: "major" })
      // Once more, nothing changes; an internal note can change it, too.
      expect((yield* client.post(path, worse)).body.updates).toHaveLength(4)
      const quiet = yield* client.post(path, { message: "Not that bad.", impact: "maintenance", public: false })
      expect(quiet.body).toMatchObject({ title: "Checkout is down", impact: "none" })
      expect((yield* events("incident.updated")).at(-1)?.data).toMatchObject({
        incident: { impact: "none" },
        update: { public: false, body: "Not that bad." }
      })
      const refused = yield* client.post(path, { message: "x", title: "x".repeat(201) })
      expect([refused.status, refused.body.error.details[0].path]).toEqual([422, "title"])
    }))
})
