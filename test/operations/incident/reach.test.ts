/** Updates that list components of pages which the incident was not on. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { clientOf } from "../../flows/support/Client.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { callJson } from "../../support/program/TestServer.ts"
import { until } from "../../support/time/Until.ts"
import { type Json, newPage } from "./Fixtures.ts"

const bodies = ({ updates }: Json): ReadonlyArray<string> => updates.map(({ body }: Json) => body)
const degraded = ({ id }: Json) => [{ componentId: id, status: "degraded" }]

/** The workspace of `newPage` with a second page, which shows a component named `Mail`. */
const twoPages = Effect.gen(function*() {
  const one = yield* newPage
  const other = (yield* one.client.post("/pages", { name: `Other ${one.workspaceId.slice(-8)}` })).body
  const mail = (yield* one.client.post(`/pages/${other.id}/components`, { name: "Mail" })).body
  const { host, port } = yield* ServerAddress
  const visitor = clientOf(`http://${host}:${port}`)
  const onOther = (fits: (page: Json) => boolean) =>
    Effect.map(until(visitor.get(`/public/pages/${other.slug}`), ({ body }) => fits(body)), ({ body }): Json => body)
  /** A change that comes after all before it has reached the second page. */
  const settled = Effect.gen(function*() {
    const { body } = yield* one.client.post(`/pages/${other.id}/components`, { name: "Last" })
    return yield* onOther(({ components }) => components.some(({ id }: Json) => id === body.id))
  })
  return { ...one, other, mail, onOther, settled }
})

const tooMany = "An incident is on at most 20 pages, and with these components it would be on 21"

