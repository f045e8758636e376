/** API keys: created, delegated, listed, and revoked immediately in every process. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Fiber, Layer, Stream } from "effect"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { AccessEnded } from "../../../src/store/access/AccessEnded.ts"
import { Keys } from "../../../src/store/access/Keys.ts"
import { tokenHash } from "../../../src/store/Vault.ts"
import { WorkspaceEntry } from "../../../src/store/workspace/WorkspaceEntry.ts"
import { signedIn } from "../../support/database/SignedIn.ts"
import { bearer, call, callJson, type Json, newKey, post, serverOver, TestServer } from "../../support/program/TestServer.ts"
import { until } from "../../support/time/Until.ts"

/** A stand-in for a second process: a new instance of every service on the same database. */
const secondProcess = Layer.build(Layer.orDie(serverOver()))

const whoami = (headers: Record<string, string>) => callJson("/api/v1/agent/whoami", { headers })

const revoke = (id: string, headers: Record<string, string>) => callJson(`/api/v1/api-keys/${id}`, { method: "DELETE", headers })

const create = (headers: Record<string, string>, body: object) => post("/api/v1/api-keys", body, headers)

/** Another process learns of it a moment later. */
const becomes = (status: number) => <R>(answer: Effect.Effect<{ readonly status: number }, never, R>) =>
  until(answer, (seen) => seen.status === status, "3 seconds")

/** Opens a stream; `ended` reads it until it ends. */
const openStream = (headers: Record<string, string>) =>
  Effect.gen(function*() {
    const response = yield* call("/api/v1/stream", { headers })
    expect(response.status).toBe(200)
    const reader = response.body?.getReader()
    const first = yield* Effect.promise(async () => new TextDecoder().decode((await reader?.read())?.value))
    expect(first).toContain("retry:")
    const ended = Effect.promise(async () => {
      while (!(await reader?.read())?.done);
    })
    return { ended: Effect.timeout(ended, "3 seconds") }
  })

