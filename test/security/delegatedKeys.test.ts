/** A key that another one made is never wider than its maker: not in time, scope, operations, workspace or depth. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { signedIn } from "../support/database/SignedIn.ts"
import { bearer, callJson, newKey, post, TestServer } from "../support/program/TestServer.ts"

type Headers = Record<string, string>

const get = (path: string, headers: Headers) => callJson(`/api/v1${path}`, { headers })
const create = (headers: Headers, body: object) => post("/api/v1/api-keys", body, headers)
const statusOf = (headers: Headers) => Effect.map(get("/agent/whoami", headers), ({ status }) => status)

/** When a key ends, in ms; infinity if never. */
const endOf = ({ expiresAt }: { readonly expiresAt: string | null }) => expiresAt === null ? Infinity : Date.parse(expiresAt)

layer(TestServer, { excludeTestServices: true })("a key that a key has made", (it) => {
  it.effect("does not outlive it, however it was asked for", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const brief = (yield* create(headers, { name: "a day", expiresInDays: 1 })).body
      expect(brief.parentId).toBeNull()
      for (
        const asked of [
          { name: "forever" },
          { name: "long", expiresInDays: 3650 },
          { name: "read", scopes: ["read"] },
          { name: "delegated", expiresInMinutes: 43_200 },
          { name: "listed", operations: ["create_api_key", "list_monitors"], expiresInDays: 30 }
        ]
      ) {
        const made = yield* create(bearer(brief.secret), asked)
        if (asked.name === "listed") expect(made.status).toBe(422)
        else expect([asked.name, made.status, endOf(made.body) <= endOf(brief)]).toEqual([asked.name, 201, true])
      }
      // Nor does the second one make a third that does.
      const second = (yield* create(bearer(brief.secret), { name: "second" })).body
      const third = (yield* create(bearer(second.secret), { name: "third" })).body
      expect(endOf(third)).toBeLessThanOrEqual(endOf(brief))
    }))

  it.effect("ends in the second in which its parent does, by revocation, expiry, or the end of its maker", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { headers, workspaceId } = yield* newKey()
      yield* sql`update workspaces set claimed_at = now() where id = ${workspaceId}`
      const admin = yield* signedIn(workspaceId, "admin")
      const parent = (yield* create(headers, { name: "parent", expiresInDays: 1 })).body
      const child = (yield* create(bearer(parent.secret), { name: "child", expiresInMinutes: 60 })).body
      const ofAdmin = (yield* create(admin.headers, { name: "the admin's" })).body
      const grandchild = (yield* create(bearer(ofAdmin.secret), { name: "child", expiresInMinutes: 60 })).body
      expect([yield* statusOf(bearer(child.secret)), yield* statusOf(bearer(grandchild.secret))]).toEqual([200, 200])
      yield* callJson(`/api/v1/api-keys/${parent.id}`, { method: "DELETE", headers })
      expect(yield* statusOf(bearer(child.secret))).toBe(401)
      yield* sql`delete from memberships where user_id = ${admin.userId}`
      yield* Effect.repeat(statusOf(bearer(grandchild.secret)), { until: (status) => status === 401 })
    }))

  it.effect("has no scope and no operation that its maker has not, and no list makes it an admin's", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const writer = yield* create(headers, {
        name: "writer",
        operations: ["create_api_key", "create_monitor", "list_monitors"],
        expiresInDays: 1
      })
      expect(writer.status).toBe(422)
      const person = yield* signedIn((yield* newKey()).workspaceId, "admin")
      const listed = (yield* create(person.headers, { name: "listed", operations: ["create_api_key", "list_monitors"] })).body
      const more = yield* Effect.forEach([
        { operations: ["create_monitor"] },
        { operations: ["list_monitors", "invite_member"] },
        { operations: ["delete_workspace"] },
        { operations: ["create_api_key"] }
      ], (asked) => create(bearer(listed.secret), { name: "more", expiresInMinutes: 5, ...asked }))
      expect(more.map(({ status }) => status)).toEqual([422, 422, 422, 422])
      const inherited = yield* create(bearer(listed.secret), { name: "same", expiresInMinutes: 5 })
      expect(inherited.body).toMatchObject({ operations: ["list_monitors"], parentId: listed.id })
      expect((yield* create(bearer(inherited.body.secret), { name: "deeper", expiresInMinutes: 1 })).status).toBe(403)
      const reader = yield* newKey(["read"])
      expect((yield* create(reader.headers, { name: "write", scopes: ["write"], expiresInMinutes: 5 })).status).toBe(403)
    }))

  it.effect("stays in its workspace, whatever the request says, and does not change hands", () =>
    Effect.gen(function*() {
      const one = yield* newKey()
      const other = yield* newKey()
      const child = (yield* create(one.headers, { name: "child", expiresInMinutes: 5 })).body
      const headers = { ...bearer(child.secret), "x-workspace": other.workspaceId }
      expect((yield* get("/agent/whoami", headers)).body.workspace.id).toBe(one.workspaceId)
      // Neither its own parent nor a key of others can be given as the parent, nor an end in the past or a maker.
      for (
        const more of [{ parentId: other.keyId }, { workspaceId: other.workspaceId }, { createdBy: "usr_x" }, { expiresAt: null }]
      ) {
        expect((yield* create(one.headers, { name: "forged", expiresInMinutes: 5, ...more })).status).toBe(422)
      }
      expect((yield* callJson(`/api/v1/api-keys/${child.id}`, { method: "DELETE", headers: other.headers })).status).toBe(404)
      expect(yield* statusOf(bearer(child.secret))).toBe(200)
    }))

  it.effect("is not made again by a repeat of its maker's request", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      const repeated = { ...headers, "idempotency-key": "make a helper" }
      const made = yield* create(repeated, { name: "helper", expiresInMinutes: 5 })
      expect(made.status).toBe(201)
      const child = { ...bearer(made.body.secret), "idempotency-key": "make a helper" }
      const stolen = yield* create(child, { name: "helper", expiresInMinutes: 5 })
      expect([stolen.status, stolen.body.secret]).toEqual([403, undefined])
    }))
})
