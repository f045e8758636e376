/** Which tools a caller sees, under which host names the endpoint is served, and how a call is recorded. */
import { HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "node:http"
import { operations } from "../../src/http/openapi/Operations.ts"
import { ServerAddress } from "../../src/http/server/ServeApp.ts"
import { callOperation } from "../../src/mcp/ToolCall.ts"
import { CallOrigin } from "../../src/operations/access/CallOrigin.ts"
import { rpc } from "../support/mcp/Rpc.ts"
import { type Json, newKey, post, TestServer } from "../support/program/TestServer.ts"

const listed = (headers: Record<string, string>, path = "/mcp") =>
  Effect.map(
    post(path, rpc("tools/list"), headers),
    ({ body }): ReadonlyArray<string> => body.result.tools.map(({ name }: Json) => name)
  )

/** `fetch` sets Host itself, so this writes to the socket. */
const reached = (headers: Record<string, string>, path = "/mcp") =>
  Effect.flatMap(
    ServerAddress,
    ({ host, port }) =>
      Effect.async<{ readonly status: number | undefined; readonly body: Json; readonly cors: unknown }>((resume) => {
        const body = JSON.stringify(rpc("ping"))
        const sent = request(
          { host, port, path, method: "POST", headers: { "content-type": "application/json", ...headers } },
          (answer) => {
            const parts: Array<Buffer> = []
            answer.on("data", (part: Buffer) => parts.push(part))
            answer.on("end", () =>
              resume(Effect.succeed({
                status: answer.statusCode,
                body: JSON.parse(Buffer.concat(parts).toString()),
                cors: answer.headers["access-control-allow-origin"]
              })))
          }
        )
        sent.on("error", (error) => resume(Effect.die(error)))
        sent.end(body)
      })
  )

layer(TestServer, { excludeTestServices: true })("over MCP", (it) => {
  describe("the listed tools", () => {
    it.effect("for a read-only key are those that read, with or without a key", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey(["read"])
        const tools = yield* listed(headers)
        expect(tools).toEqual(
          operations.filter(({ leastRole, method, scope }) =>
            scope === "public" ? method === "GET" : scope === "read" && leastRole === "viewer"
          ).map(({ id }) => id)
        )
        expect(tools).toEqual(expect.arrayContaining(["list_monitors", "list_plans"]))
        for (const writing of ["create_monitor", "bootstrap_workspace", "send_heartbeat"]) expect(tools).not.toContain(writing)
      }))

    it.effect("for a key with the write scope are all that its role may call", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        expect(yield* listed(headers)).toEqual(expect.arrayContaining(["list_monitors", "create_monitor", "bootstrap_workspace"]))
      }))

    it.effect("for a delegated key are its operations, and the one that says what the key is", () =>
      Effect.gen(function*() {
        const { headers, keyId } = yield* newKey()
        const sql = yield* SqlClient.SqlClient
        yield* sql`update api_keys set operations = '{list_monitors,run_check}' where id = ${keyId}`
        const tools = yield* listed(headers)
        expect(tools.filter((name) => operations.some(({ id, scope }) => id === name && scope !== "public")))
          .toEqual(["whoami", "list_monitors", "run_check"])
      }))

    it.effect("on the public endpoint are the public ones, for every caller", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey(["read"])
        const open = operations.filter(({ scope }) => scope === "public").map(({ id }) => id)
        for (const sent of [{}, headers, { authorization: "Bearer nonsense" }]) {
          expect(yield* listed(sent, "/mcp/public")).toEqual(open)
        }
      }))
  })

  describe("the chosen toolsets", () => {
    it.effect("limit the list, by the query or by a header, and never a call", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const ofGroups = (...groups: ReadonlyArray<string>) =>
          operations.filter(({ group }) => groups.includes(group)).map(({ id }) => id)
        expect(yield* listed(headers, "/mcp?toolsets=monitors,%20Status-Pages")).toEqual(ofGroups("Monitors", "Status pages"))
        expect(yield* listed({ ...headers, "x-mcp-toolsets": "events" })).toEqual(ofGroups("Events"))
        expect(yield* listed({}, "/mcp/public?toolsets=billing")).toEqual(["list_plans"])
        const { body } = yield* post("/mcp?toolsets=events", rpc("tools/call", { name: "whoami", arguments: {} }), headers)
        expect(body.result.isError).toBeUndefined()
      }))

    it.effect("are refused if one is unknown, with the names of all", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey()
        const { body, status } = yield* post("/mcp?toolsets=monitor", rpc("tools/list"), headers)
        expect([status, body.error.message]).toEqual([400, "Unknown toolset monitor; did you mean monitors?"])
        expect(body.error.hint).toContain("status-pages")
      }))
  })

  describe("a Host header", () => {
    it.effect("that names this service, this machine or an IP address is served", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey(["read"])
        for (
          const host of [
            "belltower.test",
            "BELLTOWER.test.",
            "belltower.test:8443",
            "a.agents.test",
            "localhost:8080",
            "x.localhost",
            "127.0.0.1",
            "192.168.1.5:8080",
            "[::1]:8080"
          ]
        ) {
          expect([host, (yield* reached({ host, ...headers })).status]).toEqual([host, 200])
        }
      }))

    it.effect("of any other name is rejected with the setting that would allow it (DNS rebinding)", () =>
      Effect.gen(function*() {
        for (
          const host of [
            "evil.example",
            "evil.example:8080",
            "belltower.test.evil.example",
            "agents.test",
            "127.0.0.1.evil.example"
          ]
        ) {
          for (const path of ["/mcp", "/mcp/public"]) {
            const { body, status } = yield* reached({ host, origin: `http://${host}`, authorization: "Bearer x" }, path)
            expect([host, status, body.error?.code]).toEqual([host, 403, "forbidden"])
            expect(body.error.hint).toContain("BELLTOWER_ALLOWED_HOSTS")
          }
        }
      }))
  })

  describe("a web page of any origin", () => {
    it.effect("needs a key like any client, and may read the error", () =>
      Effect.gen(function*() {
        const { headers } = yield* newKey(["read"])
        for (
          const origin of ["https://app.example", "http://6.6.6.6", "null", "https://belltower.test", "http://localhost:6274"]
        ) {
          const refused = yield* reached({ host: "localhost", origin })
          expect([origin, refused.status, refused.cors]).toEqual([origin, 401, "*"])
          expect([origin, (yield* reached({ host: "localhost", origin, ...headers })).status]).toEqual([origin, 200])
        }
      }))

    it.effect("needs no key on the public endpoint", () =>
      Effect.gen(function*() {
        for (const origin of ["https://app.example", "null"]) {
          const { cors, status } = yield* reached({ host: "localhost", origin }, "/mcp/public")
          expect([origin, status, cors]).toEqual([origin, 200, "*"])
        }
      }))
  })

  describe("a call", () => {
    it.effect("is recorded as a call over MCP, with the address and the key of the sender", () =>
      Effect.gen(function*() {
        const whoami = yield* Effect.orDie(Effect.fromNullable(operations.find(({ id }) => id === "whoami")))
        const seen: Array<unknown> = []
        const app = Effect.gen(function*() {
          seen.push(yield* CallOrigin)
          return HttpServerResponse.unsafeJson({ ok: true })
        })
        const caller = { headers: { authorization: "Bearer x" }, remoteAddress: "203.0.113.7" }
        const { text } = yield* callOperation(app, whoami, {}, caller)
        expect([seen, JSON.parse(text)]).toEqual([[{ surface: "mcp", ip: "203.0.113.7" }], { ok: true }])
        expect(yield* CallOrigin).toEqual({ surface: "api", ip: null })
      }).pipe(Effect.provide(NodeHttpServer.layerContext)))
  })
})
