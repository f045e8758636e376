/** An invitation is as good as the access of whoever answers for it: nobody leaves a way back in, and each works once. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Role } from "../../schema/workspace/Workspace.ts"
import { Mails } from "../../src/store/mail/Mails.ts"
import { WorkspaceEntry } from "../../src/store/workspace/WorkspaceEntry.ts"
import { newAddress } from "../support/browser/Visitor.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { bearer, callJson, newKey, post, TestServer } from "../support/program/TestServer.ts"

type Headers = Record<string, string>

const get = (path: string, headers: Headers) => callJson(`/api/v1${path}`, { headers })
const send = (method: string, path: string, headers: Headers, body?: unknown) =>
  callJson(`/api/v1${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

/** A claimed workspace with an owner, an admin and a key of the workspace. */
const scene = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const key = yield* newKey()
  yield* sql`update workspaces set claimed_at = now(), plan = 'self_hosted' where id = ${key.workspaceId}`
  const owner = yield* signedIn(key.workspaceId, "owner")
  const admin = yield* signedIn(key.workspaceId, "admin")
  const mails = yield* Mails
  /** Invites an address; returns the secret of its link, which is read where the server keeps its mails. */
  const invited = Effect.fn("invited")(function*(headers: Headers, role: Role = "admin", email = newAddress("accomplice")) {
    const { body, status } = yield* post("/api/v1/members", { email, role }, headers)
    expect(status).toBe(201)
    const newest = (yield* mails.captured(owner.userId)).find(({ to }) => to === email)
    const { text } = yield* Effect.flatten(mails.read(owner.userId, newest?.id ?? body.id))
    return { id: String(body.id), email, token: /\/invite\/([0-9A-Za-z]{40})/.exec(text)?.[1] ?? "" }
  })
  const members = Effect.map(get("/members", owner.headers), ({ body }) => body.data.map(({ email }: { email: string }) => email))
  return { ...key, owner, admin, invited, members }
})

/** Who has an account accepts an invitation: the role that it gave, or null. */
const accepts = Effect.fn("accepts")(function*(token: string, email: string) {
  const sql = yield* SqlClient.SqlClient
  const entry = yield* WorkspaceEntry
  const elsewhere = yield* newKey()
  const person = yield* signedIn(elsewhere.workspaceId, "owner")
  yield* sql`update users set email = ${email}, email_proved_at = now() where id = ${person.userId}`
  const isShown = (yield* entry.invitationAt(token))._tag === "Some"
  const joined = yield* entry.accept(token, person.userId)
  expect(isShown).toBe(joined._tag === "Some")
  if (joined._tag === "None") return null
  const { body } = yield* get("/agent/whoami", { ...person.headers, "x-workspace": joined.value })
  return body.user?.role ?? body.workspace.id
})

