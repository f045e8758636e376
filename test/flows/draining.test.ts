/** A server that is stopped tells load balancers first, and goes on serving meanwhile. */
import { expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { request } from "node:http"
import { receiver } from "../notify/alert/Receiver.ts"
import { clientOf, newAgent } from "./support/Client.ts"
import { awaited, freshProgram, startProgram } from "./support/Program.ts"

const statusOf = (url: string) =>
  Effect.tryPromise(() => fetch(url, { headers: { connection: "close" } })).pipe(Effect.map(({ status }) => status))

it.scopedLive("is not ready but answers until the time is up, and a second signal ends the wait", () =>
  Effect.gen(function*() {
    // Longer than the test may take: only the second signal ends it.
    const program = yield* freshProgram({ BELLTOWER_DRAIN_SEC: "300" })
    const get = (path: string) => statusOf(`${program.baseUrl}${path}`)
    expect(yield* get("/readyz")).toBe(200)
    yield* program.signal("SIGTERM")
    yield* awaited(get("/readyz"), (status) => status === 503)
    expect([yield* get("/api/v1/openapi.json"), yield* get("/health"), yield* get("/healthz")]).toEqual([200, 200, 200])
    yield* program.signal("SIGTERM")
    const { code } = yield* program.ended
    expect(code).toBe(0)
    expect(Exit.isFailure(yield* Effect.exit(get("/healthz")))).toBe(true)
  }))

it.scopedLive("stops without a wait by default, as it has no load balancer", () =>
  Effect.gen(function*() {
    const program = yield* freshProgram()
    yield* program.signal("SIGINT")
    const { code, stdout } = yield* program.ended
    expect(code).toBe(0)
    expect(stdout).not.toContain("load balancers")
  }))

it.scopedLive("lets a request that is under way finish after the signal", () =>
  Effect.gen(function*() {
    const program = yield* freshProgram()
    const body = JSON.stringify({ agentName: "slow" })
    const headers = { "content-type": "application/json", "content-length": body.length }
    const sent = request(`${program.baseUrl}/api/v1/agent/bootstrap`, { method: "POST", headers })
    const answered = new Promise<number | undefined>((resolve, reject) => {
      sent.once("response", ({ statusCode }) => resolve(statusCode)).once("error", reject)
    })
    // The server has read the headers once it answers another request that was sent after them.
    yield* Effect.promise(() => new Promise<void>((resolve) => sent.write(body.slice(0, 5), () => resolve())))
    yield* statusOf(`${program.baseUrl}/healthz`)
    yield* program.signal("SIGTERM")
    yield* awaited(Effect.exit(statusOf(`${program.baseUrl}/healthz`)), Exit.isFailure)
    sent.end(body.slice(5))
    expect(yield* Effect.promise(() => answered)).toBe(201)
    expect((yield* program.ended).code).toBe(0)
  }))

/** An open stream: all that it sent until the server ended it. */
const opened = Effect.fn("opened")(function*(url: string, headers: Record<string, string> = {}) {
  const response = yield* Effect.promise(() => fetch(url, { headers: { accept: "text/event-stream", ...headers } }))
  expect([url, response.status]).toEqual([url, 200])
  return yield* Effect.forkScoped(Effect.promise(() => response.text()))
})

it.scopedLive("ends live streams, those of open pages and those of MCP with a time to come back, each with another", () =>
  Effect.gen(function*() {
    const program = yield* freshProgram()
    const agent = yield* newAgent(program.baseUrl)
    yield* agent.post("/pages", { name: "Acme", slug: "acme" })
    const clientInfo = { name: "flow", version: "1" }
    const begun = yield* Effect.promise(() =>
      fetch(`${program.baseUrl}/mcp`, {
        method: "POST",
        headers: { ...agent.headers, accept: "application/json, text/event-stream", "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }
        })
      })
    )
    const session = begun.headers.get("mcp-session-id") ?? ""
    const streams = [
      yield* opened(`${program.baseUrl}/api/v1/stream`, agent.headers),
      yield* opened(`${program.baseUrl}/api/v1/stream`, agent.headers),
      yield* opened(`${program.baseUrl}/s/acme/live`),
      yield* opened(`${program.baseUrl}/s/acme/live`),
      yield* opened(`${program.baseUrl}/mcp`, { ...agent.headers, "mcp-session-id": session })
    ]
    yield* program.signal("SIGTERM")
    const texts = yield* Effect.forEach(streams, Fiber.join)
    expect((yield* program.ended).code).toBe(0)
    const hints = texts.map((text) => Number(/\nretry: (\d+)\n\n$/.exec(text)?.[1]))
    for (const hint of hints) expect(hint >= 500 && hint <= 5500, hints.join()).toBe(true)
    expect(new Set(hints).size).toBeGreaterThan(3)
  }))

it.scopedLive("waits for the answer to a delivery that has left, so that it arrives once", () =>
  Effect.gen(function*() {
    const program = yield* freshProgram()
    const agent = yield* newAgent(program.baseUrl)
    const answers: Array<() => void> = []
    const hook = yield* receiver((response) => void answers.push(() => response.writeHead(204).end()))
    yield* agent.post("/channels", { name: "Team", type: "webhook", url: hook.url, events: ["deploy.created"] })
    yield* agent.post("/deploys", { version: "1" })
    yield* hook.next
    yield* program.signal("SIGTERM")
    yield* Effect.sync(() => answers[0]?.()).pipe(Effect.delay("700 millis"))
    expect((yield* program.ended).code).toBe(0)
    const next = yield* startProgram({ folder: program.folder })
    const { body } = yield* clientOf(next.baseUrl, agent.apiKey).get("/deliveries")
    expect(body.data).toMatchObject([{ stage: "delivered", attempts: 1 }])
    expect(hook.seen).toHaveLength(1)
  }))
