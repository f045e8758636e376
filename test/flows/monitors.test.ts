/** All settings of an http monitor, and everything that its checks report. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Client, type Json, newAgent, openStream } from "./support/Client.ts"
import { awaited, freshProgram } from "./support/Program.ts"
import { newTarget } from "./support/Target.ts"

interface Setting {
  readonly baseUrl: string
  readonly agent: Client
}
class Place extends Context.Tag("test/Place")<Place, Setting>() {}

const place = Layer.scoped(
  Place,
  Effect.gen(function*() {
    const { baseUrl } = yield* freshProgram()
    return { baseUrl, agent: yield* newAgent(baseUrl) }
  })
)

/** A monitor that no scheduled check disturbs: its first check is immediate, the next a day later. */
const monitorOf = Effect.fn("monitorOf")(function*(settings: object) {
  const { agent } = yield* Place
  const { body, status } = yield* agent.post("/monitors", { name: "Shop", intervalSec: 86_400, failureThreshold: 1, ...settings })
  expect([status, body.error]).toEqual([201, undefined])
  const path = `/monitors/${body.id}`
  const seen = yield* awaited(agent.get(path), (one) => one.body.state !== "pending")
  const check = (options: object = {}) =>
    Effect.map(agent.post(`${path}/check`, options), (answer): Json => {
      expect([answer.status, answer.body.error?.message]).toEqual([200, undefined])
      return answer.body
    })
  const get = Effect.map(agent.get(path), (answer): Json => answer.body)
  const patch = (change: object) => Effect.map(agent.patch(path, change), (answer): Json => answer.body)
  return { id: body.id, path, created: body, first: seen.body, check, get, patch }
})

/** The result of a check with these settings. */
const verdictOf = Effect.fn("verdictOf")(function*(settings: object) {
  const monitor = yield* monitorOf(settings)
  const { cause, outcome } = yield* monitor.check()
  return { outcome, cause }
})

const up = { outcome: "up", cause: null }

