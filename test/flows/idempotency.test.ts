/** Processes killed with -9 around the commit of a request with an idempotency key: its repeat makes nothing twice. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { clientOf, newAgent, request } from "./support/Client.ts"
import { makeKillStage } from "./support/KillStage.ts"
import type { startProgram } from "./support/Program.ts"

type Program = Effect.Effect.Success<ReturnType<typeof startProgram>>

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

const sendAll = (program: Program, agents: ReadonlyArray<Agents[number]>, idempotencyKey: string) =>
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
      const { killAt, start } = yield* makeKillStage()
      const first = yield* start
      const agents = yield* newAgents(first)

      // Killed before the answers are stored: nothing was committed, so the repeats run.
      yield* killAt(first, { statement: "update of answer", table: "idempotent_requests" }, 4, sendAll(first, agents, "a"))
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

      // Killed after the commit, before any caller has its answer: the repeats get it. A monitor's audit entry is part of its commit.
      yield* sendAll(second, agents.slice(0, 1), "b")
      yield* killAt(second, { statement: "update", table: "audit_log" }, 3, sendAll(second, agents.slice(1), "b"))
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
        const { killAt, sql, start } = yield* makeKillStage()
        const first = yield* start
        const bootstrap = (program: Program) => send(program.baseUrl, "/agent/bootstrap", { agentName: "scout" }, "a")
        yield* killAt(first, { statement: "insert", table: "audit_log" }, 1, bootstrap(first))
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
