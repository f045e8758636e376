/** Checks on demand end with their callers, and a workspace has only some of them under way. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Socket } from "node:net"
import { programOf } from "../../support/program/Program.ts"
import { bearer, call, callJson, type Json, newKey, post } from "../../support/program/TestServer.ts"
import { httpTarget, tcpTarget } from "../../support/targets/LocalTargets.ts"
import { until } from "../../support/time/Until.ts"

const program = programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8", BELLTOWER_CHECKS_PER_WORKSPACE: "3" })

/** A target that accepts connections and never answers. */
const silentTarget = Effect.gen(function*() {
  const open = new Set<Socket>()
  const port = yield* tcpTarget((socket) => {
    // A socket that is not read does not notice its end.
    open.add(socket.resume())
    socket.once("close", () => open.delete(socket))
  })
  return { url: `http://127.0.0.1:${port}/`, open: Effect.sync(() => open.size) }
})

/** A target whose status the test chooses. */
const answeringTarget = Effect.gen(function*() {
  let status = 200
  const url = yield* httpTarget((_, response) => void response.writeHead(status).end())
  return { url, answers: (next: number) => Effect.sync(() => void (status = next)) }
})

/** Reads a stream until a text has come. */
const sentBy = ({ body }: Response, text: string) =>
  Effect.promise(async () => {
    const reader = body?.getReader()
    for (let read = ""; !read.includes(text);) {
      const { done = true, value } = await reader?.read() ?? {}
      if (done) throw new Error(`The stream ended without ${text}`)
      read += new TextDecoder().decode(value)
    }
    reader?.releaseLock()
  })

