/** Processes killed with -9 around the commit of a request with an idempotency key: its repeat makes nothing twice. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import * as Database from "../../src/store/postgres/Database.ts"
import { newDatabase } from "../support/TestDatabase.ts"
import { until } from "../support/Until.ts"
import { clientOf, newAgent, request } from "./support/Client.ts"
import { newFolder, startProgram } from "./support/Program.ts"

type Program = Effect.Effect.Success<ReturnType<typeof startProgram>>

/** The program over a database of the test's own, so that the test can hold its statements. */
const makeStage = Effect.gen(function*() {
  const address = yield* newDatabase("migrated")
  const folder = yield* newFolder
  const pool = yield* Layer.build(Database.layer(address, { maxConnections: 3, applicationName: "belltower flow" }))
  const sql = Context.get(pool, SqlClient.SqlClient)
  yield* sql`create function hold() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock_shared(4711); return new; end'`
  const held = sql<{ readonly pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`

  /** Kills the program while `count` of the requests that `send` makes are held before `statement` on `table`. */
  const killAt = Effect.fn("killAt")(
    function*(program: Program, statement: string, table: string, count: number, send: Effect.Effect<unknown>) {
      const gate = yield* sql.reserve
      yield* gate.execute("select pg_advisory_lock(4711)", [], undefined)
      yield* sql.unsafe(`create trigger hold before ${statement} on ${table} for each row execute function hold()`)
      const asked = yield* Effect.fork(Effect.exit(send))
      yield* until(held, (waiting) => waiting.length === count)
      yield* program.signal("SIGKILL")
      yield* program.ended
      yield* Fiber.interrupt(asked)
      // The server does the same once it notices that its client is gone.
      yield* Effect.forEach(yield* held, ({ pid }) => sql`select pg_terminate_backend(${pid})`)
      yield* until(held, (waiting) => waiting.length === 0)
      yield* sql.unsafe(`drop trigger hold on ${table}`)
      yield* gate.execute("select pg_advisory_unlock(4711)", [], undefined)
      // Saves the half minute after which a dead process's claims end by themselves.
      yield* sql`update idempotent_requests set leased_until = now()`
    },
    Effect.scoped
  )
  return { sql, killAt, start: startProgram({ folder, env: { DATABASE_URL: Redacted.value(address) } }) }
})

const operations = [
  { path: "/monitors", body: { name: "Shop", url: "http://127.0.0.1:9/", paused: true } },
  { path: "/channels", body: { name: "Team", type: "webhook", url: "http://127.0.0.1:9/" } },
  { path: "/pages", body: { name: "Acme" } },
  { path: "/api-keys", body: { name: "deploys" } }
] as const

const send = (baseUrl: string, path: string, body: unknown, idempotencyKey: string, apiKey?: string) =>
  request(`${baseUrl}/api/v1${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` })
    },
    body: JSON.stringify(body)
  })

/** One workspace for each operation, because changes of one workspace wait for each other. */
const newAgents = (program: Program) =>
  Effect.forEach(operations, (operation) => Effect.map(newAgent(program.baseUrl), ({ apiKey }) => ({ ...operation, apiKey })))
type Agents = Effect.Effect.Success<ReturnType<typeof newAgents>>

const sendAll = (program: Program, agents: Agents, idempotencyKey: string) =>
  Effect.all(agents.map(({ apiKey, body, path }) => send(program.baseUrl, path, body, idempotencyKey, apiKey)), {
    concurrency: "unbounded"
  })

/** How many resources each operation has made; an agent's first key is not one of them. */
const counts = (program: Program, agents: Agents) =>
  Effect.forEach(agents, ({ apiKey, path }) =>
    Effect.map(
      clientOf(program.baseUrl, apiKey).get(path),
      ({ body }) => body.data.length - (path === "/api-keys" ? 1 : 0)
    ))

describe("a request with an idempotency key whose process is killed with -9", () => {
  it.scopedLive("makes everything once, and its repeat gets the secrets that it made", () =>
    Effect.gen(function*() {
      const { killAt, start } = yield* makeStage
      const first = yield* start
      const agents = yield* newAgents(first)

      // Killed before the answers are stored: nothing was committed, so the repeats run.
      yield* killAt(first, "update of answer", "idempotent_requests", 4, sendAll(first, agents, "a"))
      const second = yield* start
      expect(yield* counts(second, agents)).toEqual([0, 0, 0, 0])
      const made = yield* sendAll(second, agents, "a")
      expect(made.map(({ headers, status }) => [status, headers.get("idempotent-replayed")])).toEqual([
        [201, null],
        [201, null],
        [201, null],
        [201, null]
      ])
      expect(yield* counts(second, agents)).toEqual([1, 1, 1, 1])

      // Killed after the commit, before any caller has its answer: the repeats get it.
      yield* killAt(second, "update", "audit_log", 4, sendAll(second, agents, "b"))
      const third = yield* start
      const replayed = yield* sendAll(third, agents, "b")
      expect(replayed.map(({ headers, status }) => [status, headers.get("idempotent-replayed")])).toEqual([
        [201, "true"],
        [201, "true"],
        [201, "true"],
        [201, "true"]
      ])
      expect(yield* counts(third, agents)).toEqual([2, 2, 2, 2])
      const [, channel, , key] = replayed.map(({ body }) => body)
      expect(channel.signingSecret).toMatch(/^whsec_/)
      expect((yield* clientOf(third.baseUrl, key.secret).get("/agent/whoami")).body.key.id).toBe(key.id)
    }), 120_000)

  it.scopedLive(
    "leaves no half of a new workspace; bootstrap ignores the key, so its repeat makes another",
    () =>
      Effect.gen(function*() {
        const { killAt, sql, start } = yield* makeStage
        const first = yield* start
        const bootstrap = (program: Program) => send(program.baseUrl, "/agent/bootstrap", { agentName: "scout" }, "a")
        yield* killAt(first, "insert", "audit_log", 1, bootstrap(first))
        expect(yield* sql`select id from workspaces union all select id from api_keys`).toEqual([])
        const second = yield* start
        const made = yield* Effect.forEach([1, 2], () => bootstrap(second))
        expect(new Set(made.map(({ body }) => body.workspace.id)).size).toBe(2)
        for (const { body } of made) {
          expect((yield* clientOf(second.baseUrl, body.apiKey).get("/agent/whoami")).body.workspace.id).toBe(body.workspace.id)
        }
      }),
    120_000
  )
})
