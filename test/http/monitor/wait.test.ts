/** Waiting for the state of a monitor: for as long as it takes, and not longer than asked. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestProgram } from "../../support/program/Program.ts"
import { callJson, newKey, post } from "../../support/program/TestServer.ts"

const setUp = Effect.gen(function*() {
  const caller = yield* newKey()
  const created = yield* post("/api/v1/monitors", { name: "Job", periodSec: 60 }, caller.headers)
  const id: string = created.body.id
  const sql = yield* SqlClient.SqlClient
  const wait = (query: string, headers = caller.headers) => callJson(`/api/v1/monitors/${id}/wait?${query}`, { headers })
  const pingPath = String(created.body.pingUrl).replace(/^.*(?=\/hb\/)/, "")
  const ping = callJson(pingPath, { method: "POST" })
  const fail = callJson(`${pingPath}/fail`, { method: "POST" })
  return { caller, fail, id, ping, sql, wait }
})

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("a wait for a monitor", (it) => {
  it.scoped(
    "answers immediately in the state, later when it comes, and with reached false when it does not",
    () =>
      Effect.gen(function*() {
        const { ping, wait } = yield* setUp
        expect((yield* wait("state=pending")).body).toMatchObject({ reached: true, state: "pending", openIncidentId: null })
        expect((yield* wait("timeoutSec=1")).body).toMatchObject({ reached: false, state: "pending" })
        const waiting = yield* Effect.fork(wait("state=up&timeoutSec=30"))
        yield* ping
        expect((yield* Fiber.join(waiting)).body).toMatchObject({ reached: true, state: "up" })
        const later = yield* wait("state=up&timeoutSec=1&checkedAfter=2099-01-01T00:00:00Z")
        expect(later.body).toMatchObject({ reached: false, state: "up" })
      })
  )

  it.scoped("takes the pings of a heartbeat for its checks", () =>
    Effect.gen(function*() {
      const { fail, ping, wait } = yield* setUp
      const after = `state=up&checkedAfter=${new Date(Date.now() - 60_000).toISOString()}`
      expect((yield* wait(`${after}&timeoutSec=1`)).body).toMatchObject({ reached: false, missingRegions: ["push"] })
      yield* ping
      const good = yield* wait(`${after}&timeoutSec=30`)
      expect(good.body).toMatchObject({ reached: true, checks: [{ region: "push", outcome: "up" }], failed: [] })
      yield* fail
      const failed = yield* wait(`${after}&timeoutSec=3`)
      expect(failed.body).toMatchObject({ reached: false, state: "down", failed: [{ outcome: "down", cause: "reported" }] })
      expect(failed.body.reason).toContain("The monitor is down, not up.")
    }))

  it.scoped("finds no monitor of another workspace, and ends when the monitor is deleted", () =>
    Effect.gen(function*() {
      const { id, sql, wait } = yield* setUp
      expect((yield* wait("state=pending", (yield* newKey()).headers)).status).toBe(404)
      const waiting = yield* Effect.fork(wait("state=down&timeoutSec=60"))
      yield* sql`delete from monitors where id = ${id}`
      expect((yield* Fiber.join(waiting)).status).toBe(404)
    }))

  it.scoped("is one of at most 20 of a workspace, which no other workspace feels", () =>
    Effect.gen(function*() {
      const { wait } = yield* setUp
      const calls = Array.from({ length: 25 }, () => wait("state=down&timeoutSec=5"))
      const answers = yield* Effect.all(calls, { concurrency: "unbounded" })
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(20).fill(200), ...Array(5).fill(429)])
      const other = yield* setUp
      expect((yield* other.wait("state=pending")).status).toBe(200)
    }))
})
