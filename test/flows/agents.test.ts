/** An agent's path through MCP alone, and the OpenAPI description of the same operations. */
import { expect, layer } from "@effect/vitest"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect } from "effect"
import { clientOf, type Json } from "./support/Client.ts"
import { awaited, SharedProgram } from "./support/Program.ts"
import { newTarget } from "./support/Target.ts"
import { toolsOver } from "./support/ToolsOver.ts"

const connect = Effect.fn("connect")(function*(baseUrl: string, apiKey?: string) {
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp${apiKey === undefined ? "/public" : ""}`), {
    requestInit: { headers }
  })
  return yield* toolsOver(transport)
})

layer(SharedProgram.Default, { excludeTestServices: true, timeout: "60 seconds" })("an agent", (it) => {
  it.scoped("goes from nothing to a monitored service and its events with tools only", () =>
    Effect.gen(function*() {
      const target = yield* newTarget
      const { baseUrl } = yield* SharedProgram
      const stranger = yield* connect(baseUrl)
      expect(yield* stranger.tools).not.toContain("create_service")
      const entered = yield* stranger.call("bootstrap_workspace", { agentName: "flow" })
      expect(entered.isError).toBe(false)

      const { call } = yield* connect(baseUrl, entered.body.apiKey)
      const service = yield* call("create_service", { name: "Shop", url: target.url, statusPage: "Acme", failureThreshold: 1 })
      expect(service).toMatchObject({ isError: false, body: { monitor: { name: "Shop" }, page: { slug: "acme" } } })
      const id: string = service.body.monitor.id
      const seen = yield* awaited(call("get_monitor", { id }), ({ body }) => body.state !== "pending")
      expect(seen.body).toMatchObject({ state: "up", lastCheck: { outcome: "up" } })
      target.breaks()
      expect((yield* call("run_check", { id, apply: true })).body).toMatchObject({ outcome: "down", cause: "status" })
      const news = yield* call("list_events", { types: "monitor.down", limit: 5 })
      expect(news.body.data).toMatchObject([{ type: "monitor.down", data: { monitor: { _id: id } } }])

      const wrong = yield* call("create_monitor", { name: "Shop", url: "nowhere", intervalSec: 1 })
      expect(wrong).toMatchObject({ isError: true, body: { error: { code: "validation_failed" } } })
      expect(wrong.body.error.details.map(({ path }: Json) => path).sort()).toEqual(["intervalSec", "url"])
      expect(yield* call("get_monitor", { id: "mon_nowhere" })).toMatchObject({
        isError: true,
        body: { error: { code: "not_found" } }
      })
    }))

  it.scoped("finds the same operations in the OpenAPI document and among the tools", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* SharedProgram
      const { body, status } = yield* clientOf(baseUrl).get("/openapi.json")
      expect([status, body.openapi, body.info.version]).toEqual([200, "3.1.0", "1.0.0"])
      const described = Object.values<Json>(body.paths).flatMap((path) =>
        Object.values<Json>(path).map(({ operationId }) => operationId)
      )
      const stranger = yield* connect(baseUrl)
      const { body: entered } = yield* stranger.call("bootstrap_workspace", { agentName: "flow" })
      const { tools } = yield* connect(baseUrl, entered.apiKey)
      expect([...described].sort()).toEqual([...(yield* tools)].sort())
      expect(described).toEqual(expect.arrayContaining([
        "bootstrap_workspace",
        "whoami",
        "create_service",
        "create_monitor",
        "run_check",
        "list_events",
        "public_page_status"
      ]))
    }))
})