layer(TestServer, { excludeTestServices: true })("API keys", (it) => {
  it.effect("are shown with their secret once, and listed without it, newest first", () =>
    Effect.gen(function*() {
      const { headers, keyId } = yield* newKey()
      const made = yield* create(headers, { name: "deploys", scopes: ["read"], expiresInDays: 90 })
      expect(made.status).toBe(201)
      expect(made.body).toMatchObject({ name: "deploys", scopes: ["read"], parentId: null, operations: null, lastUsedAt: null })
      expect(made.body.secret).toMatch(/^bell_live_[0-9A-Za-z]{40}$/)
      expect(Date.parse(made.body.expiresAt) - Date.parse(made.body.createdAt)).toBe(90 * 86_400_000)
      expect((yield* whoami(bearer(made.body.secret))).status).toBe(200)

      const listed = yield* callJson("/api/v1/api-keys", { headers: bearer(made.body.secret) })
      expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([made.body.id, keyId])
      expect(listed.body.data[0].lastUsedAt).not.toBeNull()
      expect(JSON.stringify(listed.body)).not.toContain(made.body.secret)
      expect(listed.body.data[0]).not.toHaveProperty("secret")
    }))

  it.effect("that expired stay in the list for a week", () =>
    Effect.gen(function*() {
      const { headers, workspaceId } = yield* newKey()
      const now = yield* DateTime.now
      const lately = yield* newKey(["read"], { workspaceId, expiresAt: DateTime.subtract(now, { days: 6 }) })
      yield* newKey(["read"], { workspaceId, expiresAt: DateTime.subtract(now, { days: 8 }) })
      const listed = yield* callJson("/api/v1/api-keys", { headers })
      expect(listed.body.data.length).toBe(2)
      expect(listed.body.data.map(({ id }: Json) => id)).toContain(lately.keyId)
    }))

  describe("that are delegated", () => {
    it.effect("call the operations of their list, show their identity, and end with their parent", () =>
      Effect.gen(function*() {
        const parent = yield* newKey()
        const made = yield* create(parent.headers, { name: "helper", operations: ["list_events"], expiresInMinutes: 10 })
        expect(made.body).toMatchObject({ parentId: parent.keyId, operations: ["list_events"], scopes: ["read"] })
        const helper = bearer(made.body.secret)
        expect((yield* callJson("/api/v1/events", { headers: helper })).status).toBe(200)
        expect((yield* whoami(helper)).body.key.parentId).toBe(parent.keyId)
        const refused = yield* callJson("/api/v1/monitors", { headers: helper })
        expect([refused.status, refused.body.error.message]).toEqual([403, "This key cannot call list_monitors"])

        expect((yield* revoke(parent.keyId, parent.headers)).status).toBe(200)
        expect((yield* callJson("/api/v1/events", { headers: helper })).status).toBe(401)
      }))

    it.effect("neither create keys nor own the workspace, and revoke only themselves", () =>
      Effect.gen(function*() {
        const parent = yield* newKey()
        const made = yield* create(parent.headers, { name: "helper", expiresInMinutes: 10 })
        const helper = bearer(made.body.secret)
        expect((yield* create(helper, { name: "more", expiresInMinutes: 1 })).status).toBe(403)
        expect((yield* revoke(parent.keyId, helper)).status).toBe(403)
        expect((yield* callJson("/api/v1/workspace", { method: "DELETE", headers: helper })).status).toBe(403)
        // A member it invited would outlive it, so inviting must be listed explicitly.
        const invite = (headers: Record<string, string>) =>
          callJson("/api/v1/members", {
            method: "POST",
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify({ email: "ada@example.com", role: "viewer" })
          })
        expect((yield* invite(helper)).body.error.message).toContain("only if their operations include it")
        const inviter = yield* create(parent.headers, { name: "inviter", operations: ["invite_member"], expiresInMinutes: 10 })
        expect((yield* invite(bearer(inviter.body.secret))).body.error.message).toContain("claim")
        expect((yield* revoke(made.body.id, helper)).status).toBe(200)
        expect((yield* whoami(helper)).status).toBe(401)
        expect((yield* whoami(parent.headers)).status).toBe(200)
      }))

    it.effect("follow the live stream only with list_events among their operations", () =>
      Effect.gen(function*() {
        const parent = yield* newKey()
        const made = yield* create(parent.headers, { name: "helper", operations: ["list_monitors"], expiresInMinutes: 10 })
        expect((yield* callJson("/api/v1/stream", { headers: bearer(made.body.secret) })).status).toBe(403)
      }))

    it.effect("are not created under a parent that is revoked at the same moment", () =>
      Effect.gen(function*() {
        const keys = yield* Keys
        for (let turn = 0; turn < 20; turn++) {
          const parent = yield* newKey()
          const createdAt = yield* DateTime.now
          const grant = {
            createdAt,
            name: "helper",
            scopes: ["read"],
            operations: null,
            expiresAt: null,
            parentId: parent.keyId,
            createdBy: null
          } as const
          const [child] = yield* Effect.all(
            [keys.create(parent.workspaceId, grant), keys.revoke(parent.workspaceId, parent.keyId)],
            { concurrency: "unbounded" }
          )
          if (child._tag === "Some") expect((yield* keys.get(parent.workspaceId, child.value.key.id))._tag).toBe("None")
        }
      }))
  })

  it.effect("are managed by admins only, and only those of their own workspace", () =>
    Effect.gen(function*() {
      const one = yield* newKey()
      const other = yield* newKey()
      expect((yield* revoke(other.keyId, one.headers)).status).toBe(404)
      expect((yield* whoami(other.headers)).status).toBe(200)
      const reader = yield* newKey(["read"])
      expect((yield* create(reader.headers, { name: "more" })).status).toBe(403)
      expect((yield* callJson("/api/v1/api-keys", { headers: reader.headers })).status).toBe(200)
    }))

  it.effect("no longer own their workspace once it is claimed, in every process", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const ended = yield* AccessEnded
      const joining = yield* WorkspaceEntry
      const agent = yield* newKey()
      const { userId } = yield* signedIn((yield* newKey()).workspaceId, "owner")
      yield* sql`update workspaces set claim_token_hash = ${tokenHash(agent.keyId)} where id = ${agent.workspaceId}`
      const notification = yield* Effect.fork(Stream.runHead(Stream.filter(ended.heard, (id) => id === agent.keyId)))
      // The cache still has it as the owner's key.
      expect((yield* whoami(agent.headers)).status).toBe(200)
      yield* joining.claim(agent.keyId, userId)
      yield* Effect.timeout(Fiber.join(notification), "3 seconds")
      expect((yield* callJson("/api/v1/workspace", { method: "DELETE", headers: agent.headers })).status).toBe(403)
    }))

  describe("that are revoked", () => {
    it.scoped("are rejected immediately, even by another process that has just accepted them", () =>
      Effect.gen(function*() {
        const other = yield* secondProcess
        const there = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.provideService(effect, ServerAddress, Context.get(other, ServerAddress))
        const admin = yield* newKey()
        const made = yield* create(admin.headers, { name: "deploys" })
        const deploys = bearer(made.body.secret)
        expect((yield* there(whoami(deploys))).status).toBe(200)
        expect((yield* whoami(deploys)).status).toBe(200)
        yield* revoke(made.body.id, admin.headers)
        expect((yield* whoami(deploys)).status).toBe(401)
        yield* becomes(401)(there(whoami(deploys)))
      }))

    it.scoped("are rejected immediately while no notification gets through", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const admin = yield* newKey()
        const made = yield* create(admin.headers, { name: "deploys" })
        const deploys = bearer(made.body.secret)
        expect((yield* whoami(deploys)).status).toBe(200)
        // Notifications sent now are lost.
        yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query like 'listen%'`
        yield* sql`update api_keys set revoked_at = now() where id = ${made.body.id}`
        yield* becomes(401)(whoami(deploys))
      }))

    it.effect("end their open streams, and so do keys that expire", () =>
      Effect.gen(function*() {
        const admin = yield* newKey()
        const made = yield* create(admin.headers, { name: "reader", scopes: ["read"] })
        const stream = yield* openStream(bearer(made.body.secret))
        yield* revoke(made.body.id, admin.headers)
        yield* stream.ended

        const soon = DateTime.add(yield* DateTime.now, { millis: 700 })
        const brief = yield* newKey(["read"], { expiresAt: soon })
        yield* (yield* openStream(brief.headers)).ended
      }))

    it.effect("include all keys of a deleted workspace", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { headers, workspaceId } = yield* newKey()
        const stream = yield* openStream(headers)
        yield* sql`delete from workspaces where id = ${workspaceId}`
        yield* stream.ended
        yield* becomes(401)(whoami(headers))
      }))
  })
})
