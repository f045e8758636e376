/** A server that is stopped tells load balancers first, and goes on serving meanwhile. */
import { expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { request } from "node:http"
import { awaited, freshProgram } from "./support/Program.ts"

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