layer(program, { excludeTestServices: true })("A check on demand", (it) => {
  const newMonitor = Effect.fnUntraced(function*(url: string) {
    const { body: entered } = yield* post("/api/v1/agent/bootstrap", { agentName: "test" })
    const headers = bearer(entered.apiKey)
    // Paused, so that only checks on demand connect.
    const { body: monitor } = yield* post("/api/v1/monitors", { name: "Silent", url, timeoutMs: 10_000, paused: true }, headers)
    return { headers, path: `/api/v1/monitors/${monitor.id}/check` }
  })

  /** Asks for a check and leaves when the fiber is interrupted. */
  const asking = (path: string, headers: Record<string, string>) => Effect.fork(call(path, { method: "POST", headers }))

  it.scoped("that nobody waits for any more leaves no open socket and no taken place", () =>
    Effect.gen(function*() {
      const target = yield* silentTarget
      const { headers, path } = yield* newMonitor(target.url)
      for (const repeatable of [false, true]) {
        const callers = yield* Effect.forEach([1, 2, 3], (n) =>
          asking(path, { ...headers, ...(repeatable ? { "idempotency-key": `key ${n}` } : {}) }))
        yield* until(target.open, (open) =>
          open === 3)
        yield* Fiber.interruptAll(callers)
        yield* until(target.open, (open) => open === 0)
      }
      // All places are free again.
      const callers = yield* Effect.forEach([1, 2, 3], () => asking(path, headers))
      yield* until(target.open, (open) => open === 3)
      yield* Fiber.interruptAll(callers)
    }))

  it.scoped("is refused while the workspace has the most under way; another workspace is not affected", () =>
    Effect.gen(function*() {
      const target = yield* silentTarget
      const one = yield* newMonitor(target.url)
      const other = yield* newMonitor(target.url)
      const callers = yield* Effect.forEach([1, 2, 3], () => asking(one.path, one.headers))
      yield* until(target.open, (open) => open === 3)
      const refused = yield* post(one.path, {}, one.headers)
      expect([refused.status, refused.body.error.message, refused.headers.get("retry-after")])
        .toEqual([429, "At most 3 checks on demand at a time for one workspace", "5"])
      const theirs = yield* asking(other.path, other.headers)
      yield* until(target.open, (open) => open === 4)
      yield* Fiber.interruptAll([...callers, theirs])
    }))

  it.scoped("that is applied is decided when its answer comes, and the live stream shows it and any other", () =>
    Effect.gen(function*() {
      const target = yield* answeringTarget
      const { body: entered } = yield* post("/api/v1/agent/bootstrap", { agentName: "test" })
      const headers = bearer(entered.apiKey)
      const { body: monitor } = yield* post("/api/v1/monitors", { name: "Web", url: target.url, failureThreshold: 1 }, headers)
      const stream = yield* call("/api/v1/stream?checks=1", { headers })
      for (const [status, state] of [[200, "up"], [500, "down"], [200, "up"], [500, "down"]] as const) {
        yield* target.answers(status)
        const { body: check } = yield* post(`/api/v1/monitors/${monitor.id}/check`, { apply: true }, headers)
        expect(check).toMatchObject({ outcome: state, counted: true })
        expect((yield* callJson(`/api/v1/monitors/${monitor.id}`, { headers })).body.state).toBe(state)
        yield* sentBy(stream, `"_id":"${check.id}"`)
      }
      const { body: seen } = yield* post(`/api/v1/monitors/${monitor.id}/check`, {}, headers)
      expect(seen).toMatchObject({ outcome: "down", counted: false })
      yield* sentBy(stream, `"_id":"${seen.id}"`)
      const { body: events } = yield* callJson("/api/v1/events?types=monitor.up,monitor.down", { headers })
      expect(events.data.map(({ type }: Json) => type)).toEqual(["monitor.down", "monitor.up", "monitor.down"])
    }))

  it.scoped("counts for nothing in a region that alone sees most of its targets fail", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const target = yield* answeringTarget
      const { headers } = yield* newKey()
      const settings = { name: "Seen by one", url: target.url, failureThreshold: 1, intervalSec: 86_400 }
      const { body: monitor } = yield* post("/api/v1/monitors", settings, headers)
      const state = Effect.map(callJson(`/api/v1/monitors/${monitor.id}`, { headers }), ({ body }) => body.state)
      yield* until(state, (now) => now === "up")
      yield* target.answers(500)
      const checked = Effect.map(post(`/api/v1/monitors/${monitor.id}/check`, { apply: true }, headers), ({ body }) => body)
      yield* Effect.acquireUseRelease(
        sql`update regions set alone_at = now() + interval '1 hour'`,
        () =>
          Effect.gen(function*() {
            expect(yield* checked).toMatchObject({ outcome: "down", counted: false })
            expect(yield* state).toBe("up")
          }),
        () => Effect.orDie(sql`update regions set alone_at = null`)
      )
      expect(yield* checked).toMatchObject({ outcome: "down", counted: true })
      expect(yield* state).toBe("down")
    }))

  it.scoped("that is applied counts in a simulation, also beside others within one slot", () =>
    Effect.gen(function*() {
      const target = yield* answeringTarget
      const { body: entered } = yield* post("/api/v1/agent/bootstrap", { agentName: "test" })
      const headers = bearer(entered.apiKey)
      const { body: monitor } = yield* post("/api/v1/monitors", { name: "Rare", url: target.url, intervalSec: 86_400 }, headers)
      const stored = Effect.map(callJson(`/api/v1/monitors/${monitor.id}/checks`, { headers }), ({ body }) => body.data)
      yield* until(stored, (checks) => checks.length === 1)
      for (const [status, state] of [[500, "up"], [500, "down"], [500, "down"], [200, "up"]] as const) {
        yield* target.answers(status)
        yield* post(`/api/v1/monitors/${monitor.id}/check`, { apply: true }, headers)
        expect((yield* callJson(`/api/v1/monitors/${monitor.id}`, { headers })).body.state).toBe(state)
      }
      const simulated = (input: object) =>
        Effect.map(post("/api/v1/monitors/simulate", { monitorId: monitor.id, ...input }, headers), ({ body }) => body)
      const same = yield* simulated({})
      expect(same).toMatchObject({ checks: 5, simulated: { alerts: 1 }, actual: { alerts: 1 } })
      expect(same.simulated.outages[0]).toMatchObject({ from: same.actual.outages[0].from, to: same.actual.outages[0].to })
      expect(yield* simulated({ failureThreshold: 4 })).toMatchObject({ simulated: { alerts: 0 } })
    }))
})
