/** A request with an idempotency key runs once; repeats get the same bytes, in every process. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { IdempotentRequests, type RepeatableRequest } from "../../../src/store/access/IdempotentRequests.ts"
import { signedIn } from "../../support/database/SignedIn.ts"
import { bearer, call, callJson, newKey, post, serverOver, TestServer } from "../../support/program/TestServer.ts"
import { skewedClock } from "../../support/time/SkewedClock.ts"

const secondProcess = Layer.build(Layer.orDie(serverOver()))

/** Creates an API key, because each run returns a different secret. */
const make = (
  headers: Record<string, string>,
  idempotencyKey: string,
  body: unknown = { name: "deploys" },
  path = "/api/v1/api-keys"
) =>
  Effect.gen(function*() {
    const response = yield* call(path, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": idempotencyKey, ...headers },
      body: JSON.stringify(body)
    })
    const text = yield* Effect.promise(() => response.text())
    return {
      status: response.status,
      replayed: response.headers.get("idempotent-replayed"),
      type: response.headers.get("content-type"),
      text
    }
  })

const keysOf = (headers: Record<string, string>) =>
  Effect.map(callJson("/api/v1/api-keys", { headers }), ({ body }) => body.data.length - 1)

const request = (workspaceId: RepeatableRequest["workspaceId"]): RepeatableRequest => ({
  workspaceId,
  operation: "test",
  place: Buffer.from("place"),
  fingerprint: Buffer.from("fingerprint")
})

