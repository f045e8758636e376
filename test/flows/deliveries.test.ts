/** Processes killed with -9 in each stage of a delivery: none is lost, and only what was on its way may arrive twice. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { receiver } from "../notify/alert/Receiver.ts"
import { newDatabase } from "../support/database/TestDatabase.ts"
import { until } from "../support/time/Until.ts"
import { clientOf, newAgent } from "./support/Client.ts"
import { newFolder, startProgram } from "./support/Program.ts"

type Program = Effect.Effect.Success<ReturnType<typeof startProgram>>

/** The program over a database of the test's own, so that the test can hold its statements. */
const makeStage = Effect.gen(function*() {
  const address = yield* newDatabase("partitioned")
  const folder = yield* newFolder
  const pool = yield* Layer.build(Database.layer(address, { maxConnections: 3, applicationName: "belltower flow" }))
  const sql = Context.get(pool, SqlClient.SqlClient)
  yield* sql`create function hold() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock_shared(4711); return new; end'`
  const held = sql<{ readonly pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`

  const kill = (program: Program) => Effect.zipRight(program.signal("SIGKILL"), program.ended)

  /** Lets another process take over without the time that leases and retries take. */
  const takeOver = Effect.all([
    sql`update deliveries set due_at = now() where status = 'due'`,
    sql`
      update delivery_queues
      set held_until = case when held_until is null then null else now() end,
          first_at = case when first_at < 'infinity' then now() else first_at end,
          retry_at = case when retry_at < 'infinity' then now() else retry_at end`,
    sql`update delivery_turns set ready_at = now()`
  ], { discard: true })

  /** Kills the program before a statement of its own commits; `sends` makes it get there. */
  const killBefore = Effect.fn("killBefore")(
    function*(program: Program, statement: string, table: string, when: string, sends: Effect.Effect<unknown>) {
      const gate = yield* sql.reserve
      yield* gate.execute("select pg_advisory_lock(4711)", [], undefined)
      yield* sql.unsafe(`create trigger hold before ${statement} on ${table} for each row when (${when}) execute function hold()`)
      yield* sends
      yield* until(held, (waiting) => waiting.length > 0)
      yield* kill(program)
      // The server does the same once it notices that its client is gone.
      yield* Effect.forEach(yield* held, ({ pid }) => sql`select pg_terminate_backend(${pid})`)
      yield* until(held, (waiting) => waiting.length === 0)
      yield* sql.unsafe(`drop trigger hold on ${table}`)
      yield* gate.execute("select pg_advisory_unlock(4711)", [], undefined)
    },
    Effect.scoped
  )
  return { sql, kill, killBefore, takeOver, start: startProgram({ folder, env: { DATABASE_URL: Redacted.value(address) } }) }
})

describe("a delivery whose process is killed with -9", () => {
  it.scopedLive("arrives, in whatever stage it was", () =>
    Effect.gen(function*() {
      const { kill, killBefore, sql, start, takeOver } = yield* makeStage
      /** The receiver's reaction to the next request; `silence` leaves it without an answer. */
      let answer: "silence" | number = 204
      const hook = yield* receiver((response) => void (answer === "silence" ? undefined : response.writeHead(answer).end()))
      let program = yield* start
      const { apiKey } = yield* newAgent(program.baseUrl)
      yield* clientOf(program.baseUrl, apiKey).post("/channels", {
        name: "Team",
        type: "webhook",
        url: hook.url,
        events: ["deploy.created"]
      })
      const deploys = (version: string) => clientOf(program.baseUrl, apiKey).post("/deploys", { version })
      const stages = Effect.map(
        Effect.suspend(() => clientOf(program.baseUrl, apiKey).get("/deliveries")),
        ({ body }) => body.data.map(({ stage }: { readonly stage: string }) => stage)
      )
      const restart = Effect.gen(function*() {
        yield* takeOver
        program = yield* start
        // Everything that was recorded arrives, whatever came before.
        yield* until(sql`select from deliveries where status = 'due'`, (rows) => rows.length === 0)
        yield* until(sql`select from events where not fanned_out`, (rows) => rows.length === 0)
        yield* until(sql`select from deliveries where status = 'due'`, (rows) => rows.length === 0)
      })
      const arrived = (version: string) => hook.seen.filter(({ body }) => JSON.parse(body).data.deploy.version === version)

      // Recorded: the event is committed, its deliveries are not.
      yield* killBefore(program, "insert", "deliveries", "true", deploys("recorded"))
      expect(arrived("recorded")).toHaveLength(0)
      yield* restart
      expect(arrived("recorded")).toHaveLength(1)

      // Queued: the delivery is committed, and no worker has claimed it.
      yield* killBefore(
        program,
        "update",
        "delivery_queues",
        "new.held_until is not null and old.held_until is null",
        deploys("queued")
      )
      expect(arrived("queued")).toHaveLength(0)
      yield* restart
      expect(arrived("queued")).toHaveLength(1)

      // Attempting: the receiver has the request and has not answered.
      answer = "silence"
      yield* deploys("attempting")
      yield* until(Effect.sync(() => arrived("attempting")), (found) => found.length === 1)
      expect((yield* stages)[0]).toBe("attempting")
      yield* kill(program)
      answer = 204
      yield* restart
      expect(arrived("attempting")).toHaveLength(2)

      // Answered: the receiver has accepted it, and the result is not stored.
      yield* killBefore(program, "update", "deliveries", "new.status = 'delivered'", deploys("answered"))
      expect(arrived("answered")).toHaveLength(1)
      yield* restart
      expect(arrived("answered")).toHaveLength(2)

      // Retrying: it waits for its next attempt.
      answer = 500
      yield* deploys("retrying")
      yield* until(stages, (all) => all[0] === "retrying")
      yield* kill(program)
      // On a busy machine, one of its retries has begun before.
      const refused = arrived("retrying").length
      expect(refused).toBeGreaterThan(0)
      answer = 204
      yield* restart
      expect(arrived("retrying")).toHaveLength(refused + 1)

      // Delivered: it is over.
      const before = (yield* stages).length
      yield* deploys("delivered")
      yield* until(stages, (all) => all.length > before && all.every((stage: string) => stage === "delivered"))
      yield* kill(program)
      yield* restart
      expect(arrived("delivered")).toHaveLength(1)

      // Whatever came twice is the same message, by which its receiver can tell.
      for (const version of ["attempting", "answered", "retrying"]) {
        const [first, second] = arrived(version)
        expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"])
        expect(second?.body).toBe(first?.body)
      }
    }), 120_000)
})