layer(TestServer, { excludeTestServices: true })("an invitation", (it) => {
  it.effect("ends with the membership of the admin who sent it", () =>
    Effect.gen(function*() {
      const { admin, invited, members, owner } = yield* scene
      const { email, token } = yield* invited(admin.headers)
      expect(yield* members).toContain(email)
      expect((yield* send("DELETE", `/members/${admin.userId}`, owner.headers)).status).toBe(200)
      expect(yield* members).not.toContain(email)
      expect(yield* accepts(token, email)).toBeNull()
    }))

  it.effect("ends when its sender may no longer give its role", () =>
    Effect.gen(function*() {
      const { admin, invited, owner, workspaceId } = yield* scene
      const second = yield* signedIn(workspaceId, "owner")
      const asOwner = yield* invited(second.headers, "owner")
      const asViewer = yield* invited(second.headers, "viewer")
      const byAdmin = yield* invited(admin.headers, "viewer")
      yield* send("PATCH", `/members/${second.userId}`, owner.headers, { role: "admin" })
      yield* send("PATCH", `/members/${admin.userId}`, owner.headers, { role: "member" })
      expect(yield* accepts(asOwner.token, asOwner.email)).toBeNull()
      expect(yield* accepts(byAdmin.token, byAdmin.email)).toBeNull()
      // An admin still invites viewers.
      expect(yield* accepts(asViewer.token, asViewer.email)).not.toBeNull()
    }))

  it.effect("ends with the revocation of the key that sent it, or of the key's parent, and with its maker", () =>
    Effect.gen(function*() {
      const { admin, headers, invited, owner } = yield* scene
      const stolen = (yield* post("/api/v1/api-keys", { name: "stolen" }, headers)).body
      const parent = (yield* post("/api/v1/api-keys", { name: "parent" }, headers)).body
      const child = (yield* post(
        "/api/v1/api-keys",
        { name: "child", operations: ["invite_member"], expiresInMinutes: 5 },
        bearer(
          parent.secret
        )
      )).body
      const made = (yield* post("/api/v1/api-keys", { name: "of the admin" }, admin.headers)).body
      const sent = [
        yield* invited(bearer(stolen.secret)),
        yield* invited(bearer(child.secret)),
        yield* invited(bearer(made.secret))
      ]
      yield* send("DELETE", `/api-keys/${stolen.id}`, owner.headers)
      yield* send("DELETE", `/api-keys/${parent.id}`, owner.headers)
      yield* send("DELETE", `/members/${admin.userId}?keys=keep`, owner.headers)
      // The owner has kept that key, and answers for it.
      expect(yield* Effect.forEach(sent, ({ email, token }) => Effect.map(accepts(token, email), (role) => role !== null)))
        .toEqual([
          false,
          false,
          true
        ])
      const again = yield* invited(bearer(made.secret))
      yield* send("DELETE", `/api-keys/${made.id}`, owner.headers)
      expect(yield* accepts(again.token, again.email)).toBeNull()
    }))

  it.effect("outlives a key that expired, and one that an owner has changed is the owner's", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { admin, headers, invited, owner } = yield* scene
      const brief = (yield* post("/api/v1/api-keys", { name: "brief", expiresInMinutes: 5 }, owner.headers)).body
      const byKey = yield* invited(bearer(brief.secret), "viewer")
      yield* sql`update api_keys set expires_at = now() - interval '1 minute' where id = ${brief.id}`
      expect(yield* accepts(byKey.token, byKey.email)).not.toBeNull()
      const raised = yield* invited(admin.headers, "member")
      yield* send("PATCH", `/members/${raised.id}`, owner.headers, { role: "owner" })
      yield* send("DELETE", `/members/${admin.userId}`, owner.headers)
      expect(yield* accepts(raised.token, raised.email)).not.toBeNull()
      // A key of a claimed workspace gives nobody the owner's role.
      expect((yield* post("/api/v1/members", { email: newAddress(), role: "owner" }, headers)).status).toBe(403)
    }))

  it.effect("that has ended takes no place of the plan, and can be sent again by somebody else", () =>
    Effect.gen(function*() {
      const { admin, invited, owner } = yield* scene
      const first = yield* invited(admin.headers)
      yield* send("DELETE", `/members/${admin.userId}`, owner.headers)
      expect((yield* get("/workspace/usage", owner.headers)).body.members.used).toBe(1)
      const second = yield* invited(owner.headers, "viewer", first.email)
      expect(yield* accepts(first.token, newAddress())).toBeNull()
      expect(yield* accepts(second.token, second.email)).not.toBeNull()
    }))

  it.effect("works once, also if it is opened twice at the same moment", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const entry = yield* WorkspaceEntry
      const { invited, owner, workspaceId } = yield* scene
      const { email, token } = yield* invited(owner.headers, "viewer")
      const person = yield* signedIn((yield* newKey()).workspaceId, "owner")
      yield* sql`update users set email = ${email} where id = ${person.userId}`
      const joined = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => entry.accept(token, person.userId), { concurrency: 6 })
      expect(joined.filter(({ _tag }) => _tag === "Some")).toHaveLength(1)
      // Removed again, the person cannot come back by it.
      yield* sql`delete from memberships where workspace_id = ${workspaceId} and user_id = ${person.userId}`
      expect((yield* entry.accept(token, person.userId))._tag).toBe("None")
    }))
})
