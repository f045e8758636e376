/** A stranger's message over MCP costs work in proportion to its size at most, whatever the tool and whatever the shape. */
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { setImmediate } from "node:timers/promises"
import { runSteps } from "../../src/domain/tools/Steps.ts"
import { openApiSteps } from "../../src/http/openapi/OpenApiDocument.ts"
import type { Operation } from "../../src/http/openapi/Operations.ts"
import { requestFields } from "../../src/http/request/RequestFields.ts"
import type { Application } from "../../src/http/server/Application.ts"
import { enveloped } from "../../src/http/server/Envelope.ts"
import { exchange } from "../../src/mcp/protocol/McpExchange.ts"
import { offerOf, type Surface } from "../../src/mcp/Surface.ts"
import { callerOf } from "../../src/mcp/ToolCall.ts"
import { allTools } from "../../src/mcp/Tools.ts"
import { attacks, fieldsOf, numbered } from "../support/hostile/HostileInputs.ts"
import { callCounter, callCounterOfEach } from "../support/measure/WorkDone.ts"
import { testBaseUrl } from "../support/program/TestServer.ts"

const document = runSteps(openApiSteps(testBaseUrl))
const surface: Surface = {
  baseUrl: testBaseUrl,
  document: Effect.succeed(document),
  instructions: "",
  hasKey: true,
  tools: allTools,
  allowed: allTools,
  shown: allTools,
  searches: false,
  structured: false
}

/** The values of a path's parameters. */
const paramsOf = (operation: Operation, url: URL) => {
  const segments = url.pathname.split("/")
  return Object.fromEntries(
    operation.path.split("/").flatMap((part, index) =>
      part.startsWith(":") ? [[part.slice(1), decodeURIComponent(segments[index] ?? "")]] : []
    )
  )
}

/** Decodes a tool's call as the application does, and goes no further. */
const decoding = (operation: Operation): Application => {
  const fields = requestFields(operation)
  return enveloped(Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const url = new URL(request.url, testBaseUrl)
    const params = paramsOf(operation, url)
    const query = Object.fromEntries(url.searchParams)
    const normalised = yield* fields.normalised(request, params, query)
    yield* fields.vet({ params, query })
    yield* normalised.body
    yield* Effect.either(fields.parts(normalised))
    return HttpServerResponse.empty()
  }))
}

const unused: Application = Effect.succeed(HttpServerResponse.empty())

const send = (app: Application, message: unknown) => {
  const request = HttpServerRequest.fromWeb(
    new Request(`${testBaseUrl}/mcp`, {
      method: "POST",
      body: JSON.stringify(message),
      headers: { "content-type": "application/json" }
    })
  )
  return exchange(offerOf(surface, app, callerOf(request, surface.hasKey)), request, Effect.succeed(null)).pipe(
    Effect.map(({ response }) => response.body._tag === "Uint8Array" ? new TextDecoder().decode(response.body.body) : ""),
    Effect.either,
    Effect.provide(NodeHttpServer.layerContext)
  )
}

const request = (method: string, params: object, id = 1) => ({ jsonrpc: "2.0", id, method, params })

const call = (operation: Operation, given: object) =>
  send(decoding(operation), request("tools/call", { name: operation.id, arguments: given }))

/** The test runner gives up on a worker that holds its event loop for a minute. */
const letTheRunnerSpeak = Effect.promise(() => setImmediate())

/** Beside so many bytes, an answer is not larger than what was sent: 50 issues and what surrounds them. */
const fixedPart = 10_000

/** Of an input that lacks its path, nothing is decoded, so that two shapes tell as much as all. */
const withoutPath = [attacks["unknown fields that resemble a known one"], attacks["a large map in every field"]]