layer(place, { excludeTestServices: true, timeout: "60 seconds" })("an http monitor", (it) => {
  describe("sends requests", () => {
    it.scoped("with its method, headers and body", () =>
      Effect.gen(function*() {
        const target = yield* newTarget
        yield* monitorOf({
          url: `${target.url}/orders?x=1`,
          method: "PUT",
          headers: { "X-Token": "secret", "content-type": "text/csv" },
          body: "a;b"
        })
        expect(target.asked).toEqual([expect.objectContaining({ method: "PUT", url: "/orders?x=1", body: "a;b" })])
        expect(target.asked[0]?.headers).toMatchObject({ "x-token": "secret", "content-type": "text/csv" })
      }))

    it.scoped("that follow redirects, unless disabled", () =>
      Effect.gen(function*() {
        const target = yield* newTarget
        target.answers(({ url }, response) =>
          void (url === "/old" ? response.writeHead(302, { location: "/new" }).end() : response.end("fine"))
        )
        const follows = yield* monitorOf({ url: `${target.url}/old` })
        expect(yield* follows.check()).toMatchObject({
          outcome: "up",
          statusCode: 200,
          evidence: { request: { url: `${target.url}/new` }, redirects: [{ statusCode: 302, url: `${target.url}/old` }] }
        })
        const stays = { url: `${target.url}/old`, followRedirects: false }
        expect(yield* verdictOf(stays)).toEqual({ outcome: "down", cause: "status" })
        expect(yield* verdictOf({ ...stays, expectedStatus: "302" })).toEqual(up)
      }))

    it.scoped("every ten seconds if configured, and reports when it is paused", () =>
      Effect.gen(function*() {
        const target = yield* newTarget
        const { agent, baseUrl } = yield* Place
        const stream = yield* openStream(baseUrl, agent.headers, "?checks=1")
        const monitor = yield* monitorOf({ url: target.url, intervalSec: 10 })
        const own: Effect.Effect<Json> = Effect.flatMap(stream.next("check.completed"), ({ data: { data } }) =>
          data.monitorId === monitor.id ? Effect.succeed(data.check.outcome) : own)
        expect([yield* own, yield* own]).toEqual(["up", "up"])
        expect(yield* monitor.patch({ paused: true })).toMatchObject({ paused: true, state: "paused" })
        const asked = target.asked.length
        expect((yield* monitor.check()).outcome).toBe("up")
        expect(target.asked).toHaveLength(asked + 1)
        // Until the actor has taken it up, a pause is shown since the edit. One that is over before that changes nothing.
        yield* awaited(monitor.get, ({ stateSince, updatedAt }) =>
          stateSince > updatedAt)
        // Its first check begins immediately, so its end waits until the record has been read.
        const waiting: Array<() => void> = []
        target.answers((_, response) => void waiting.push(() => response.end("fine")))
        const resumed = yield* monitor.patch({ paused: false })
        target.recovers()
        waiting.forEach((answer) => answer())
        expect(resumed).toMatchObject({ paused: false, state: "pending" })
        expect(resumed.stateSince >= resumed.updatedAt).toBe(true)
        expect(
          (yield* awaited(monitor.get, ({ state }) => state === "up")).stateSince >= resumed.updatedAt
        ).toBe(true)
      }))
  })

  describe("judges", () => {
    it.scoped("by the expected status", () =>
      Effect.gen(function*() {
        const target = yield* newTarget
        target.answers((_, response) => void response.writeHead(401).end())
        const { url } = target
        expect(yield* verdictOf({ url })).toEqual({ outcome: "down", cause: "status" })
        expect(yield* verdictOf({ url, expectedStatus: "401" })).toEqual(up)
        expect(yield* verdictOf({ url, expectedStatus: "200, 400-404" })).toEqual(up)
      }))

    it.scoped("by required and forbidden keywords", () =>
      Effect.gen(function*() {
        const target = yield* newTarget
        target.answers((_, response) => void response.end("all is well"))
        const { url } = target
        expect(yield* verdictOf({ url, keyword: "is well" })).toEqual(up)
        expect(yield* verdictOf({ url, keyword: "is bad" })).toEqual({ outcome: "down", cause: "keyword" })
        expect(yield* verdictOf({ url, keywordAbsent: "is well" })).toEqual({ outcome: "down", cause: "keyword" })
        expect(yield* verdictOf({ url, keywordAbsent: "is bad" })).toEqual(up)
      }))

    it.scoped("a slow answer as degraded, and one that does not end before what is expected as a timeout", () =>
      Effect.gen(function*() {
        const target = yield* newTarget
        target.answers(({ url }, response) => {
          if (url === "/drip") return void response.writeHead(200).write(".")
          setTimeout(() => response.end("at last"), 120)
        })
        expect(yield* verdictOf({ url: target.url, degradedAfterMs: 50 })).toEqual({ outcome: "degraded", cause: "slow" })
        expect(yield* verdictOf({ url: target.url, degradedAfterMs: 60_000 })).toEqual(up)
        expect(yield* verdictOf({ url: `${target.url}/drip` })).toEqual(up)
        const dripping = yield* monitorOf({ url: `${target.url}/drip`, timeoutMs: 1000, keyword: "fine" })
        expect(yield* dripping.check()).toMatchObject({
          outcome: "down",
          cause: "timeout",
          statusCode: 200,
          error: expect.stringContaining("The response body did not complete within 1000 ms"),
          evidence: { body: "." }
        })
      }))

    it.scoped("by assertions on status, headers, body, JSON and latency, hard and soft", () =>
      Effect.gen(function*() {
        const target = yield* newTarget
        target.answers((_, response) =>
          void response.writeHead(200, { "content-type": "application/json", "x-version": "v12" })
            .end(JSON.stringify({ data: { items: [{ id: 7 }], ok: true } }))
        )
        const holding = [
          { source: "status", op: "lt", value: 300 },
          { source: "header", path: "X-Version", op: "matches", value: "^v[0-9]+$" },
          { source: "body", op: "contains", value: "items" },
          { source: "json", path: "data.items[0].id", op: "eq", value: 7 },
          { source: "json", path: "data.missing", op: "not_exists" },
          { source: "latency", op: "lt", value: 60_000 }
        ]
        const fine = yield* monitorOf({ url: target.url, assertions: holding })
        const { evidence } = yield* fine.check()
        expect(evidence.assertions.map(({ index, passed }: Json) => [index, passed])).toEqual(
          holding.map((_, index) => [index, true])
        )

        const wrong = { source: "json", path: "data.ok", op: "eq", value: false }
        const hard = yield* monitorOf({ url: target.url, assertions: [...holding, wrong] })
        expect(yield* hard.check()).toMatchObject({
          outcome: "down",
          cause: "assertion",
          error: "Expected JSON data.ok to equal false, got true"
        })
        const soft = yield* monitorOf({ url: target.url, assertions: [{ ...wrong, severity: "degraded" }] })
        expect(yield* soft.check()).toMatchObject({ outcome: "degraded", cause: "assertion" })
        expect(soft.first.state).toBe("degraded")
      }))
  })

  describe("is checked manually", () => {
    it.scoped("without consequences by default, and with them on request", () =>
      Effect.gen(function*() {
        const target = yield* newTarget
        const monitor = yield* monitorOf({ url: target.url, failureThreshold: 2 })
        target.breaks()
        for (const _ of [1, 2, 3]) expect(yield* monitor.check()).toMatchObject({ outcome: "down", counted: false })
        expect(yield* monitor.get).toMatchObject({ state: "up", lastCheck: { outcome: "up" } })
        expect(yield* monitor.check({ apply: true })).toMatchObject({ outcome: "down", counted: true })
        expect(yield* monitor.get).toMatchObject({ state: "up", openIncidentId: null, lastCheck: { outcome: "down" } })
        yield* monitor.check({ apply: true })
        const down = yield* monitor.get
        expect(down).toMatchObject({ state: "down", openIncidentId: expect.stringMatching(/^inc_/) })
        target.recovers()
        yield* monitor.check({ apply: true })
        expect(yield* monitor.get).toMatchObject({ state: "up", openIncidentId: null })
      }))

    it.scoped("with phases and evidence, which are stored with the check", () =>
      Effect.gen(function*() {
        const { agent } = yield* Place
        const target = yield* newTarget
        const monitor = yield* monitorOf({
          url: target.url.replace("127.0.0.1", "localhost"),
          headers: { authorization: "Bearer t0ps3cret" }
        })
        target.answers(({ headers }, response) =>
          void response.writeHead(503, { "x-node": "b" }).end(`no: ${headers.authorization}`)
        )
        const check = yield* monitor.check()
        expect(check.timings).toEqual({
          dnsMs: expect.any(Number),
          connectMs: expect.any(Number),
          tlsMs: null,
          firstByteMs: expect.any(Number),
          totalMs: expect.any(Number)
        })
        expect(check.evidence).toMatchObject({
          remoteAddress: "127.0.0.1",
          responseHeaders: { "x-node": "b" },
          redirects: [],
          certificate: null
        })
        expect(check.evidence.body).toMatch(/^no: /)
        expect(JSON.stringify(check)).not.toContain("t0ps3cret")
        expect((yield* agent.get(`/checks/${check.id}`)).body).toEqual(check)
      }))
  })

  describe("is listed", () => {
    it.scoped("by tag and state", () =>
      Effect.gen(function*() {
        const { agent } = yield* Place
        const target = yield* newTarget
        const monitor = yield* monitorOf({ url: target.url, tags: ["eu", "paid"], name: "Tagged" })
        const ids = (query: string) =>
          Effect.map(agent.get(`/monitors${query}`), ({ body }) => body.data.map(({ id }: Json) => id))
        expect(yield* ids("?tag=paid")).toEqual([monitor.id])
        expect(yield* ids("?tag=free")).toEqual([])
        expect(yield* ids("?tag=paid&state=up")).toEqual([monitor.id])
        expect(yield* ids("?tag=paid&state=down")).toEqual([])
        yield* agent.delete(monitor.path)
        expect(yield* ids("?tag=paid")).toEqual([])
        expect((yield* agent.get(monitor.path)).status).toBe(404)
      }))

    it.scoped("with its checks by outcome, page by page, with evidence on demand", () =>
      Effect.gen(function*() {
        const { agent } = yield* Place
        const target = yield* newTarget
        const monitor = yield* monitorOf({ url: target.url })
        yield* monitor.check()
        target.breaks()
        const failed = yield* monitor.check()
        const list = (query: string) => Effect.map(agent.get(`${monitor.path}/checks${query}`), ({ body }): Json => body)
        const idsOf = ({ data }: Json) => data.map(({ id }: Json) => id)
        const all = yield* awaited(list(""), ({ data }) => data.length === 3)
        expect(all.data.map(({ outcome }: Json) => outcome)).toEqual(["down", "up", "up"])
        expect(all.next).toBeNull()
        expect(idsOf(yield* list("?outcome=down"))).toEqual([failed.id])
        const [bare] = (yield* list("?outcome=down")).data
        const [full] = (yield* list("?outcome=down&evidence=true")).data
        expect([bare.hasEvidence, bare.evidence, full.evidence]).toEqual([true, null, failed.evidence])
        const page = yield* list("?limit=2")
        const rest = yield* list(`?limit=2&before=${page.next}`)
        expect([...idsOf(page), ...idsOf(rest)]).toEqual(idsOf(all))
        expect(rest.next).toBeNull()
      }))
  })
})
