/** Answers to wrong requests: each error has its code, its reason and the next step. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Client, clientOf, type Json, newAgent, request } from "./support/Client.ts"
import { freshProgram } from "./support/Program.ts"
import { newTarget } from "./support/Target.ts"

class Place extends Context.Tag("test/Place")<Place, { readonly baseUrl: string; readonly agent: Client }>() {}

const place = Layer.scoped(
  Place,
  Effect.gen(function*() {
    const { baseUrl } = yield* freshProgram()
    return { baseUrl, agent: yield* newAgent(baseUrl) }
  })
)

const errorOf = ({ body, status }: { readonly status: number; readonly body: Json }) => ({ status, code: body.error?.code })

/** A raw body. */
const postRaw = Effect.fn("postRaw")(function*(path: string, body: string, type = "application/json") {
  const { agent, baseUrl } = yield* Place
  return yield* request(`${baseUrl}/api/v1${path}`, { method: "POST", headers: { ...agent.headers, "content-type": type }, body })
})

layer(place, { excludeTestServices: true, timeout: "60 seconds" })("a request", (it) => {
  it.scoped("without a valid key gets an explanation of how to send keys and where to get one", () =>
    Effect.gen(function*() {
      const { agent, baseUrl } = yield* Place
      const asked = (authorization?: string) =>
        request(`${baseUrl}/api/v1/agent/whoami`, authorization === undefined ? {} : { headers: { authorization } })
      const unknown = `Bearer bell_live_${"0".repeat(40)}`
      for (
        const wrong of [undefined, "Basic YTpi", "Bearer", "Bearer nonsense", unknown, agent.headers.authorization!.slice(0, -1)]
      ) {
        const refused = yield* asked(wrong)
        expect([wrong, errorOf(refused)]).toEqual([wrong, { status: 401, code: "unauthorized" }])
        expect(refused.headers.get("www-authenticate")).toContain("Bearer")
        expect(refused.body.error.hint).toBeTypeOf("string")
      }
      expect((yield* asked()).body.error.hint).toContain("/api/v1/agent/bootstrap")
    }))

  it.scoped("for a record of another workspace answers not found", () =>
    Effect.gen(function*() {
      const { agent, baseUrl } = yield* Place
      const target = yield* newTarget
      const other = yield* newAgent(baseUrl)
      const service = yield* other.post("/services", { name: "Theirs", url: target.url, statusPage: "Theirs", intervalSec: 3600 })
      const channel = yield* other.post("/channels", { name: "Theirs", type: "webhook", url: target.url })
      const { monitor, page } = service.body
      const check = yield* other.post(`/monitors/${monitor.id}/check`, {})
      const id: string = channel.body.id
      const tries = {
        read: agent.get(`/monitors/${monitor.id}`),
        change: agent.patch(`/monitors/${monitor.id}`, { name: "Mine" }),
        delete: agent.delete(`/monitors/${monitor.id}`),
        run: agent.post(`/monitors/${monitor.id}/check`, {}),
        list: agent.get(`/monitors/${monitor.id}/checks`),
        check: agent.get(`/checks/${check.body.id}`),
        page: agent.get(`/pages/${page.id}`),
        component: agent.post(`/pages/${page.slug}/components`, { name: "Mine" }),
        channel: agent.patch(`/channels/${id}`, { name: "Mine" }),
        silence: agent.delete(`/channels/${id}`),
        test: agent.post(`/channels/${id}/test`)
      }
      const answers = yield* Effect.all(tries)
      for (const [name, answer] of Object.entries(answers)) {
        expect([name, errorOf(answer)]).toEqual([name, { status: 404, code: "not_found" }])
      }
      const borrowed = yield* agent.post("/monitors", { name: "Mine", url: target.url, channelIds: [id] })
      expect(borrowed.body.error).toMatchObject({ code: "validation_failed", message: expect.stringContaining("channelIds.0") })
      expect((yield* agent.get("/monitors")).body.data).toEqual([])
      expect((yield* other.get(`/monitors/${monitor.id}`)).body.name).toBe("Theirs")
    }))

  it.scoped("with a body that is not a JSON object is rejected as such", () =>
    Effect.gen(function*() {
      for (const body of ["[1]", "{\"name\":", "null", "7", "\"text\""]) {
        expect([body, errorOf(yield* postRaw("/monitors", body))]).toEqual([body, { status: 400, code: "bad_request" }])
      }
      const huge = yield* postRaw("/monitors", JSON.stringify({ name: "x".repeat(1_100_000) }))
      expect(errorOf(huge)).toEqual({ status: 413, code: "bad_request" })
      expect(huge.body.error.message).toContain("1 MiB")
    }))

  it.scoped("with invalid fields lists every one of them, by its dotted path", () =>
    Effect.gen(function*() {
      const { agent } = yield* Place
      const refused = yield* agent.post("/monitors", {
        name: "",
        nmae: "Shop",
        url: "ftp://example.com",
        intervalSec: 5,
        timeoutMs: "soon",
        tags: [1],
        assertions: [{ source: "status", op: "eq", value: 200 }, { source: "moon", op: "is" }],
        headers: { a: 1 }
      })
      expect(errorOf(refused)).toEqual({ status: 422, code: "validation_failed" })
      const paths = refused.body.error.details.map(({ path }: Json) => path).sort()
      expect(paths).toEqual([
        "assertions.1.op",
        "assertions.1.source",
        "headers.a",
        "intervalSec",
        "name",
        "nmae",
        "tags.0",
        "timeoutMs",
        "url"
      ])
      expect(refused.body.error.details.find(({ path }: Json) => path === "nmae").message).toContain("name")
      const query = yield* agent.get("/events?limit=0&types=monitor.gone")
      expect(query.body.error.details.map(({ path }: Json) => path).sort()).toEqual(["limit", "types.0"])
    }))

  it.scoped("with settings that can never work explains what is missing", () =>
    Effect.gen(function*() {
      const { agent } = yield* Place
      const messageOf = (settings: object) =>
        Effect.map(agent.post("/monitors", { name: "Shop", ...settings }), ({ body, status }) => [status, body.error?.message])
      const url = "http://127.0.0.1/"
      expect(yield* messageOf({})).toEqual([422, "Cannot infer monitor kind"])
      expect(yield* messageOf({ kind: "http" })).toEqual([422, "url is required for http monitors"])
      for (
        const settings of [
          { expectedStatus: "2xx" },
          { regions: ["mars"] },
          { intervalSec: 10, confirmAfterSec: 11 },
          { headers: { "Content-Length": "1" } },
          { assertions: [{ source: "body", op: "matches", value: "(" }] },
          { assertions: [{ source: "header", op: "exists" }] }
        ]
      ) {
        const [status, message] = yield* messageOf({ url, ...settings })
        expect([settings, status, typeof message]).toEqual([settings, 422, "string"])
      }
    }))

  it.scoped("to an unknown path points to the interface, and one with the wrong method to the allowed ones", () =>
    Effect.gen(function*() {
      const { agent, baseUrl } = yield* Place
      const lost = yield* agent.get("/nowhere")
      expect(errorOf(lost)).toEqual({ status: 404, code: "not_found" })
      const link = /http\S+openapi\.json/.exec(lost.body.error.hint)?.[0] ?? ""
      expect((yield* request(link.replace(/^http:\/\/localhost:\d+/, baseUrl))).body.openapi).toBe("3.1.0")
      const wrong = yield* agent.put("/monitors", {})
      expect(errorOf(wrong)).toEqual({ status: 405, code: "bad_request" })
      expect(wrong.headers.get("allow")?.split(", ")).toEqual(expect.arrayContaining(["GET", "POST"]))
    }))
})

