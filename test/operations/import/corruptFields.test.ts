/** Sources whose things have one corrupt field each: what a preview says is what its job does. */
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { clientOf } from "../../flows/support/Client.ts"
import { programOf } from "../../support/program/Program.ts"
import { type Json, newKey } from "../../support/program/TestServer.ts"
import { localSource } from "../../support/services/LocalSources.ts"
import { until } from "../../support/time/Until.ts"

const corrupt: ReadonlyArray<Json> = [null, "constructor\0\uD800", "x".repeat(3000), -1, { a: 1 }]

/** A copy of a thing for each of its fields and each corrupt value, with ids from 1. */
const copies = (thing: Readonly<Record<string, Json>>, of: (fields: Json, id: number) => Json): ReadonlyArray<Json> =>
  Object.keys(thing).flatMap((field) => corrupt.map((value) => ({ ...thing, [field]: value })))
    .map((fields, index) => of(fields, index + 1))

const robotMonitor = {
  friendlyName: "Shop",
  url: "https://shop.example/",
  type: "HTTP",
  interval: 300,
  timeout: 30,
  httpMethodType: "POST",
  customHttpHeaders: { "x-a": "1" },
  successHttpResponseCodes: ["2xx"],
  postValueData: "a=b",
  assignedAlertContacts: [],
  tags: [{ name: "prod" }]
}

const betterPage = {
  company_name: "Acme",
  company_url: "https://acme.example/",
  subdomain: "acme",
  custom_domain: null,
  timezone: "Eastern Time (US & Canada)"
}

const incident = {
  name: "Slow",
  status: "monitoring",
  impact: "major",
  started_at: "2026-03-01T08:00:00Z",
  created_at: "2026-03-01T08:00:00Z",
  incident_updates: [{ body: "It is slow", status: "monitoring", display_at: "2026-03-01T08:00:00Z" }]
}

const window = {
  ...incident,
  status: "completed",
  scheduled_for: "2026-02-01T01:00:00Z",
  scheduled_until: "2026-02-01T02:00:00Z",
  resolved_at: "2026-02-01T02:00:00Z"
}

class StatusPage extends Context.Tag("test/StatusPage")<StatusPage, string>() {}

const program = Layer.unwrapScoped(Effect.gen(function*() {
  const robot = yield* localSource(({ pathname }) => {
    const contacts = copies(
      { friendlyName: "Hook", type: "webhook", value: "https://hooks.example/" },
      (fields, id) => ({ id, ...fields })
    )
    if (pathname === "/monitors") return { body: { data: copies(robotMonitor, (fields, id) => ({ id, ...fields })) } }
    return { body: { data: pathname === "/user/alert-contacts" ? contacts : [] } }
  })
  const better = yield* localSource(({ pathname }) => {
    const pages = copies(betterPage, (attributes, id) => ({ id, attributes }))
    return { body: { data: pathname.endsWith("/status-pages") ? pages : [], pagination: {} } }
  })
  const page = yield* localSource(({ pathname }) => {
    const components = copies({ name: "API", status: "operational", position: 1 }, (fields, id) => ({ id: `c${id}`, ...fields }))
    if (pathname === "/api/v2/summary.json") {
      return { body: { page: { id: "p", name: "Acme", time_zone: "Kyiv" }, components } as never }
    }
    if (pathname === "/api/v2/incidents.json") {
      return { body: { incidents: copies(incident, (fields, id) => ({ id: `i${id}`, ...fields })) } as never }
    }
    return { body: { scheduled_maintenances: copies(window, (fields, id) => ({ id: `w${id}`, ...fields })) } as never }
  })
  return Layer.merge(
    Layer.succeed(StatusPage, page.url),
    programOf({
      BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8",
      BELLTOWER_UPTIMEROBOT_URL: robot.url,
      BELLTOWER_BETTERSTACK_URL: better.url,
      BELLTOWER_STATUSPAGE_URL: page.url
    })
  )
}))

const promised = Effect.fn("promised")(function*(input: object) {
  const { host, port } = yield* ServerAddress
  const client = clientOf(`http://${host}:${port}`, (yield* newKey()).secret)
  const preview = (yield* client.post("/import/preview", input)).body
  const items: ReadonlyArray<Json> = [...preview.monitors, ...preview.channels, ...preview.pages, ...preview.incidents]
  const { id } = (yield* client.post("/import", input)).body
  const job: Json = (yield* until(client.get(`/import/jobs/${id}`), ({ body }) => body.finishedAt !== null)).body
  return { client, items, job }
})

const refs = (items: ReadonlyArray<Json>): ReadonlyArray<string> => items.map(({ ref }) => ref).sort()

/** The items of a kind, each of which the job made if the preview says so, and left out otherwise. */
const keeps = ({ items, job }: { readonly items: ReadonlyArray<Json>; readonly job: Json }) => {
  expect([job.status, job.failed]).toEqual(["succeeded", []])
  expect(refs(job.created)).toEqual(refs(items.filter(({ action }) => action === "create")))
  expect(refs(job.skipped)).toEqual(refs(items.filter(({ action }) => action !== "create")))
  for (const { action, notes, ref } of items) if (action !== "create") expect([ref, notes?.length > 0]).toEqual([ref, true])
}

layer(program, { excludeTestServices: true, timeout: "120 seconds" })("an import with corrupt fields", (it) => {
  it.effect("from UptimeRobot makes what its preview says, each thing that has something to watch", () =>
    Effect.gen(function*() {
      const found = yield* promised({ source: "uptimerobot", apiKey: "some-key" })
      keeps(found)
      const monitors = found.items.filter(({ kind }) => kind === "monitor")
      expect(monitors).toHaveLength(Object.keys(robotMonitor).length * corrupt.length)
      // Only without their URL is there nothing to watch.
      const lost = monitors.filter(({ action }) => action !== "create")
      expect(lost.length).toBeLessThanOrEqual(corrupt.length)
      expect(found.items.filter(({ kind }) => kind === "channel")).toHaveLength(3 * corrupt.length)
    }))

  it.effect("from Better Stack makes its pages, in the zones that Rails names, up to what the workspace takes", () =>
    Effect.gen(function*() {
      const found = yield* promised({ source: "betterstack", apiKey: "some-key" })
      keeps(found)
      expect(found.items).toHaveLength(Object.keys(betterPage).length * corrupt.length)
      const created = found.items.filter(({ action }) => action === "create")
      // An unclaimed workspace has 20 pages.
      expect(created).toHaveLength(20)
      expect(found.items.at(-1).notes).toContain("An unclaimed workspace can have at most 20 status pages")
      const pages: ReadonlyArray<Json> = (yield* found.client.get("/pages?limit=100")).body.data
      expect(pages.filter(({ settings }) => settings.timezone === "America/New_York").length).toBeGreaterThan(10)
    }))

  it.effect("from a status page makes its components and its history", () =>
    Effect.gen(function*() {
      const found = yield* promised({ source: "statuspage", url: yield* StatusPage })
      keeps(found)
      const count = (kind: string) => found.items.filter((item) => item.kind === kind).length
      expect(count("component")).toBe(3 * corrupt.length)
      expect(count("incident") + count("maintenance")).toBe(
        (Object.keys(incident).length + Object.keys(window).length) * corrupt.length
      )
      expect(found.items.filter(({ action }) => action !== "create")).toEqual([])
    }))
})
