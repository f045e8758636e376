/** Third parties on loopback: their status for agents, readers and people, the mails, and the incidents that they explain. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { clientOf } from "../../flows/support/Client.ts"
import { programBaseUrl, programOf } from "../../support/program/Program.ts"
import { newKey } from "../../support/program/TestServer.ts"
import { type LocalMail, localMail } from "../../support/services/LocalMail.ts"
import { localSource } from "../../support/services/LocalSources.ts"
import { until } from "../../support/time/Until.ts"

/** The third party's published data, and the status of its API. */
class Acme extends Context.Tag("test/Acme")<Acme, {
  component: string
  incidents: Array<Record<string, unknown>>
  probe: number
  hangsUp: boolean
  healthy: boolean
  readonly url: string
  readonly asked: ReadonlyArray<{ readonly path: string; readonly authorization: string | undefined }>
  readonly mail: LocalMail
}>() {}

const incident = (name: string) => ({
  id: `inc-${name}`,
  name,
  status: "investigating",
  impact: "major",
  shortlink: "https://stspg.io/inc",
  created_at: new Date().toISOString(),
  updated_at: new Date().toISOString(),
  resolved_at: null,
  components: [{ name: "REST API" }],
  incident_updates: [{ body: "We are looking into it. <b>http://evil.example</b>" }]
})

const program = Layer.unwrapScoped(Effect.gen(function*() {
  const state = {
    component: "operational",
    incidents: [] as Array<Record<string, unknown>>,
    probe: 401,
    hangsUp: false,
    healthy: true
  }
  const source = yield* localSource(({ pathname }) => {
    if (pathname === "/probe") return { status: state.probe, body: {}, hangsUp: state.hangsUp }
    if (pathname === "/target") return { status: state.healthy ? 200 : 503, body: {} }
    const incidents = state.incidents
    if (pathname === "/api/v2/incidents.json") return { body: { incidents } as never }
    if (pathname !== "/api/v2/summary.json") return undefined
    return {
      body: {
        status: { indicator: "none" },
        components: [{ name: "REST API", status: state.component }, { name: "Pages", status: "operational" }],
        incidents
      } as never
    }
  })
  const mail = yield* localMail()
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "belltower-catalogue-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const file = join(folder, "catalogue.json")
  const entry = {
    service: "acme",
    name: "Acme",
    source: { kind: "statuspage", url: source.url },
    components: [{ slug: "api", name: "API", match: ["REST API"] }, { slug: "site", name: "Site" }],
    probe: { url: `${source.url}/probe` }
  }
  yield* Effect.promise(() => writeFile(file, JSON.stringify([entry])))
  return Layer.merge(
    Layer.succeed(Acme, Object.assign(state, { url: source.url, asked: source.asked, mail })),
    programOf({
      BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8",
      BELLTOWER_UPSTREAM_CATALOGUE: file,
      BELLTOWER_UPSTREAM_INTERVAL_SEC: "5",
      SMTP_URL: mail.url
    })
  )
}))

const at = Effect.map(ServerAddress, ({ host, port }) => `http://${host}:${port}`)

const ask = Effect.fn("ask")(function*(path: string, init?: RequestInit) {
  const base = yield* at
  return yield* Effect.promise(async () => {
    const response = await fetch(`${base}${path}`, init)
    return { status: response.status, type: response.headers.get("content-type") ?? "", text: await response.text() }
  })
})

const agentStatus = Effect.map(ask("/status/acme/api/status.agent.json"), ({ text }) => JSON.parse(text))

const post = (path: string, form: Record<string, string> = {}) =>
  Effect.flatMap(
    at,
    (origin) => ask(path, { method: "POST", headers: { origin }, body: new URLSearchParams(form), redirect: "manual" })
  )

