import { HttpApi, HttpApiBuilder, HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { createServer, request } from "node:http"
import { Components, Pages } from "../../schema/api/Pages.ts"
import { PublicStatus } from "../../schema/api/PublicStatus.ts"
import { wire } from "../../schema/Errors.ts"
import type { ComponentId, PageId, WorkspaceId } from "../../schema/Ids.ts"
import { ComponentsLive } from "../../src/http/component/Components.ts"
import { operationAnswers } from "../../src/http/guard/OperationAnswers.ts"
import { PagesLive } from "../../src/http/page/Pages.ts"
import { PublicStatusLive } from "../../src/http/page/PublicStatus.ts"
import { makeApplication } from "../../src/http/server/Application.ts"
import { BaseUrl } from "../../src/links/BaseUrl.ts"
import { DraftPage } from "../../src/operations/page/DraftPage.ts"
import { LiveVisitors } from "../../src/pages/LiveVisitors.ts"
import * as Routes from "../../src/pages/PageRoutes.ts"
import { AccessEnded } from "../../src/store/access/AccessEnded.ts"
import { Keys } from "../../src/store/access/Keys.ts"
import { Users } from "../../src/store/people/Users.ts"
import { TestDatabase } from "../support/database/TestDatabase.ts"
import { anyCaller } from "../support/program/AnyCaller.ts"
import { until } from "../support/time/Until.ts"
import { baseUrl, newIncident, newMonitor, newWorkspace, pageOperations, publicPages, subscriberOperations } from "./Fixtures.ts"

const small = HttpApi.make("belltower").add(Pages).add(Components).add(PublicStatus).addError(wire.internal).prefix("/api/v1")

class Address extends Context.Tag("Address")<Address, string>() {}

/** The real handlers and pages on a real server. */
const TestPages = Layer.effect(
  Address,
  Effect.map(HttpServer.HttpServer, ({ address }) => address._tag === "TcpAddress" ? `http://127.0.0.1:${address.port}` : "")
).pipe(
  Layer.provideMerge(
    Layer.unwrapEffect(
      Effect.map(Effect.zipRight(HttpApi.Api, makeApplication(operationAnswers(anyCaller))), (app) => HttpServer.serve(app))
    ).pipe(
      Layer.provide(Routes.layer),
      Layer.provide(LiveVisitors.Default),
      Layer.provide(HttpApiBuilder.api(small).pipe(Layer.provide([PagesLive, ComponentsLive, PublicStatusLive]))),
      Layer.provide([HttpApiBuilder.Router.Live, Layer.succeed(BaseUrl, "https://belltower.test")]),
      Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
    )
  ),
  Layer.provide(subscriberOperations),
  Layer.provide(Layer.provide(DraftPage.Default, [Layer.provide(Keys.Default, AccessEnded.Default), Users.Default])),
  Layer.provideMerge(publicPages),
  Layer.provideMerge(pageOperations),
  Layer.provideMerge(TestDatabase),
  Layer.orDie
)

interface Answer {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly body: Buffer
}

/** The bytes on the wire, which `fetch` would decompress. */
const call = Effect.fn("call")(function*(method: string, path: string, headers: Record<string, string> = {}, body?: unknown) {
  const address = yield* Address
  return yield* Effect.async<Answer>((resume) => {
    const given = { "content-type": "application/json", ...headers }
    const sent = request(`${address}${path}`, { method, headers: given }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on(
        "end",
        () => resume(Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }))
      )
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
})

const get = (path: string, headers?: Record<string, string>) => call("GET", path, headers)
const post = (workspaceId: WorkspaceId, path: string, body: unknown) =>
  call("POST", `/api/v1${path}`, { authorization: `Bearer ${workspaceId}` }, body)
const json = ({ body }: Answer) => JSON.parse(body.toString("utf8"))

/** A page named after its slug with a component on a monitor whose name is private. */
const acme = Effect.fn("acme")(function*(slug: string) {
  const workspaceId = yield* newWorkspace()
  const monitorId = yield* newMonitor(workspaceId, "prod-secret-7", [
    { state: "up", hoursAgo: 30 },
    { state: "down", hoursAgo: 6 },
    { state: "up", hoursAgo: 3 }
  ])
  const page = json(yield* post(workspaceId, "/pages", { name: slug, slug }))
  const shown = { name: "REST API", group: "Core", monitorIds: [monitorId] }
  const component = json(yield* post(workspaceId, `/pages/${slug}/components`, shown))
  return { workspaceId, monitorId, pageId: page.id as PageId, componentId: component.id as ComponentId, page, component }
})

layer(TestPages, { timeout: "60 seconds", excludeTestServices: true })("A page on the web", (it) => {
  it.effect("is created, filled and read back through the interface", () =>
    Effect.gen(function*() {
      const { component, page, workspaceId } = yield* acme("round-trip")
      expect(page).toMatchObject({ slug: "round-trip", url: `${baseUrl}/s/round-trip`, visibility: "public", components: [] })
      expect(component).toMatchObject({ key: "rest-api", status: "operational", aggregate: "worst" })
      const read = json(yield* call("GET", `/api/v1/pages/${page.id}`, { authorization: `Bearer ${workspaceId}` }))
      expect(read).toMatchObject({ id: page.id, groups: [{ name: "Core" }], components: [{ id: component.id }] })
      const all = json(yield* call("GET", "/api/v1/pages", { authorization: `Bearer ${workspaceId}` }))
      const { draft, ...listed } = read
      expect([draft, all]).toEqual([null, { data: [listed], next: null }])
      expect((yield* post(workspaceId, "/pages/nowhere/components", { name: "X" })).status).toBe(404)
    }))

  it.effect("shows its status as JSON and as HTML, from the same snapshot", () =>
    Effect.gen(function*() {
      yield* acme("both-forms")
      const status = json(yield* get("/api/v1/public/pages/both-forms"))
      expect(status).toMatchObject({ status: "operational", statusText: "All systems operational", incidents: [] })
      expect(status.components[0].days).toHaveLength(90)
      expect(status.components[0].uptimePercent).toBeGreaterThan(89)
      expect(status.components[0].uptimePercent).toBeLessThan(91)
      const html = (yield* get("/s/both-forms")).body.toString("utf8")
      expect(html).toContain("All systems operational")
      expect(html).toContain("REST API")
      expect(json(yield* get("/api/v1/public/pages/both-forms?history=false")).components[0].days).toBeNull()
    }))

  it.effect("answers 304 to who has the incidents already, until one changes", () =>
    Effect.gen(function*() {
      const { componentId, pageId, workspaceId } = yield* acme("known-incidents")
      const shown = { title: "Slow", pageIds: [pageId], components: [{ componentId, status: "degraded" }] }
      const id = yield* newIncident(workspaceId, { ...shown, updates: [{ body: "We look into it.", public: true }] })
      const list = "/api/v1/public/pages/known-incidents/incidents"
      for (const path of [list, `${list}?limit=1`, `${list}/${id}`]) {
        const first = yield* get(path)
        expect([first.status, first.headers["content-type"]]).toEqual([200, "application/json"])
        const again = yield* get(path, { "if-none-match": String(first.headers["etag"]) })
        expect([again.status, again.body.length]).toEqual([304, 0])
      }
      const before = (yield* get(list)).headers["etag"]
      expect(json(yield* get(list)).data).toMatchObject([{ id, title: "Slow", updates: [{ body: "We look into it." }] }])
      const sql = yield* SqlClient.SqlClient
      yield* newIncident(workspaceId, { ...shown, title: "Slower" })
      yield* sql`select pg_notify('belltower_pages', 'known-incidents')`
      yield* until(get(list, { "if-none-match": String(before) }), ({ status }) => status === 200)
    }))

  it.effect("lists its incidents in pages, of which the last has no next one", () =>
    Effect.gen(function*() {
      const { pageId, workspaceId } = yield* acme("paged-incidents")
      const sql = yield* SqlClient.SqlClient
      const times = ["01:00", "01:00", "02:00", "02:00", "03:00"].map((time) => `2026-10-01T${time}:00.000Z`)
      for (const [index, at] of times.entries()) {
        const id = yield* newIncident(workspaceId, { title: `No ${index}`, pageIds: [pageId], resolved: true })
        yield* sql`update incidents set started_at = ${at}, resolved_at = ${at} where id = ${id}`
      }
      const list = (query: string) =>
        Effect.map(get(`/api/v1/public/pages/paged-incidents/incidents?${query}`), (answer) => {
          const { data, next } = json(answer)
          return [data.map(({ title }: { readonly title: string }) => title).sort(), next]
        })
      expect(yield* list("limit=1")).toEqual([["No 4"], times[4]])
      expect(yield* list(`limit=1&before=${times[4]}`)).toEqual([["No 2", "No 3"], times[2]])
      expect(yield* list(`limit=1&before=${times[2]}`)).toEqual([["No 0", "No 1"], null])
      expect((yield* list("limit=5"))[1]).toBeNull()
      expect((yield* list("limit=3"))[1]).toBe(times[2])
    }))

  it.effect("reveals nothing of a monitor but what the page shows", () =>
    Effect.gen(function*() {
      const { componentId, monitorId, pageId, workspaceId } = yield* acme("discreet")
      const other = yield* acme("discreet-other")
      yield* post(workspaceId, "/pages/discreet/components", { name: "Backstage", group: "Secret group", hidden: true })
      yield* newIncident(workspaceId, {
        title: "prod-secret-7 is down",
        automatic: true,
        monitorId,
        pageIds: [pageId, other.pageId],
        components: [{ componentId, status: "major_outage" }, { componentId: other.componentId, status: "major_outage" }],
        updates: [
          { body: "prod-secret-7 (https://prod-secret-7.internal.test/health) does not answer", public: true },
          { body: "disk full on db-1", public: false }
        ]
      })
      const text = (yield* get("/api/v1/public/pages/discreet")).body.toString("utf8")
      const html = (yield* get("/s/discreet")).body.toString("utf8")
      for (const shown of [text, html]) {
        expect(shown).toContain("REST API is down")
        expect(shown).toContain("REST API (REST API) does not answer")
        expect(shown).not.toMatch(/prod-secret|internal\.test|db-1|Backstage|Secret group|mon_/)
        expect(shown).not.toContain(other.componentId)
        expect(shown).not.toContain(workspaceId)
      }
    }))

  it.effect("is compressed if the client accepts it, and not sent again to a client that has it", () =>
    Effect.gen(function*() {
      yield* acme("thrifty")
      for (const path of ["/s/thrifty", "/api/v1/public/pages/thrifty"]) {
        const plain = yield* get(path)
        const packed = yield* get(path, { "accept-encoding": "br, gzip;q=0.8" })
        expect(plain.headers["content-encoding"]).toBeUndefined()
        expect(packed.headers["content-encoding"]).toBe("gzip")
        expect(packed.body.length).toBeLessThan(plain.body.length / 2)
        expect((yield* get(path, { "accept-encoding": "gzip;q=0" })).headers["content-encoding"]).toBeUndefined()
        expect(packed.headers).toMatchObject({
          "cache-control": "public, max-age=30, stale-if-error=86400",
          vary: "accept-encoding, accept-language"
        })
        const again = yield* get(path, { "if-none-match": `"other", ${String(plain.headers.etag)}` })
        expect(again.status).toBe(304)
        expect(again.body).toHaveLength(0)
        expect(again.headers["last-modified"]).toBe(plain.headers["last-modified"])
      }
    }))

  it.effect("has one URL: another case of its slug redirects there with the query", () =>
    Effect.gen(function*() {
      yield* acme("one-address")
      const moved = yield* get("/s/One-ADDRESS?theme=dark&x=%2F")
      expect([moved.status, moved.headers["location"]]).toEqual([308, "/s/one-address?theme=dark&x=%2F"])
      expect((yield* get("/s/ONE-ADDRESS")).headers["location"]).toBe("/s/one-address")
      expect((yield* get("/s/NEVER-There")).headers["location"]).toBe("/s/never-there")
      expect((yield* get("/s/ONE-ADDRESS/history?month=2026-11")).headers["location"]).toBe(
        "/s/one-address/history?month=2026-11"
      )
      expect((yield* get("/s/ONE-ADDRESS/badge.svg")).headers["location"]).toBe("/s/one-address/badge.svg")
      expect((yield* get("/s/Not_A_Slug")).status).toBe(404)
      expect((yield* get("/api/v1/public/pages/ONE-ADDRESS")).status).toBe(404)
    }))

  it.effect("answers HEAD without a body", () =>
    Effect.gen(function*() {
      yield* acme("headed")
      const head = yield* call("HEAD", "/s/headed")
      expect([head.status, head.body.length]).toEqual([200, 0])
    }))

  it.effect("is the same 404 whether it is private or never existed", () =>
    Effect.gen(function*() {
      const workspaceId = yield* newWorkspace()
      yield* post(workspaceId, "/pages", { name: "Board", slug: "board-room", visibility: "private" })
      const answers = yield* Effect.forEach(["/s/board-room", "/s/never-there", "/s/%00", "/s/..%2f"], (path) => get(path))
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
      expect(new Set(answers.map(({ body }) => body.toString("utf8"))).size).toBe(1)
      expect(answers[0]?.headers["content-security-policy"]).toContain("default-src 'none'")
      expect((yield* get("/api/v1/public/pages/board-room")).status).toBe(404)
      expect((yield* get("/s/never-there", { "accept-language": "de" })).body.toString("utf8")).toContain("Hier ist nichts")
    }))

  it.effect("rejects invalid values with the path of the field", () =>
    Effect.gen(function*() {
      const { workspaceId } = yield* acme("strict")
      const page = yield* post(workspaceId, "/pages", { name: "X", slug: "api" })
      expect([page.status, json(page).error.message]).toEqual([422, "slug: api is reserved"])
      expect((yield* post(workspaceId, "/pages", { name: "X", slug: "strict" })).status).toBe(409)
      const component = yield* post(workspaceId, "/pages/strict/components", { name: "X", monitorIds: ["mon_none"] })
      expect([component.status, json(component).error.message]).toEqual([
        422,
        "monitorIds.0: No monitor mon_none in this workspace"
      ])
    }))
})

layer(TestPages, { timeout: "60 seconds", excludeTestServices: true })("A status page while it is served", (it) => {
  // The wake-up uses a separate database connection, so the test polls for the effect of a change.
  it.effect("shows a new component without waiting for its snapshot to age", () =>
    Effect.gen(function*() {
      const { workspaceId } = yield* acme("lively")
      yield* get("/s/lively")
      yield* post(workspaceId, "/pages/lively/components", { name: "Brand new" })
      yield* until(get("/s/lively"), ({ body }) => body.includes("Brand new"))
    }))

  it.effect("shows the effect of an event", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { pageId, workspaceId } = yield* acme("eventful")
      yield* get("/s/eventful")
      yield* newIncident(workspaceId, { title: "Something is wrong", pageIds: [pageId], impact: "minor" })
      yield* sql`select pg_notify('belltower_events', ${workspaceId})`
      yield* until(get("/api/v1/public/pages/eventful"), (answer) => json(answer).status === "degraded")
    }))

  it.effect("stays readable while the database is away, with a warning", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* acme("orphan")
      yield* get("/s/orphan")
      yield* sql`alter table pages rename to pages_away`
      yield* sql`select pg_notify('belltower_pages', 'orphan')`
      const stale = yield* until(get("/s/orphan"), ({ headers }) => headers["x-belltower-stale"] === "1")
      expect(stale.status).toBe(200)
      expect(stale.body.toString("utf8")).toContain("may be out of date")
      const missing = yield* get("/s/nobody-knows")
      expect([missing.status, missing.headers["retry-after"]]).toEqual([503, "10"])
      yield* sql`alter table pages_away rename to pages`
    }))
})