describe("every tool", () => {
  it.scoped(
    "decodes what a stranger sends with work in proportion to its size at most, and answers no more than it was sent",
    () =>
      Effect.gen(function*() {
        const callsOfEach = yield* callCounterOfEach
        for (const { input, operation } of allTools) {
          yield* letTheRunnerSpeak
          const fields = Object.keys(input.properties)
          // With an id in the path, the rest of the input is decoded, too.
          const inPath = Object.fromEntries(fieldsOf(operation.pathParams).map((name) => [name, "mon_0000000000"]))
          const hasPath = Object.keys(inPath).length > 0
          const inputs = (size: number): ReadonlyArray<object> => [
            ...Object.values(attacks).map((attack) => ({ ...attack(fields, size), ...inPath })),
            ...(hasPath ? withoutPath.flatMap((attack) => attack?.(fields, size) ?? []) : [])
          ]
          const attacked = (given: ReadonlyArray<object>) => Effect.forEach(given, (one) => call(operation, one))
          // The first round compiles and fills caches.
          yield* attacked(inputs(50))
          const sent = inputs(1_000)
          let answers: ReadonlyArray<Either.Either<string, unknown>> = []
          const [small = 0, large = Infinity] = yield* callsOfEach([
            attacked(inputs(250)),
            Effect.map(attacked(sent), (found) => void (answers = found))
          ])
          expect([operation.id, large < 5 * small]).toEqual([operation.id, true])
          for (const [index, answered] of answers.entries()) {
            const text = Either.getOrElse(answered, () => "")
            expect(text.match(/\\"path\\"/g)?.length ?? 0).toBeLessThanOrEqual(50)
            expect([operation.id, text.length < fixedPart + JSON.stringify(sent[index]).length]).toEqual([operation.id, true])
          }
        }
      }),
    300_000
  )
})

const long = (size: number) => "x.".repeat(size * 4)

/** Messages of a size beside calls of tools. */
const messages: Readonly<Record<string, (size: number) => unknown>> = {
  "an unknown tool": (size) => request("tools/call", { name: `list_${long(size)}` }),
  "arguments that are no object": (size) =>
    request("tools/call", { name: "whoami", arguments: Array.from({ length: size }, () => 1) }),
  "a large _meta": (size) => request("tools/call", { name: "whoami", _meta: numbered(size, () => ({ a: "." })) }),
  "arguments of a prompt that are no texts": (size) =>
    request("prompts/get", { name: "review_monitoring", arguments: numbered(size, () => 1) }),
  "long arguments of a prompt": (size) =>
    request("prompts/get", { name: "investigate_incident", arguments: { incident: long(size) } }),
  "an unknown prompt": (size) => request("prompts/get", { name: long(size) }),
  "an unknown resource": (size) => request("resources/read", { uri: `belltower://operations/${long(size)}` }),
  "a long completion": (size) =>
    request("completion/complete", {
      ref: { type: "ref/resource", uri: "belltower://operations/{name}" },
      argument: { name: "name", value: long(size) }
    }),
  "no message": (size) => numbered(size, () => 1),
  "a message that is no request": (size) => ({ jsonrpc: "2.0", id: numbered(size, () => 1), method: [] }),
  "a batch of nonsense": (size) => Array.from({ length: 20 }, () => numbered(Math.ceil(size / 20), () => [1])),
  "a batch of calls with unknown fields": (size) =>
    Array.from(
      { length: 20 },
      (_, id) => request("tools/call", { name: "list_monitors", arguments: numbered(Math.ceil(size / 20), () => 1) }, id)
    )
}

describe("every message", () => {
  it.scoped.each(Object.entries(messages))(
    "costs work in proportion to its size at most: %s",
    ([, message]) =>
      Effect.gen(function*() {
        const callsOf = yield* callCounter
        yield* send(unused, message(50))
        const small = yield* callsOf(send(unused, message(500)))
        const large = yield* callsOf(send(unused, message(2_000)))
        expect(large).toBeLessThan(5 * small)
      })
  )

  it.effect("has an answer that is not larger than it was, beside a fixed part", () =>
    Effect.gen(function*() {
      for (const [name, message] of Object.entries(messages)) {
        const sent = message(9_000)
        const answered = Either.getOrElse(yield* send(unused, sent), () => "")
        expect([name, answered.length < 20_000 + JSON.stringify(sent).length]).toEqual([name, true])
      }
    }))
})

describe("messages beyond all limits", () => {
  it.scoped("are refused before they are parsed", () =>
    Effect.gen(function*() {
      const callsOf = yield* callCounter
      const attacked = (size: number) =>
        send(unused, request("tools/call", { name: "bootstrap_workspace", arguments: numbered(size, () => 1) }))
      const refused = yield* Effect.flip(Effect.flatten(attacked(20_000)))
      expect(JSON.stringify(refused)).toContain("more than 10000 fields")
      const small = yield* callsOf(attacked(20_000))
      const large = yield* callsOf(attacked(40_000))
      expect(large - small).toBeLessThan(10_000)
    }))
})