layer(program, { excludeTestServices: true, timeout: "120 seconds" })("a third party", (it) => {
  describe("that publishes its status", () => {
    it.effect("is shown to agents as JSON, over REST and by a tool, without a key", () =>
      Effect.gen(function*() {
        const acme = yield* Acme
        const status = yield* until(agentStatus, ({ status }) => status === "operational")
        expect(status).toMatchObject({
          schema: expect.stringMatching(/upstream-status\/v1$/),
          service: "acme",
          component: { slug: "api", name: "API" },
          verdict: "proceed",
          reason: "Acme reports: API operational",
          retryAfterSec: null,
          incident: null,
          probe: { state: "up", statusCode: 401 },
          stale: false
        })
        expect(JSON.parse((yield* ask("/api/v1/upstreams/acme/api")).text)).toMatchObject({ verdict: "proceed" })
        const found = yield* ask("/mcp/public", {
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name: "upstream_status", arguments: { service: "acme", component: "api" } }
          })
        })
        expect(found.text).toContain("upstream-status/v1")
        expect(acme.asked.every(({ authorization }) => authorization === undefined)).toBe(true)
      }))

    it.effect("that nobody knows is not found, with the nearest name", () =>
      Effect.gen(function*() {
        const [service, component] = [
          yield* ask("/status/acmee/api/status.agent.json"),
          yield* ask("/status/acme/apj/status.agent.json")
        ]
        expect([service.status, JSON.parse(service.text).error.hint]).toEqual([404, "Did you mean acme?"])
        expect([component.status, JSON.parse(component.text).error.hint]).toEqual([404, "Did you mean api?"])
      }))

    it.effect("has components that match no part of its page: they are the whole page", () =>
      Effect.gen(function*() {
        const site = JSON.parse((yield* ask("/api/v1/upstreams/acme/site")).text)
        expect(site).toMatchObject({ component: { slug: "site", name: "Site" }, status: "operational", verdict: "proceed" })
      }))

    it.effect("mails a change once to who confirmed, and never again after one click", () =>
      Effect.gen(function*() {
        const acme = yield* Acme
        expect((yield* post("/status/acme/api", { email: "not an address" })).status).toBe(422)
        expect((yield* post("/status/acme/api", { email: "ada@acme.example" })).status).toBe(200)
        const asked = yield* acme.mail.next
        expect(asked.to).toEqual(["ada@acme.example"])
        const confirm = /\/status-alerts\/\S+/.exec(asked.mail.text ?? "")?.[0] ?? ""
        // A scanner that opens the link confirms nothing.
        expect((yield* ask(confirm)).status).toBe(200)
        expect((yield* post(confirm)).status).toBe(200)

        acme.component = "partial_outage"
        const news = yield* acme.mail.next
        expect(news.mail.subject).toBe("Acme API: partial outage")
        expect(news.mail.text).toContain(`${programBaseUrl}/status/acme/api`)
        const headers = new Map(news.mail.headers.map(({ key, value }) => [key, value]))
        expect(headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click")
        const leave = new URL((headers.get("list-unsubscribe") ?? "").slice(1, -1)).pathname
        // The mail may overtake the status that this process remembers.
        yield* until(agentStatus, ({ verdict }) => verdict === "fallback")
        expect((yield* post(leave)).status).toBe(200)
        expect((yield* post(leave)).status).toBe(404)
        acme.component = "operational"
        yield* until(agentStatus, ({ verdict }) => verdict === "proceed")
        expect(acme.mail.received).toHaveLength(2)
      }))

    it.effect("is retry while only our own request gets no answer", () =>
      Effect.gen(function*() {
        const acme = yield* Acme
        acme.probe = 503
        // Any answer shows that its edge is there.
        const answered = yield* until(agentStatus, ({ probe }) => probe.statusCode === 503)
        expect(answered).toMatchObject({ verdict: "proceed", probe: { state: "up", statusCode: 503 } })
        acme.hangsUp = true
        const status = yield* until(agentStatus, ({ verdict }) => verdict === "retry")
        expect(status).toMatchObject({ retryAfterSec: 5, status: "operational", probe: { state: "down", statusCode: null } })
        Object.assign(acme, { hangsUp: false, probe: 401 })
      }))
  })

  describe("that a workspace depends on", () => {
    it.effect("is refused when it is unknown", () =>
      Effect.gen(function*() {
        const client = clientOf(yield* at, (yield* newKey()).secret)
        const wrong = yield* client.patch("/workspace", {
          upstreams: [{ service: "acmee" }, { service: "acme", component: "apis" }]
        })
        expect(wrong.status).toBe(422)
        expect(wrong.body.error.details.map(({ message }: { message: string }) => message)).toEqual([
          "Unknown service acmee; did you mean acme?",
          "Unknown component apis; use one of api, site, all"
        ])
      }))

    it.effect("is named as the likely cause of an incident, whether it announces before or after", () =>
      Effect.gen(function*() {
        const acme = yield* Acme
        const client = clientOf(yield* at, (yield* newKey()).secret)
        expect((yield* client.patch("/workspace", { upstreams: [{ service: "acme", component: "api" }] })).status).toBe(200)
        const other = clientOf(yield* at, (yield* newKey()).secret)
        acme.healthy = false
        const monitor = { name: "Shop", url: `${acme.url}/target`, failureThreshold: 1 }
        expect((yield* client.post("/monitors", monitor)).body).toMatchObject({ name: "Shop" })
        yield* other.post("/monitors", monitor)
        const open = (from: typeof client) => Effect.map(from.get("/incidents"), ({ body }) => body.data[0])
        const before = yield* until(open(client), (found) => found !== undefined)
        expect(before.likelyUpstream).toBeNull()

        acme.incidents = [incident("Elevated errors")]
        const after = yield* until(open(client), ({ likelyUpstream }) => likelyUpstream !== null)
        expect(after.likelyUpstream).toMatchObject({ service: "acme", name: "Acme", incident: "Elevated errors" })
        const { body: full } = yield* client.get(`/incidents/${after.id}`)
        expect(full.updates.at(-1)).toMatchObject({ public: false, body: "Likely upstream: Acme reports \"Elevated errors\"" })

        // A second monitor goes down while the third party's incident is known.
        yield* client.post("/monitors", { ...monitor, name: "Cart" })
        const later = yield* until(open(client), ({ title }) => title.startsWith("Cart"))
        expect(later.likelyUpstream).toMatchObject({ incident: "Elevated errors" })
        const { body: why } = yield* client.get(`/monitors/${later.monitorId}/explain`)
        expect(why.likelyUpstream).toMatchObject({ service: "acme", incident: "Elevated errors" })
        expect(why.summary).toContain("The likely cause is upstream: Acme has an incident that began on")
        const { body: events } = yield* client.get("/events?types=monitor.down&limit=10")
        const found = events.data.find(({ data }: { data: { monitor: { name: string } } }) => data.monitor.name === "Cart")
        expect(found.data.incident.likelyUpstream).toMatchObject({ name: "Acme" })
        expect((yield* open(other)).likelyUpstream).toBeNull()

        const feed = yield* ask("/status/acme/feed.rss")
        expect(feed.type).toContain("application/rss+xml")
        expect(feed.text).toContain("<title>Elevated errors</title>")
        expect(feed.text).not.toContain("<b>")
        const page = yield* ask("/status/acme")
        expect(page.text).toContain("Is Acme down?")
        expect(page.text).not.toContain("<b>http")
      }))
  })
})