/** A component on each of 21 further pages. */
const manyComponents = ({ client, workspaceId }: Pick<Effect.Effect.Success<typeof newPage>, "client" | "workspaceId">) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`update workspaces set claimed_at = now() where id = ${workspaceId}`
    return yield* Effect.forEach(
      Array.from({ length: 21 }, (_, index) => `Shop ${index} ${workspaceId.slice(-8)}`),
      (name) =>
        Effect.gen(function*() {
          const page = (yield* client.post("/pages", { name })).body
          return (yield* client.post(`/pages/${page.id}/components`, { name: "Mail" })).body as Json
        })
    )
  })

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("an incident", (it) => {
  it.effect("is on at most 20 pages with those of its components, and so are maintenance and what a template makes", () =>
    Effect.gen(function*() {
      const one = yield* newPage
      const { client } = one
      const components = yield* manyComponents(one)
      const affected = components.flatMap(degraded)
      const componentIds = components.map(({ id }) => id)
      const window = { scheduledStart: "2030-01-01T00:00:00Z", scheduledEnd: "2030-01-01T01:00:00Z" }
      const texts = { title: "Mail", message: "Mails are late." }
      const template = { name: "Mail", title: "Mail", body: "Mails are late." }
      const fitting = componentIds.slice(1)
      const { body: made } = yield* client.post("/incident-templates", { ...template, componentIds: fitting })
      const refusal = (path: string) => ({
        status: 422,
        body: {
          error: {
            code: "validation_failed",
            // A message that names its field already is not prefixed by it.
            message: path === "components" ? tooMany : `${path}: ${tooMany}`
          }
        }
      })
      for (const given of [{ components: affected }, { components: affected.slice(1), pageIds: [one.page.id] }]) {
        expect(yield* client.post("/incidents", { ...texts, ...given })).toMatchObject(refusal("components"))
      }
      for (
        const [path, input] of [
          ["/maintenance", { ...texts, ...window, componentIds }],
          ["/incident-templates", { ...template, componentIds }],
          [`/incident-templates/${made.id}/render`, { componentIds }]
        ] as const
      ) {
        expect(yield* client.post(path, input)).toMatchObject(refusal("componentIds"))
      }
      expect(yield* client.patch(`/incident-templates/${made.id}`, { componentIds })).toMatchObject(refusal("componentIds"))
      expect((yield* client.get("/incidents")).body.data).toEqual([])
      const opened = yield* client.post("/incidents", { ...texts, components: affected.slice(1) })
      expect([opened.status, opened.body.pageIds.length]).toEqual([201, 20])
      const window20 = yield* client.post("/maintenance", { ...texts, ...window, componentIds: fitting })
      expect([window20.status, window20.body.pageIds.length]).toEqual([201, 20])
      const shown = yield* client.get(`/incidents/${window20.body.id}`)
      const [listed] = (yield* client.get("/incidents?kind=maintenance")).body.data
      for (const { componentIds: ids } of [window20.body, shown.body, listed]) expect(new Set(ids)).toEqual(new Set(fitting))
      expect(opened.body).not.toHaveProperty("componentIds")
    }))
})

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })(
  "an update that lists components of a further page",
  (it) => {
    it.effect("brings a public incident onto it: they switch, and its visitors read all that is public", () =>
      Effect.gen(function*() {
        const { checkout, client, events, mail, onOther, other, page, statusOf } = yield* twoPages
        const { body: { id } } = yield* client.post("/incidents", {
          title: "Slow",
          message: "We look into it.",
          components: degraded(checkout)
        })
        yield* client.post(`/incidents/${id}/updates`, { message: "Pod 7 is hot.", public: false })
        const update = { message: "Mail is slow too.", components: degraded(mail) }
        const preview = yield* client.post(`/incidents/${id}/updates/preview`, update)
        expect(preview.body.pages.map(({ pageId, text }: Json) => [pageId, text])).toEqual([
          [page.id, "Mail is slow too.\n\nAffects Checkout"],
          [other.id, "Mail is slow too.\n\nAffects Mail"]
        ])
        const posted = yield* client.post(`/incidents/${id}/updates`, update)
        expect(posted.body).toMatchObject({ public: true, pageIds: [page.id, other.id] })
        const shown = yield* onOther((body) => statusOf(body, "Mail") === "degraded")
        expect(shown.incidents).toMatchObject([{ id, title: "Slow", components: degraded(mail) }])
        expect(bodies(shown.incidents[0])).toEqual(["We look into it.", "Mail is slow too."])
        // From it follows which subscribers hear of the update.
        expect((yield* events("incident.updated")).at(-1).data.incident.pageIds).toEqual([page.id, other.id])
      }))

    it.effect("publishes an incident without pages, but nothing that was said before", () =>
      Effect.gen(function*() {
        const { client, mail, onOther, other, statusOf } = yield* twoPages
        const { body: { id } } = yield* client.post("/incidents", { title: "Late mails", message: "Rack 4 is hot." })
        const posted = yield* client.post(`/incidents/${id}/updates`, { message: "Mails are late.", components: degraded(mail) })
        expect(posted.body).toMatchObject({ public: true, pageIds: [other.id] })
        expect(posted.body.updates.map((one: Json) => [one.body, one.public])).toEqual([
          ["Rack 4 is hot.", false],
          ["Mails are late.", true]
        ])
        const shown = yield* onOther((body) => statusOf(body, "Mail") === "degraded")
        expect(shown.incidents).toMatchObject([{ id, title: "Late mails" }])
        expect(bodies(shown.incidents[0])).toEqual(["Mails are late."])
        yield* client.post(`/incidents/${id}/resolve`, {})
        yield* onOther((body) => statusOf(body, "Mail") === "operational")
      }))

    it.effect("publishes nothing as an internal note, nor an incident that was opened as internal unless it says so", () =>
      Effect.gen(function*() {
        const { checkout, client, mail, other, page, settled, statusOf } = yield* twoPages
        const { body: first } = yield* client.post("/incidents", { title: "A", message: "A.", pageIds: [page.id] })
        const { body: second } = yield* client.post("/incidents", {
          title: "B",
          message: "B.",
          pageIds: [page.id],
          public: false
        })
        const list = (id: string, more: object) =>
          Effect.map(
            client.post(`/incidents/${id}/updates`, { message: "More.", components: degraded(mail), ...more }),
            ({ body }): Json => [body.public, body.pageIds]
          )
        expect(yield* list(first.id, { public: false })).toEqual([true, [page.id]])
        expect(yield* list(second.id, {})).toEqual([false, [page.id]])
        const before = yield* settled
        expect([before.incidents, statusOf(before, "Mail")]).toEqual([[], "operational"])
        expect(yield* list(second.id, { public: true, components: degraded(checkout) })).toEqual([true, [page.id]])
        expect((yield* settled).incidents).toEqual([])
        expect(yield* list(second.id, {})).toEqual([true, [page.id, other.id]])
      }))

    it.effect("shows visitors the outage of a monitor that no page shows, until it recovers", () =>
      Effect.gen(function*() {
        const { checkout, client, shown, statusOf } = yield* newPage
        const { body: monitor } = yield* client.post("/monitors", { name: "int-queue-7", periodSec: 60 })
        const ping = (url: string) => callJson(new URL(url).pathname, { method: "POST" })
        yield* ping(monitor.failUrl)
        const { body: { incident } } = yield* Effect.map(
          until(client.get("/incidents?open=true"), ({ body }) => body.data.length === 1),
          ({ body }) => ({ body: { incident: body.data[0] as Json } })
        )
        expect(incident).toMatchObject({ automatic: true, public: false, pageIds: [] })
        yield* client.post(`/incidents/${incident.id}/updates`, { message: "Orders are late.", components: degraded(checkout) })
        const seen = yield* shown((body) => statusOf(body, "Checkout") === "degraded")
        expect(seen.incidents).toMatchObject([{ id: incident.id, title: "Checkout: Degraded" }])
        expect(bodies(seen.incidents[0])).toEqual(["Orders are late."])
        expect(JSON.stringify(seen)).not.toContain("int-queue-7")
        const posted = yield* client.post(`/incidents/${incident.id}/updates`, {
          message: "Orders come through again.",
          status: "monitoring",
          components: [{ componentId: checkout.id, status: "operational" }]
        })
        expect(posted.body.components).toEqual([{ componentId: checkout.id, status: "operational" }])
        const better = yield* shown((body) => statusOf(body, "Checkout") === "operational")
        expect(better.incidents).toMatchObject([{ title: "Checkout: Degraded", components: posted.body.components }])
        yield* ping(monitor.pingUrl)
        yield* shown(({ incidents }) => incidents.length === 0)
      }))

    it.effect("does not make the automatic incident of its page that of the other page", () =>
      Effect.gen(function*() {
        const { client, component, mail, other, page } = yield* twoPages
        const settings = { autoIncidents: true, incidentMinStatus: "degraded" }
        for (const { id } of [page, other]) yield* client.patch(`/pages/${id}`, { settings })
        const push = { push: true, key: "disk", confirmations: 1 }
        yield* component("Disk", push)
        yield* client.post(`/pages/${other.id}/components`, { name: "Tape", ...push })
        const fail = ({ id }: Json) => client.post(`/pages/${id}/status`, { statuses: { disk: "down" } })
        const open = (count: number) =>
          Effect.map(
            until(client.get("/incidents?open=true"), ({ body }) => body.data.length === count),
            ({ body }): ReadonlyArray<Json> => body.data
          )
        yield* fail(page)
        const [{ id }] = (yield* open(1)) as readonly [Json]
        yield* client.post(`/incidents/${id}/updates`, { message: "Mail, too.", components: degraded(mail) })
        yield* fail(other)
        const found = yield* open(2)
        expect(found.map(({ pageIds, title }) => [title, pageIds]).sort()).toEqual([
          ["Disk is down", [page.id, other.id]],
          ["Tape is down", [other.id]]
        ])
      }))

    it.effect("is refused beyond 20 pages", () =>
      Effect.gen(function*() {
        const { client, mail, other, page } = yield* twoPages
        const sql = yield* SqlClient.SqlClient
        const { body: { id } } = yield* client.post("/incidents", { title: "A", message: "A.", pageIds: [page.id] })
        const isOn = (pages: number) =>
          sql`update incidents set page_ids = array_fill(${page.id}::text, array[1]) || (
          select array_agg('pg_' || number) from generate_series(2, ${pages}::int) number) where id = ${id}`
        const post = client.post(`/incidents/${id}/updates`, { message: "More.", components: degraded(mail) })
        yield* isOn(20)
        expect((yield* post).body.error).toMatchObject({
          code: "validation_failed",
          message: tooMany
        })
        const preview = yield* client.post(`/incidents/${id}/updates/preview`, { message: "More.", components: degraded(mail) })
        expect([preview.status, preview.body.error?.message]).toEqual([
          422,
          tooMany
        ])
        yield* isOn(19)
        expect((yield* post).body.pageIds.at(-1)).toBe(other.id)
      }))
  }
)
