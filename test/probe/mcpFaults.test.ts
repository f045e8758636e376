/** The mcp check against servers that break the protocol, or try to get a secret kept. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { json, lookAtMcp as lookAt } from "../support/probe/McpChecks.ts"
import { httpTarget, probing } from "../support/targets/LocalTargets.ts"

type Answer = (
  message: { readonly id?: number; readonly method: string; readonly params?: unknown },
  response: ServerResponse
) => void

/** A server that answers each message as it likes; what the handler leaves open it accepts. */
const double = (answer: Answer, onRequest: (request: IncomingMessage) => void = () => {}) =>
  httpTarget((request, response) => {
    onRequest(request)
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const text = Buffer.concat(parts).toString()
      if (text === "") return response.writeHead(405).end()
      answer(JSON.parse(text), response)
    })
  })

const greeting = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "double", version: "1" } }

const polite = (other: Answer): Answer => (message, response) => {
  if (message.method === "initialize") json(response, { jsonrpc: "2.0", id: message.id, result: greeting })
  else if (message.id === undefined) response.writeHead(202).end()
  else other(message, response)
}

const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`

const faults: ReadonlyArray<readonly [name: string, answer: Answer, cause: string, error: RegExp]> = [
  [
    "an error",
    (m, r) => json(r, { jsonrpc: "2.0", id: m.id, error: { code: -32603, message: "no database" } }),
    "mcp_error",
    /^The server answered initialize with error -32603: no database$/
  ],
  [
    "an error without an id",
    (_, r) =>
      r.writeHead(400, { "content-type": "application/json" })
        .end("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"Parse error\"},\"id\":null}"),
    "status",
    /^Expected an answer to initialize, got 400 Bad Request: error -32700: Parse error$/
  ],
  [
    "a demand to sign in",
    (_, r) => r.writeHead(401, { "www-authenticate": "Bearer resource_metadata=\"https://a.test/x\"" }).end(),
    "status",
    /^The server requires sign-in: it answered 401 \(WWW-Authenticate: Bearer resource_metadata=.*\)\. Set tokenUrl/
  ],
  [
    "another version",
    (m, r) => json(r, { jsonrpc: "2.0", id: m.id, result: { ...greeting, protocolVersion: "2031-01-01" } }),
    "protocol_error",
    /^The server speaks version 2031-01-01 of the protocol; checks speak 2025-11-25/
  ],
  ["no JSON", (_, r) => json(r, "{"), "protocol_error", /^The answer to initialize is not JSON$/],
  ["a nest", (_, r) => json(r, deep(50_000)), "protocol_error", /^The answer to initialize nests more than 100 levels$/],
  [
    "a flood",
    (_, r) => json(r, `"${"x".repeat(1_100_000)}"`),
    "body_too_large",
    /^The answer to initialize is larger than 1 MiB$/
  ],
  [
    "another id",
    (_, r) => json(r, { jsonrpc: "2.0", id: 99, result: greeting }),
    "protocol_error",
    /^The body has no answer to initialize$/
  ],
  [
    "a stream that ends",
    (_, r) => r.writeHead(200, { "content-type": "text/event-stream" }).end(": hello\n\n"),
    "protocol_error",
    /^The stream ended without an answer to initialize$/
  ],
  [
    "a session that ended",
    (m, r) =>
      m.method === "initialize"
        ? json(r, { jsonrpc: "2.0", id: m.id, result: greeting }, { "mcp-session-id": "session-1" })
        : r.writeHead(m.id === undefined ? 202 : 404).end(),
    "mcp_error",
    /^The server ended the session before tools\/list \(404 Not Found\)$/
  ],
  [
    "pages without an end",
    polite((m, r) => json(r, { jsonrpc: "2.0", id: m.id, result: { tools: [], nextCursor: "more" } })),
    "mcp_error",
    /^The server lists its tools on more than 20 pages$/
  ],
  [
    "pages that are too large",
    polite((m, r) =>
      json(r, { jsonrpc: "2.0", id: m.id, result: { tools: [{ name: "x".repeat(400_000) }], nextCursor: "more" } })
    ),
    "body_too_large",
    /^The pages of tools\/list are together larger than 1 MiB$/
  ]
]

describe("a server that breaks the protocol", () => {
  it.scopedLive.each(faults)("with %s ends the check with a clear error", ([, answer, cause, error]) =>
    Effect.gen(function*() {
      const url = yield* double(answer)
      const seen = yield* lookAt(url)
      expect(seen).toMatchObject({ outcome: "down", cause, error: expect.stringMatching(error) })
      yield* seen.evidence
    }).pipe(Effect.provide(probing())))

  it.scopedLive("with a stream that never ends is answered as soon as the answer has come", () =>
    Effect.gen(function*() {
      const url = yield* double(polite((m, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write("id: 1\ndata:\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n")
        response.write(
          `event: message\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":${m.id},"result":{"tools":[{"name":"one"}]}}\r\n\r\n`
        )
      }))
      const seen = yield* lookAt(url, { expectedTools: ["one"] }, { timeoutMs: 4000 })
      expect(seen).toMatchObject({ outcome: "up", error: null })
      const silent = yield* double((_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n")
      })
      expect(yield* lookAt(silent, {}, { timeoutMs: 400 })).toMatchObject({
        outcome: "down",
        cause: "timeout",
        error: "The response began, but no answer to initialize came within 400 ms"
      })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("cannot get a secret into what is kept", () =>
    Effect.gen(function*() {
      const secrets = { headers: { "X-Api-Key": "s3cr3t-header" }, body: "{\"token\":\"s3cr3t-argument\"}" }
      const url = yield* double(polite((m, response) =>
        m.method === "tools/list"
          ? json(response, {
            jsonrpc: "2.0",
            id: m.id,
            result: { tools: [{ name: "echo", annotations: { readOnlyHint: true } }, { name: "s3cr3t-header" }] }
          })
          : json(response, {
            jsonrpc: "2.0",
            id: m.id,
            result: { isError: true, content: [{ type: "text", text: "s3cr3t-header s3cr3t-argument" }] }
          }, { "x-echo": "s3cr3t-header" })
      ))
      const seen = yield* lookAt(url, { callTool: "echo" }, { secrets })
      expect(seen.error).toBe("The call of echo failed: [hidden] [hidden]")
      expect(JSON.stringify([seen, yield* seen.evidence])).not.toContain("s3cr3t")
    }).pipe(Effect.provide(probing())))
})
