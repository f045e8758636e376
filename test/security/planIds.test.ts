/** Plans of a workspace's document, attacked by their ids: a plan is applied once, by who may, in its workspace, as it was shown. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ServerAddress } from "../../src/http/server/ServeApp.ts"
import { clientOf } from "../flows/support/Client.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { TestProgram } from "../support/program/Program.ts"
import { callJson, type Json, newKey } from "../support/program/TestServer.ts"

const newClient = Effect.gen(function*() {
  const { host, port } = yield* ServerAddress
  const key = yield* newKey()
  const url = `http://${host}:${port}`
  return { ...clientOf(url, key.secret), ...key, as: (secret: string) => clientOf(url, secret) }
})

const shop = `
channels:
  - {key: ops, name: Ops, type: webhook, url: "https://hooks.example.com/ops", headers: {authorization: Bearer very-secret}}
monitors:
  - {key: shop, name: Shop, url: "https://shop.example.com/", channels: [ops], paused: true}
`

const planned = (client: Effect.Effect.Success<typeof newClient>, document: unknown = shop, more: object = {}) =>
  Effect.map(client.post("/plan", { document, ...more }), ({ body, status }): Json => {
    expect(status).toBe(201)
    return body
  })

const names = (client: Effect.Effect.Success<typeof newClient>) =>
  Effect.map(client.get("/monitors"), ({ body }) => body.data.map(({ name }: Json) => name).sort())

layer(TestProgram, { excludeTestServices: true, timeout: "90 seconds" })("a plan's id", (it) => {
  it.effect("opens nothing in another workspace, which cannot tell it from one that never was", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const other = yield* newClient
      const { id } = yield* planned(client)
      const never = id.replace(/.$/, id.endsWith("0") ? "1" : "0")
      const foreign = yield* other.post(`/plan/${id}/apply`)
      const missing = yield* other.post(`/plan/${never}/apply`)
      expect([foreign.status, missing.status]).toEqual([404, 404])
      expect(foreign.text.replaceAll(id, "")).toBe(missing.text.replaceAll(never, ""))
      const stranger = yield* signedIn(other.workspaceId, "owner")
      const asked = yield* callJson(`/api/v1/plan/${id}/apply`, {
        method: "POST",
        headers: { ...stranger.headers, origin: "https://belltower.test", "x-workspace": client.workspaceId }
      })
      expect(asked.status).toBe(403)
      expect([yield* names(client), yield* names(other)]).toEqual([[], []])
    }))

  it.effect("is applied once, although it is asked for ten times at the same moment and again after edits", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const { id } = yield* planned(client)
      const answers = yield* Effect.forEach(Array.from({ length: 10 }), () => client.post(`/plan/${id}/apply`), {
        concurrency: 10
      })
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      expect(new Set(answers.map(({ body }) => JSON.stringify(body.changes))).size).toBe(1)
      expect(yield* names(client)).toEqual(["Shop"])
      const [monitor] = (yield* client.get("/monitors")).body.data
      yield* client.delete(`/monitors/${monitor.id}`)
      expect((yield* client.post(`/plan/${id}/apply`)).status).toBe(200)
      // It was applied before, so it brings nothing back.
      expect(yield* names(client)).toEqual([])
    }))

  it.effect("is worth nothing to a narrower key, and its answer shows no secret", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const { id } = yield* planned(client)
      const keyWith = (more: object) =>
        Effect.map(
          client.post("/api-keys", { name: "narrow", expiresInMinutes: 5, ...more }),
          ({ body }) => client.as(body.secret)
        )
      const narrow = [
        yield* keyWith({ scopes: ["read"] }),
        yield* keyWith({ operations: ["plan_changes"] }),
        yield* keyWith({ operations: ["create_monitor", "create_channel"] })
      ]
      for (const key of narrow) expect((yield* key.post(`/plan/${id}/apply`)).status).toBe(403)
      const viewer = yield* signedIn(client.workspaceId, "viewer")
      const asked = yield* callJson(`/api/v1/plan/${id}/apply`, {
        method: "POST",
        headers: { ...viewer.headers, origin: "https://belltower.test" }
      })
      expect(asked.status).toBe(403)
      expect(yield* names(client)).toEqual([])
      // One that may only apply cannot say what.
      const applier = yield* keyWith({ operations: ["apply_plan"] })
      expect((yield* applier.post("/plan", { document: "monitors: []", prune: true })).status).toBe(403)
      const done = yield* applier.post(`/plan/${id}/apply`)
      expect(done.status).toBe(200)
      expect(done.text).not.toContain("very-secret")
    }))

  it.effect("does what it showed or nothing: a change of the same moment is not overwritten", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const sql = yield* SqlClient.SqlClient
      yield* client.post(`/plan/${(yield* planned(client)).id}/apply`)
      const [monitor] = (yield* client.get("/monitors")).body.data
      const edits = yield* planned(client, shop.replace("name: Shop", "name: Store"))
      // The monitor changes while the plan waits for its row.
      const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      const applying = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`select from monitors where id = ${monitor.id} for update`
        const applying = yield* Effect.fork(client.post(`/plan/${edits.id}/apply`))
        yield* Effect.repeat(waiting, { until: (rows) => rows.length > 0 })
        yield* sql`update monitors set name = 'Renamed meanwhile' where id = ${monitor.id}`
        return applying
      }))
      expect((yield* Fiber.join(applying)).status).toBe(409)
      expect(yield* names(client)).toEqual(["Renamed meanwhile"])
    }))

  it.effect("is dead after a day, and so is one that ten others have displaced", () =>
    Effect.gen(function*() {
      const client = yield* newClient
      const sql = yield* SqlClient.SqlClient
      const old = yield* planned(client)
      yield* sql`update plans set created_at = now() - interval '25 hours' where id = ${old.id}`
      expect((yield* client.post(`/plan/${old.id}/apply`)).status).toBe(404)
      const first = yield* planned(client)
      for (let n = 0; n < 10; n++) yield* planned(client)
      expect((yield* client.post(`/plan/${first.id}/apply`)).status).toBe(404)
      expect(yield* names(client)).toEqual([])
    }))
})
