/** The parts below a status page: history, incidents, feeds, badges, exports, and the format of other aggregators. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { inflateSync } from "node:zlib"
import { ServerAddress } from "../../src/http/server/ServeApp.ts"
import { request } from "../flows/support/Client.ts"
import { type Json, newPage } from "../operations/incident/Fixtures.ts"
import { TestProgram } from "../support/program/Program.ts"
import { until } from "../support/time/Until.ts"

/** A page with an incident, whose title tries to break out of the markup, and a planned window. */
const busyPage = Effect.gen(function*() {
  const { host, port } = yield* ServerAddress
  const made = yield* newPage
  const { checkout, client, page, shown } = made
  const { body: incident } = yield* client.post("/incidents", {
    title: "Slow <b>checkout</b> & \"more\" ]]>",
    message: "We <i>look</i> into it.",
    components: [{ componentId: checkout.id, status: "partial_outage" }]
  })
  yield* client.post("/maintenance", {
    title: "Upgrade",
    message: "The database.",
    scheduledStart: "2099-01-01T08:00:00Z",
    scheduledEnd: "2099-01-01T09:00:00Z",
    componentIds: [checkout.id]
  })
  yield* client.post(`/incidents/${incident.id}/updates`, { message: "Rack 4 burns", public: false })
  yield* shown(({ incidents, maintenances }) => incidents.length === 1 && maintenances.length === 1)
  const get = (path: string, language = "en") =>
    request(`http://${host}:${port}/s/${page.slug}${path}`, { headers: { "accept-language": language } })
  return { ...made, incident, get }
})

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("Below a status page", (it) => {
  it.effect("every incident has its page, and every month lists what began in it, without internal notes", () =>
    Effect.gen(function*() {
      const { client, get, incident } = yield* busyPage
      const history = yield* get("/history")
      expect(history.text).toContain("Slow &lt;b>checkout&lt;/b>")
      expect(history.text).toContain(`/incidents/${incident.id}"`)
      expect(history.text).not.toContain("Upgrade")
      expect((yield* get("/history?month=2099-01")).status).toBe(404)
      expect((yield* get("/history?month=2024-13")).status).toBe(404)
      const { status, text } = yield* get("/history?month=2000-01")
      expect([status, text.includes("rel=\"prev\""), text.includes("rel=\"next\"")]).toEqual([200, false, true])
      expect((yield* get("/history?month=2024-02", "de")).text).toContain("Keine Störungen im Februar 2024.")
      const one = yield* get(`/incidents/${incident.id}`)
      expect(one.text).toContain("We &lt;i>look&lt;/i> into it.")
      expect(one.text).not.toContain("Rack 4")
      expect((yield* get("/incidents/inc_01k9x2m4q8e7s9v3bthn5wza6c")).status).toBe(404)
      // Headings of a text continue those of the page.
      yield* client.post(`/incidents/${incident.id}/resolve`, { message: "# Fixed" })
      yield* until(get(`/incidents/${incident.id}`), ({ text }) => text.includes("<h3 dir=\"auto\">Fixed</h3>"))
      yield* until(get(""), ({ text }) => text.includes("<h4 dir=\"auto\">Fixed</h4>"))
    }))

  it.effect("feeds are well-formed XML, whatever the titles contain, and a page without them names none", () =>
    Effect.gen(function*() {
      const { client, get, incident, page } = yield* busyPage
      for (const kind of ["rss", "atom"]) {
        const { headers, text } = yield* get(`/feed.${kind}`)
        expect(headers.get("content-type")).toContain(`application/${kind}+xml`)
        expect(text).toContain("Slow &lt;b&gt;checkout&lt;/b&gt; &amp; &quot;more&quot; ]]&gt;")
        expect(text).toContain(`/s/${page.slug}/incidents/${incident.id}</`)
        expect(text).not.toContain("Rack 4")
        // When it is planned, and what it affects.
        expect(text).toMatch(
          /<title>Upgrade<[^]*&lt;p&gt;Jan 1, 2099, 8:00\D*9:00\D*UTC&lt;\/p&gt;&lt;p&gt;Affects \W*Checkout/
        )
        expect(text).not.toContain("<published>2099")
        const open = text.match(/<[a-z:]+(?: [^>]*[^/])?>/g)?.length
        expect(text.match(/<\/[a-z:]+>/g)).toHaveLength(open ?? -1)
      }
      expect((yield* get("")).text).toContain("/feed.atom")
      yield* client.patch(`/pages/${page.id}`, { settings: { subscriptions: { rss: false } } })
      yield* until(get("/feed.rss"), ({ status }) => status === 404)
      for (const path of ["", "/history", `/incidents/${incident.id}`]) {
        yield* until(get(path), ({ status, text }) => status === 200 && !text.includes("/feed."))
      }
    }))

  it.effect("aggregators read the page in the format of Statuspage's API", () =>
    Effect.gen(function*() {
      const { checkout, get, incident, page } = yield* busyPage
      const read = (name: string) =>
        Effect.map(get(`/api/v2/${name}.json`), ({ body, headers }) => {
          expect(headers.get("access-control-allow-origin")).toBe("*")
          expect(body.page).toMatchObject({ id: page.id, name: page.name, time_zone: "UTC" })
          return body as Json
        })
      const summary = yield* read("summary")
      expect(summary.status).toEqual({ indicator: "major", description: "Partial outage" })
      expect(summary.components.find(({ id }: Json) => id === checkout.id)).toMatchObject({
        name: "Checkout",
        status: "partial_outage",
        group: false
      })
      expect(summary.incidents).toMatchObject([{
        id: incident.id,
        status: "investigating",
        impact: "major",
        resolved_at: null,
        incident_updates: [{ body: "We <i>look</i> into it." }],
        components: [{ id: checkout.id }]
      }])
      expect(summary.scheduled_maintenances).toMatchObject([{
        status: "scheduled",
        impact: "maintenance",
        scheduled_for: "2099-01-01T08:00:00.000Z"
      }])
      expect((yield* read("status")).status.indicator).toBe("major")
      expect((yield* read("components")).components).toHaveLength(2)
      expect((yield* read("incidents")).incidents).toHaveLength(1)
      expect((yield* read("incidents/unresolved")).incidents).toHaveLength(1)
      expect((yield* read("scheduled-maintenances")).scheduled_maintenances).toHaveLength(1)
      expect((yield* read("scheduled-maintenances/upcoming")).scheduled_maintenances).toHaveLength(1)
      expect((yield* read("scheduled-maintenances/active")).scheduled_maintenances).toHaveLength(0)
    }))

  it.effect("badges, a widget for other sites, an image and exports show the status", () =>
    Effect.gen(function*() {
      const { client, component, get, page } = yield* busyPage
      yield* component("A & B", { push: true, key: "a.b" })
      yield* until(get("/components/a.b/badge.svg", "de"), ({ text }) => text.includes(">A &amp; B</text>"))
      expect((yield* get("/badge.svg")).text).toContain(">Partial outage</text>")
      expect((yield* get("/badge.svg", "fr")).text).toContain(`<title>${page.name}\u00a0: Panne partielle</title>`)
      const embed = yield* get("/embed")
      expect(embed.headers.get("content-security-policy")).toContain("frame-ancestors *")
      expect(embed.text).toContain("Partial outage")
      // A page that is gone leaves no error of the browser on the other site.
      const { host, port } = yield* ServerAddress
      const gone = yield* request(`http://${host}:${port}/s/nothing/embed`)
      expect([gone.status, gone.headers.get("content-security-policy")]).toEqual([
        404,
        expect.stringContaining("frame-ancestors *")
      ])
      expect(gone.text).toContain("There is no status page at this address.")
      // Nor does one that asks for a password.
      const locked = (yield* client.post("/pages", { name: "Locked", visibility: "private", password: "open sesame" })).body
      const line = yield* request(`http://${host}:${port}/s/${locked.slug}/embed`)
      expect([line.status, line.headers.get("content-security-policy")]).toEqual([
        401,
        expect.stringContaining("frame-ancestors *")
      ])
      expect(line.text).toMatch(/<p class="embed[^>]*><a href="[^"]*" target="_blank"[^]*This page is protected/)
      expect(line.text).not.toContain("<form")
      const whole = yield* get("")
      expect(whole.headers.get("content-security-policy")).toContain("frame-ancestors 'self'")
      expect(whole.text).toContain(`<meta property="og:image" content="https://belltower.test/s/${page.slug}/status.png"`)
      const csv = yield* get("/components/a.b/history.csv")
      const lines = csv.text.trim().split("\r\n")
      expect([lines[0], lines.length]).toEqual(["date,uptimePercent,status,downSeconds", 91])
      expect((yield* get("/components/a.b/history.json")).body).toMatchObject({ component: { key: "a.b" } })
      expect((yield* get("/components/nothing/history.csv")).status).toBe(404)
      expect((yield* get("/robots.txt")).text).toContain("/sitemap.xml")
      expect((yield* get("/sitemap.xml")).text).toContain(`<loc>https://belltower.test/s/${page.slug}/history</loc>`)
      const image = yield* Effect.promise(() =>
        fetch(`http://${host}:${port}/s/${page.slug}/status.png`).then((response) => response.arrayBuffer())
      )
      const bytes = Buffer.from(image)
      expect(bytes.subarray(1, 4).toString("latin1")).toBe("PNG")
      expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630])
      const data = bytes.indexOf("IDAT")
      expect(inflateSync(bytes.subarray(data + 4, data + 4 + bytes.readUInt32BE(data - 4)))).toHaveLength(1201 * 630)
    }))
})
