/** Sources that refuse a part of an account: the preview says what it lacks, and names the problem that matters. */
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { clientOf } from "../../flows/support/Client.ts"
import { programOf } from "../../support/program/Program.ts"
import { type Json, newKey } from "../../support/program/TestServer.ts"
import { localSource } from "../../support/services/LocalSources.ts"

const site = { id: 1, friendlyName: "Shop", url: "https://shop.example/", type: "HTTP", interval: 300 }
const hook = (value: string) => ({ type: "Webhook", value })

const program = Layer.unwrapScoped(Effect.gen(function*() {
  const robot = yield* localSource(({ pathname }, _, asked) => {
    const key = asked.at(-1)?.authorization?.slice("Bearer ".length)
    if (key === "old-key") return { status: 401, body: {} }
    if (key === "away-key") return { status: 503, headers: { "retry-after": "1000" }, body: {} }
    if (pathname === "/monitors") return { body: { data: [site] } }
    if (key === "narrow-key") return { status: 403, body: {} }
    if (pathname === "/psps" && key === "broken-key") return { status: 500, body: {} }
    const contacts = [{ ...hook("https://a.example/"), id: 1 }, hook("https://b.example/"), hook("https://c.example/")]
    const integrations = [{ ...hook("https://a.example/"), id: "1" }, hook("https://d.example/")]
    const lists: Record<string, Json> = {
      "/user/alert-contacts": contacts,
      "/integrations": integrations,
      "/maintenance-windows": [{ friendlyName: "Night &amp; day" }]
    }
    return { body: { data: lists[pathname] ?? [] } }
  })
  const old = yield* localSource(({ pathname }, form) => {
    if (form.get("api_key") !== "old-key" || pathname !== "/getMonitors") return { body: { stat: "fail", error: {} } }
    return { body: { stat: "ok", pagination: { total: 1 }, monitors: [{ id: 1, url: "https://shop.example/", type: 1 }] } }
  })
  const better = yield* localSource(({ pathname }) =>
    pathname.endsWith("/heartbeats") ? { status: 403, body: {} } : { body: { data: [], pagination: {} } }
  )
  const page = yield* localSource(({ pathname }) =>
    pathname === "/pages/p1"
      ? { body: { id: "p1", name: "Acme" } }
      : pathname.endsWith("/subscribers")
      ? { status: 500, body: {} }
      : { body: [] }
  )
  return programOf({
    BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8",
    BELLTOWER_UPTIMEROBOT_URL: robot.url,
    BELLTOWER_UPTIMEROBOT_V2_URL: old.url,
    BELLTOWER_BETTERSTACK_URL: better.url,
    BELLTOWER_STATUSPAGE_URL: page.url
  })
}))

const previewed = Effect.fn("previewed")(function*(input: object) {
  const { host, port } = yield* ServerAddress
  return yield* clientOf(`http://${host}:${port}`, (yield* newKey()).secret).post("/import/preview", input)
})

layer(program, { excludeTestServices: true, timeout: "90 seconds" })("a preview of an account", (it) => {
  it.effect("warns of each list that the key may not read, in either API of UptimeRobot", () =>
    Effect.gen(function*() {
      const lists = ["alert contacts", "status pages", "maintenance windows"]
      const warning = (list: string) => `The ${list} are not carried: the key may not read them`
      for (const apiKey of ["narrow-key", "old-key"]) {
        const { body } = yield* previewed({ source: "uptimerobot", apiKey })
        expect(body.monitors).toHaveLength(1)
        expect(body.warnings).toEqual(expect.arrayContaining(lists.map(warning)))
      }
      const { body } = yield* previewed({ source: "betterstack", apiKey: "narrow-key" })
      expect(body.warnings).toContain(warning("heartbeats"))
    }))

  it.effect("names the error of the newer API if the older one only refuses the key", () =>
    Effect.gen(function*() {
      const { body, status } = yield* previewed({ source: "uptimerobot", apiKey: "broken-key" })
      expect([status, body.error.message]).toEqual([503, "UptimeRobot answered with status 500"])
    }))

  it.effect("says that a service is away, not that it limits requests", () =>
    Effect.gen(function*() {
      const { body, status } = yield* previewed({ source: "uptimerobot", apiKey: "away-key" })
      expect([status, body.error.message]).toEqual([503, "UptimeRobot answered with status 503"])
    }))

  it.effect("warns of the subscribers of a page whose list cannot be read", () =>
    Effect.gen(function*() {
      const input = { source: "statuspage", apiKey: "some-key", pageId: "p1", incidents: false }
      const { body } = yield* previewed(input)
      expect(body.warnings).toEqual([
        "Subscribers are not carried: they agreed to hear from the old page. Invite them to subscribe again"
      ])
    }), 30_000)

  it.effect("lists the alert contacts that have no id", () =>
    Effect.gen(function*() {
      const { body } = yield* previewed({ source: "uptimerobot", apiKey: "whole-key" })
      expect(body.channels.map(({ name }: Json) => name)).toEqual(["a", "b", "c", "d"].map((name) => `https://${name}.example/`))
      expect(body.warnings).toEqual(["The maintenance window Night & day is not carried; schedule it again"])
    }))
})
