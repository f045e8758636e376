/** The protocol's own conformance suite against both endpoints: every scenario that does not call tools of its fixture server passes. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { createServer, request as httpRequest } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ServerAddress } from "../../src/http/server/ServeApp.ts"
import { newKey, TestServer } from "../support/TestServer.ts"

const suite = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol/conformance/dist/index.js")

/** Scenarios about the protocol alone. */
const ofTheProtocol = [
  "server-initialize",
  "ping",
  "tools-list",
  "server-sse-polling",
  "server-sse-multiple-streams",
  "resources-list",
  "prompts-list",
  "dns-rebinding-protection"
]

/** Scenarios that call a tool, a prompt or a resource that only the suite's fixture server has. */
const ofTheFixture = [
  // Answers carry their own errors and this server sends no log messages, so it does not offer to.
  "logging-set-level",
  "completion-complete",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-with-logging",
  "tools-call-error",
  "tools-call-with-progress",
  "tools-call-sampling",
  "tools-call-elicitation",
  "json-schema-2020-12",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
  "resources-read-text",
  "resources-read-binary",
  "resources-templates-read",
  "resources-subscribe",
  "resources-unsubscribe",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-embedded-resource",
  "prompts-get-with-image"
]

/** The suite can send no key, so this forwards its requests unchanged but for the key. */
const addingKey = (port: number, authorization: string) =>
  Effect.acquireRelease(
    Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        const { headers, method, url: path } = request
        const onward = httpRequest(
          { host: "127.0.0.1", port, path, method, headers: { ...headers, authorization } },
          (answer) => {
            response.writeHead(answer.statusCode ?? 500, answer.headers)
            answer.pipe(response)
          }
        )
        response.once("close", () => onward.destroy())
        onward.on("error", () => response.destroy())
        request.pipe(onward)
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const own = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ port: own, close: () => (server.close(), server.closeAllConnections()) }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** The scenarios of the suite's summary, by whether they passed. */
const scenariosOf = (output: string) => {
  const lines = [...output.slice(output.lastIndexOf("=== SUMMARY ===")).matchAll(/^(\S) ([\w-]+): \d+ passed, (\d+) failed/gm)]
  const named = (passed: boolean) => lines.filter(([, , , failed]) => (failed === "0") === passed).map(([, , name]) => name)
  return { passed: named(true), failed: named(false) }
}

const conformance = (url: string) =>
  Effect.async<ReturnType<typeof scenariosOf>>((resume, signal) => {
    const given = [suite, "server", "--suite", "all", "--url", url]
    execFile(process.execPath, given, { cwd: tmpdir(), maxBuffer: 2 ** 26, signal }, (_, output, errors) => {
      const found = scenariosOf(output)
      resume(found.passed.length > 0 ? Effect.succeed(found) : Effect.dieMessage(errors.slice(0, 2000)))
    })
  })

layer(TestServer, { excludeTestServices: true })("the conformance suite", (it) => {
  it.scoped.each([["/mcp/public"], ["/mcp"]])("passes on %s", ([path = ""]) =>
    Effect.gen(function*() {
      const { port } = yield* ServerAddress
      const { secret } = yield* newKey()
      const proxy = yield* addingKey(port, `Bearer ${secret}`)
      const { failed, passed } = yield* conformance(`http://127.0.0.1:${path === "/mcp" ? proxy.port : port}${path}`)
      expect(passed).toEqual(ofTheProtocol)
      // A scenario that is new in the suite is in neither list.
      expect(failed).toEqual(ofTheFixture)
    }), 120_000)
})