layer(place, { excludeTestServices: true, timeout: "60 seconds" })("an address", (it) => {
  it.scoped("inside the operator's network is rejected for checks by redirect and for webhooks by IP address", () =>
    Effect.gen(function*() {
      const { agent } = yield* Place
      const target = yield* newTarget
      target.answers((_, response) => void response.writeHead(302, { location: "http://10.0.0.1/" }).end())
      const { body } = yield* agent.post("/monitors", { name: "Redirected", url: target.url, intervalSec: 3600 })
      expect((yield* agent.post(`/monitors/${body.id}/check`, {})).body).toMatchObject({
        outcome: "down",
        cause: "blocked_target",
        error: expect.stringContaining("10.0.0.1 is not a public address")
      })
      const channel = yield* agent.post("/channels", { name: "Inside", type: "webhook", url: "http://169.254.169.254/" })
      expect(channel.body.error).toMatchObject({ code: "validation_failed", message: expect.stringContaining("url") })
    }))
})

describe("a program without an allow list", () => {
  layer(
    Layer.scoped(
      Place,
      Effect.gen(function*() {
        const { baseUrl } = yield* freshProgram({ BELLTOWER_ALLOW_TARGETS: "" })
        return { baseUrl, agent: yield* newAgent(baseUrl) }
      })
    ),
    { excludeTestServices: true, timeout: "60 seconds" }
  )((it) => {
    it.scoped("checks no private address, however it is written", () =>
      Effect.gen(function*() {
        const { agent } = yield* Place
        const target = yield* newTarget
        const { port } = new URL(target.url)
        const hosts = ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "0.0.0.0"]
        for (const host of hosts) {
          const refused = yield* agent.post("/monitors", { name: host, url: `http://${host}:${port}/`, intervalSec: 3600 })
          expect([host, refused.status, refused.body.error?.message]).toEqual([
            host,
            422,
            // This installation is at localhost, so its user can ask its operator.
            expect.stringMatching(/is a private address; to allow it, add it to BELLTOWER_ALLOW_TARGETS$/)
          ])
        }
        expect(target.asked).toEqual([])
      }))

    it.scoped("admits five agents per hour from one address, and tells the sixth when to retry", () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* Place
        const knock = clientOf(baseUrl).post("/agent/bootstrap", { agentName: "me" })
        // One was admitted before; the count restarts at the turn of the hour.
        let entered = 1
        let answer = yield* knock
        while (answer.status === 201 && entered < 11) {
          entered++
          answer = yield* knock
        }
        expect(entered).toBeGreaterThanOrEqual(5)
        expect(errorOf(answer)).toEqual({ status: 429, code: "rate_limited" })
        expect(answer.body.error.message).toBe(
          "At most 5 new workspaces an hour from one address; use the key you have"
        )
        const seconds = Number(answer.headers.get("retry-after"))
        expect(seconds).toBeGreaterThan(0)
        expect(seconds).toBeLessThanOrEqual(3600)
        expect(answer.body.error.details).toEqual({ retryAfterSec: seconds })
      }))
  })
})