layer(TestServer, { excludeTestServices: true })("an idempotency key", (it) => {
  it.effect("has repeats answered byte for byte, with a header that says so", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const first = yield* make(headers, "deploy-1")
      const second = yield* make(headers, "deploy-1")
      expect(first).toMatchObject({ status: 201, replayed: null })
      expect(second).toEqual({ ...first, replayed: "true" })
      expect(yield* keysOf(headers)).toBe(1)
      expect((yield* make(headers, "deploy-2")).text).not.toBe(first.text)
    }))

  it.effect("accepts the same fields in another order, and rejects others", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const first = yield* make(headers, "a", { name: "deploys", scopes: ["read"] })
      expect((yield* make(headers, "a", { scopes: ["read"], name: "deploys" })).text).toBe(first.text)
      const other = yield* make(headers, "a", { name: "other" })
      expect(other.status).toBe(422)
      expect(JSON.parse(other.text).error).toMatchObject({
        code: "validation_failed",
        message: expect.stringMatching(/^Idempotency-Key: .*different request/),
        details: [{ path: "Idempotency-Key" }]
      })
    }))

  it.effect("is scoped to the workspace and the endpoint", () =>
    Effect.gen(function*() {
      const one = yield* newKey()
      const other = yield* newKey()
      expect((yield* make(one.headers, "same")).replayed).toBeNull()
      expect((yield* make(other.headers, "same")).replayed).toBeNull()
      const check = (id: string) => make(one.headers, "same", {}, `/api/v1/monitors/${id}/check`)
      expect((yield* check("mon_1")).replayed).toBeNull()
      expect((yield* check("mon_2")).replayed).toBeNull()
      expect((yield* check("mon_1")).replayed).toBe("true")
    }))

  it.effect("belongs to the workspace: a retry with another key of it, or by a person, runs nothing", () =>
    Effect.gen(function*() {
      const { headers, workspaceId } = yield* newKey()
      const deploy = (by: Record<string, string>) =>
        call("/api/v1/deploys", {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": "release 1", ...by },
          body: JSON.stringify({ version: "1.0" })
        })
      const first = yield* deploy(headers)
      const colleague = yield* newKey(["write"], { workspaceId })
      const others = [yield* deploy(colleague.headers), yield* deploy((yield* signedIn(workspaceId, "member")).headers)]
      expect(others.map(({ headers, text }) => [headers.get("idempotent-replayed"), text])).toEqual([
        ["true", first.text],
        ["true", first.text]
      ])
      const stranger = yield* newKey()
      expect((yield* deploy(stranger.headers)).headers.get("idempotent-replayed")).toBeNull()
    }))

  it.effect("of an answer with a secret is scoped to the caller: others run their own request and never see the secret of the first", () =>
    Effect.gen(function*() {
      const { headers, workspaceId } = yield* newKey()
      const first = yield* make(headers, "same")
      const colleague = yield* newKey(["write"], { workspaceId })
      const owner = yield* signedIn(workspaceId, "owner")
      const others = [yield* make(colleague.headers, "same"), yield* make(owner.headers, "same")]
      expect(others.map(({ replayed, status }) => [status, replayed])).toEqual([[201, null], [201, null]])
      expect(new Set([first, ...others].map(({ text }) => JSON.parse(text).secret)).size).toBe(3)
      // Nor does another input of theirs collide with it.
      expect((yield* make(colleague.headers, "same", { name: "other" })).status).toBe(422)
      expect((yield* make(headers, "same")).text).toBe(first.text)
    }))

  it.effect("does not store failures, including validation errors", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      expect((yield* make(headers, "a", { name: "" })).status).toBe(422)
      expect(yield* make(headers, "a", { name: "deploys" })).toMatchObject({ status: 201, replayed: null })
    }))

  it.effect("has 1 to 100 characters", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      expect((yield* make(headers, "k".repeat(100))).status).toBe(201)
      expect((yield* make(headers, "k".repeat(101))).status).toBe(422)
      expect((yield* make(headers, "")).status).toBe(422)
    }))

  it.effect("gives no access to callers who may not call the operation", () =>
    Effect.gen(function*() {
      const { headers, workspaceId } = yield* newKey()
      yield* make(headers, "a")
      const reader = yield* newKey(["read"], { workspaceId })
      expect((yield* make(reader.headers, "a")).status).toBe(403)
      expect((yield* make({}, "a")).status).toBe(401)
      const helper = yield* post("/api/v1/api-keys", { name: "helper", expiresInMinutes: 5 }, headers)
      // The answer contains the secret of a key that never expires.
      expect(yield* make(bearer(helper.body.secret), "a")).toMatchObject({ status: 403, replayed: null })
      const owner = yield* signedIn(workspaceId, "owner")
      const maker = yield* post("/api/v1/api-keys", { name: "maker", operations: ["create_api_key"] }, owner.headers)
      expect(yield* make(bearer(maker.body.secret), "a")).toMatchObject({ status: 422, replayed: null })
    }))

  it.effect("is ignored on anything but an authenticated POST", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const get = () => call("/api/v1/api-keys", { headers: { ...headers, "idempotency-key": "a".repeat(200) } })
      expect((yield* get()).status).toBe(200)
    }))

  it.scoped("runs once for two simultaneous requests, even in two processes", () =>
    Effect.gen(function*() {
      const other = Context.get(yield* secondProcess, ServerAddress)
      for (let turn = 0; turn < 5; turn++) {
        const { headers } = yield* newKey()
        const both = yield* Effect.all([
          make(headers, "a"),
          make(headers, "a"),
          Effect.provideService(make(headers, "a"), ServerAddress, other),
          Effect.provideService(make(headers, "a"), ServerAddress, other)
        ], { concurrency: "unbounded" })
        expect(new Set(both.map(({ text }) => text)).size).toBe(1)
        expect(both.map(({ status }) => status)).toEqual([201, 201, 201, 201])
        expect(both.filter(({ replayed }) => replayed === null).length).toBe(1)
        expect(yield* keysOf(headers)).toBe(1)
      }
    }))

  it.effect("keeps the secrets of an answer sealed", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { headers, workspaceId } = yield* newKey()
      const { text } = yield* make(headers, "a")
      const [row] = yield* sql`select * from idempotent_requests where workspace_id = ${workspaceId}`
      const stored = JSON.stringify(row)
      expect(row).toMatchObject({ operation: "create_api_key" })
      expect(stored).not.toContain(JSON.parse(text).secret)
      expect(stored).not.toContain(Buffer.from(text).toString("base64").slice(0, 40))
    }))

  describe("whose first request", () => {
    it.effect("fails is free for the waiting one", () =>
      Effect.gen(function*() {
        const requests = yield* IdempotentRequests
        const { headers, workspaceId } = yield* newKey()
        yield* make(headers, "a")
        const sql = yield* SqlClient.SqlClient
        yield* sql`update idempotent_requests set answer = null, owner = 'it', held_until = now() + interval '1 hour'
          where workspace_id = ${workspaceId}`
        const [row] = yield* sql<{ place: Buffer; fingerprint: Buffer }>`
          select place, fingerprint from idempotent_requests where workspace_id = ${workspaceId}`
        const waiting = yield* Effect.fork(make(headers, "a"))
        yield* requests.release({ ...request(workspaceId), place: row!.place }, "it")
        expect(yield* Fiber.join(waiting)).toMatchObject({ status: 201, replayed: null })
        expect(yield* keysOf(headers)).toBe(2)
      }))

    it.effect("was in a process that died is run by the next, after its lease expires", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const requests = yield* IdempotentRequests
        const { workspaceId } = yield* newKey()
        const mine = request(workspaceId)
        const first = yield* requests.standing(mine)
        expect(first._tag).toBe("Claimed")
        expect((yield* requests.standing(mine))._tag).toBe("UnderWay")
        // A process whose clock is a minute ahead does not consider it dead.
        expect((yield* Effect.withClock(requests.standing(mine), skewedClock({ both: 60_000 })))._tag).toBe("UnderWay")
        expect((yield* requests.standing({ ...mine, fingerprint: Buffer.from("other") }))._tag).toBe("Different")
        yield* sql`update idempotent_requests set held_until = now() - interval '1 second' where workspace_id = ${workspaceId}`
        expect((yield* requests.standing(mine))._tag).toBe("Claimed")
        // The first was only frozen: its result arrives too late.
        const answer = { status: 201, contentType: null, body: new Uint8Array([1]) }
        if (first._tag === "Claimed") yield* requests.finish(mine, first.owner, answer)
        expect((yield* requests.standing(mine))._tag).toBe("UnderWay")
      }))

    it.effect("was taken over by another process makes nothing when it wakes up", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { headers, workspaceId } = yield* newKey()
        yield* keysOf(headers)
        const slow = yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`select from api_keys where workspace_id = ${workspaceId} for update`
          const slow = yield* Effect.fork(make(headers, "a", { name: "helper", expiresInMinutes: 5 }))
          const taken = sql`update idempotent_requests set owner = 'another' where workspace_id = ${workspaceId} returning owner`
          yield* Effect.repeat(taken, { until: (rows) => rows.length === 1 })
          return slow
        }))
        expect(yield* Fiber.join(slow)).toMatchObject({ status: 409 })
        expect(yield* keysOf(headers)).toBe(0)
      }))

    it.effect("was a day ago is run again", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { headers, workspaceId } = yield* newKey()
        const first = yield* make(headers, "a")
        yield* sql`update idempotent_requests set created_at = now() - interval '24 hours' where workspace_id = ${workspaceId}`
        const again = yield* make(headers, "a", { name: "something else" })
        expect(again).toMatchObject({ status: 201, replayed: null })
        expect(again.text).not.toBe(first.text)
      }))

    it.effect("is abandoned by its client still completes, for the repeat to find", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { headers, workspaceId } = yield* newKey()
        yield* keysOf(headers)
        // Locks the caller's row, so that its request cannot end before its client has disconnected.
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`select from api_keys where workspace_id = ${workspaceId} for update`
          const body = { name: "helper", expiresInMinutes: 5 }
          const leaving = yield* Effect.fork(make(headers, "a", body))
          const begun = sql`select from idempotent_requests where workspace_id = ${workspaceId}`
          yield* Effect.repeat(begun, { until: (rows) => rows.length === 1 })
          yield* Fiber.interrupt(leaving)
        }))
        expect(yield* make(headers, "a", { name: "helper", expiresInMinutes: 5 })).toMatchObject({
          status: 201,
          replayed: "true"
        })
        expect(yield* keysOf(headers)).toBe(1)
      }))

    it.effect("is in progress during a graceful shutdown is not interrupted", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { headers, workspaceId } = yield* newKey()
        const scope = yield* Scope.make()
        const leaving = Context.get(yield* Layer.buildWithScope(Layer.orDie(serverOver()), scope), ServerAddress)
        const there = Effect.provideService(make(headers, "a", { name: "helper", expiresInMinutes: 5 }), ServerAddress, leaving)
        yield* keysOf(headers)
        const { asked, closing } = yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`select from api_keys where workspace_id = ${workspaceId} for update`
          const asked = yield* Effect.fork(there)
          const begun = sql`select from idempotent_requests where workspace_id = ${workspaceId}`
          yield* Effect.repeat(begun, { until: (rows) => rows.length === 1 })
          const closing = yield* Effect.forkDaemon(Scope.close(scope, Exit.void))
          yield* Effect.repeat(Effect.exit(Effect.provideService(call("/healthz"), ServerAddress, leaving)), {
            until: Exit.isFailure
          })
          return { asked, closing }
        }))
        expect(yield* Fiber.join(asked)).toMatchObject({ status: 201, replayed: null })
        yield* Fiber.join(closing)
        expect(yield* keysOf(headers)).toBe(1)
      }))
  })

  it.effect("works with a tool call of MCP as with a request", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const callTool = (name: string) =>
        Effect.map(
          post("/mcp", {
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name: "create_api_key", arguments: { name }, _meta: { "belltower/idempotency-key": "a" } }
          }, { ...headers, accept: "application/json, text/event-stream" }),
          ({ body }) => body.result
        )
      const first = yield* callTool("deploys")
      expect(JSON.parse(first.content[0].text).secret).toMatch(/^bell_live_/)
      expect(yield* callTool("deploys")).toEqual(first)
      expect((yield* callTool("another")).isError).toBe(true)
      expect(JSON.parse((yield* make(headers, "a")).text)).toEqual(JSON.parse(first.content[0].text))
    }))
})
