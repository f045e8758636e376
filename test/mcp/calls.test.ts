/** Calls that run while their client sends more about them, which may reach another process of the deployment. */
import { expect, layer } from "@effect/vitest"
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { Context, Deferred, Effect, Fiber, Layer, Option, Schedule } from "effect"
import { ServerAddress } from "../../src/http/server/ServeApp.ts"
import type { Offer } from "../../src/mcp/protocol/Offer.ts"
import { TestDatabase } from "../support/database/TestDatabase.ts"
import { textResult } from "../support/mcp/ConformanceQuestions.ts"
import { serverOffering } from "../support/mcp/ConformanceServer.ts"
import { call, type Json } from "../support/program/TestServer.ts"

/** Tools of which one never ends and one asks, and what becomes of the first. */
const makeOffer = Effect.gen(function*() {
  const [begun, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const hanging = Effect.onInterrupt(
    Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never),
    () => Deferred.succeed(ended, undefined)
  )
  const offer: Offer = {
    server: { name: "test", version: "1" },
    capabilities: { tools: {} },
    instructions: "",
    isPublic: true,
    converses: (tool) => tool === "ask",
    handle: (on) =>
      on(CallToolRequestSchema, ({ params: { name } }, { ask }) =>
        name === "hang"
          ? hanging
          : Effect.map(
            ask({ name: { method: "elicitation/create", params: { message: "Who?", requestedSchema: { type: "object" } } } }),
            (answers) => textResult(JSON.stringify(Option.getOrNull(answers)))
          ))
  }
  return { begun, ended, offer }
})

/** Two processes with the same offer. */
const twoProcesses = Effect.gen(function*() {
  const made = yield* makeOffer
  const server = serverOffering(() => Effect.succeed({ caller: null, offer: made.offer }))
  const process = Effect.map(Layer.build(Layer.fresh(server)), (context) => Context.get(context, ServerAddress))
  const [here, there] = [yield* process, yield* process]
  return { ...made, here: Effect.provideService(ServerAddress, here), there: Effect.provideService(ServerAddress, there) }
})

const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 7, method, params })

const streaming = { accept: "application/json, text/event-stream" }

const send = (message: unknown, headers: Record<string, string> = {}) =>
  call("/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(message)
  })

/** The header of a new session of a client that can be asked for this. */
const sessionOf = (capabilities: object) =>
  Effect.map(
    send(rpc("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "test", version: "1" } })),
    ({ headers }) => ({ "mcp-session-id": headers.get("mcp-session-id") ?? "" })
  )

const bodyOf = (response: Response) => Effect.promise(() => response.text())

/** The next message of a stream of events. */
const messagesOf = (response: Response) => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  return Effect.map(
    Effect.promise(() => reader?.read() ?? Promise.reject(new Error("The response has no body"))),
    ({ value = "" }): Json => JSON.parse(/^data: (.*)$/m.exec(value)?.[1] ?? "null")
  )
}

const hang = rpc("tools/call", { name: "hang", _meta: { progressToken: 1 } })

const ask = rpc("tools/call", { name: "ask" })

const end = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }

layer(TestDatabase, { excludeTestServices: true })("a call that runs", (it) => {
  it.scoped.each([["as JSON", {}], ["as a stream", streaming]] as const)(
    "ends when its client ends it in another process, and has no answer %s",
    ([, headers]) =>
      Effect.gen(function*() {
        const { begun, ended, here, there } = yield* twoProcesses
        const session = yield* here(sessionOf({}))
        const answer = yield* Effect.fork(here(Effect.flatMap(send(hang, { ...session, ...headers }), bodyOf)))
        yield* Deferred.await(begun)
        // A process hears of the other's messages from a moment after its start.
        const said = Effect.repeat(there(send(end, session)), Schedule.spaced("50 millis"))
        yield* Effect.race(Deferred.await(ended), said)
        expect(yield* Fiber.join(answer)).toBe("")
      })
  )

  it.scoped("goes on when a client of another session ends a call with its id", () =>
    Effect.gen(function*() {
      const { begun, ended, here } = yield* twoProcesses
      const [own, other] = [yield* here(sessionOf({})), yield* here(sessionOf({}))]
      yield* Effect.fork(here(send(hang, { ...own, ...streaming })))
      yield* Deferred.await(begun)
      expect((yield* here(send(end, other))).status).toBe(202)
      expect(Option.isNone(yield* Deferred.poll(ended))).toBe(true)
      yield* here(send(end, own))
      yield* Deferred.await(ended)
    }))

  it.scoped("ends when its client leaves", () =>
    Effect.gen(function*() {
      const { begun, ended, here } = yield* twoProcesses
      const asked = yield* Effect.fork(here(send(hang, streaming)))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(asked)
      yield* Deferred.await(ended)
    }))

  it.scoped("asks its client, whose answer may reach another process", () =>
    Effect.gen(function*() {
      const { here, there } = yield* twoProcesses
      const session = yield* here(sessionOf({ elicitation: {} }))
      const message = messagesOf(yield* here(send(ask, { ...session, ...streaming })))
      const { id, method, params } = yield* message
      expect([method, params.message]).toEqual(["elicitation/create", "Who?"])
      const answer = { jsonrpc: "2.0", id, result: { action: "accept", content: { name: "Ada" } } }
      const said = Effect.repeat(there(send(answer, session)), Schedule.spaced("50 millis"))
      const { result } = yield* Effect.race(message, said)
      expect(JSON.parse(result.content[0].text)).toEqual({ name: answer.result })
      const long = { ...answer, id: "none", result: { content: { name: "x".repeat(8000) } } }
      expect((yield* there(send(long, session))).status).toBe(400)
    }))

  it.scoped("asks nobody who did not say so, or who takes no stream", () =>
    Effect.gen(function*() {
      const { here } = yield* twoProcesses
      const clients: ReadonlyArray<readonly [object, Record<string, string>]> = [
        [{}, streaming],
        [{ elicitation: {} }, {}],
        [{ elicitation: { url: {} } }, streaming]
      ]
      for (const [capabilities, headers] of clients) {
        const session = yield* here(sessionOf(capabilities))
        expect(yield* here(Effect.flatMap(send(ask, { ...session, ...headers }), bodyOf))).toContain("\"text\":\"null\"")
      }
    }))
})
