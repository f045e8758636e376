/** How often the requests that programs repeat wait for the database. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { StatementBatch } from "../../../src/store/postgres/StatementBatch.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { bearer, callJson, newKey, post } from "../../support/program/TestServer.ts"

/** Statements that travel together. */
interface Trip {
  readonly text: string
  readonly connection: unknown
}

/** The round trips while an effect runs, in order. */
const sentDuring = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const trips: Array<Trip> = []
    const { submit } = StatementBatch.prototype
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        vi.spyOn(StatementBatch.prototype, "submit").mockImplementation(function(this: StatementBatch, connection) {
          trips.push({ text: JSON.stringify(this.steps.map(({ text, values }) => [text, values])), connection })
          return submit.call(this, connection)
        })
      ),
      (spy) => Effect.sync(() => spy.mockRestore())
    )
    yield* effect
    return trips
  }).pipe(Effect.scoped)

/** The round trips about a workspace. What runs in the background names others, or none. */
const roundTripsOf = <A, E, R>(workspaceId: string, effect: Effect.Effect<A, E, R>) =>
  Effect.map(sentDuring(effect), (sent) => sent.filter(({ text }) => text.includes(workspaceId)).length)

const monitor = { name: "Shop", url: "https://shop.test/", paused: true }

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("a request waits for the database", (it) => {
  it.scoped.each(
    [
      ["once to identify its caller", () => "/api/v1/agent/whoami", 1],
      ["once to read the newest events", () => "/api/v1/events?limit=20", 1],
      [
        "once to read a new monitor with its uptime, its newest checks and its statistics",
        (id: string) => `/api/v1/monitors/${id}`,
        1
      ]
    ] as const
  )("%s", ([, path, trips]) =>
    Effect.gen(function*() {
      const { secret, workspaceId } = yield* newKey()
      const { body: { id } } = yield* post("/api/v1/monitors", monitor, bearer(secret))
      const read = callJson(path(id), { headers: bearer(secret) })
      expect((yield* read).status).toBe(200)
      // What the workspace has caused before may still be under way.
      const each = yield* Effect.replicateEffect(roundTripsOf(workspaceId, read), 5)
      expect(Math.min(...each)).toBe(trips)
    }))

  it.scoped("thrice to create a monitor: for the channels and limits, for what it repeats, and for its audit entry and COMMIT", () =>
    Effect.gen(function*() {
      const { secret, workspaceId } = yield* newKey()
      const create = post("/api/v1/monitors", monitor, bearer(secret))
      yield* create
      const sent = yield* sentDuring(create)
      const last = sent.findLast(({ text }) => text.includes("insert into audit_log") && text.includes(workspaceId))
      const same = sent.filter(({ connection }) => connection === last?.connection).map(({ text }) => text)
      const end = same.indexOf(last?.text ?? "")
      const begin = same.slice(0, end).findLastIndex((text) => text.includes("[\"begin\""))
      expect([end - begin + 1, last?.text.includes("[\"commit\"")]).toEqual([3, true])
    }))
})

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("a monitor", (it) => {
  it.scoped("is created with its audit entry, or neither is", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { secret, workspaceId } = yield* newKey()
      const written = Effect.all([
        sql`select id from monitors where workspace_id = ${workspaceId}`,
        sql`select target as id from audit_log where workspace_id = ${workspaceId} and settled`
      ])
      yield* sql`create function refuse_entry() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`
      yield* sql`create trigger refused before insert on audit_log for each row execute function refuse_entry()`
      expect((yield* post("/api/v1/monitors", monitor, bearer(secret))).status).toBe(500)
      expect(yield* written).toEqual([[], []])
      yield* sql`drop trigger refused on audit_log`
      const { body, status } = yield* post("/api/v1/monitors", monitor, bearer(secret))
      expect(status).toBe(201)
      expect(yield* written).toEqual([[{ id: body.id }], [{ id: body.id }]])
    }))

  it.scoped.each(
    [
      monitor,
      {
        ...monitor,
        description: "é",
        tags: ["a", "b"],
        headers: { Accept: "x", Authorization: "Bearer s" },
        body: "{}",
        method: "POST"
      },
      { name: "Job", periodSec: 600 },
      { name: "Port", host: "db.shop.test", port: 5432, failureRate: { failures: 2, of: 5 }, reminderMinutes: [10] }
    ]
  )("is answered as it is read afterwards: %j", (input) =>
    Effect.gen(function*() {
      const { secret } = yield* newKey()
      const { body, status } = yield* post("/api/v1/monitors", input, bearer(secret))
      expect([status, body.error]).toEqual([201, undefined])
      const { checks, stats, ...read } = (yield* callJson(`/api/v1/monitors/${body.id}`, { headers: bearer(secret) })).body
      expect([checks, stats.checks]).toEqual([[], 0])
      expect(body).toEqual(read)
    }))
})
