/** Workspaces and their members through the interface: permissions, and the loss of access. */
import { SqlClient } from "@effect/sql"
import { assert, describe, expect, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Role } from "../../../schema/workspace/Workspace.ts"
import { Mails } from "../../../src/store/mail/Mails.ts"
import { newAddress } from "../../support/browser/Visitor.ts"
import { signedIn } from "../../support/database/SignedIn.ts"
import { bearer, callJson, type Json, newKey, post, TestServer } from "../../support/program/TestServer.ts"

type Headers = Record<string, string>

const get = (path: string, headers: Headers) => callJson(`/api/v1${path}`, { headers })
const send = (method: string, path: string, headers: Headers, body?: unknown) =>
  callJson(`/api/v1${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
const invite = (headers: Headers, email: string, role: Role = "member") => post("/api/v1/members", { email, role }, headers)

const set = (workspaceId: WorkspaceId, plan: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update workspaces set plan = ${plan}, claimed_at = now(), expires_at = null where id = ${workspaceId}`
  )

/** A claimed workspace with an owner and a key. */
const claimed = Effect.fn("claimed")(function*(plan = "self_hosted") {
  const key = yield* newKey()
  yield* set(key.workspaceId, plan)
  const owner = yield* signedIn(key.workspaceId, "owner", "Ada")
  return { ...key, key: key.headers, owner }
})

layer(TestServer, { excludeTestServices: true })("a workspace", (it) => {
  it.effect("is read and changed; invalid values are rejected by their path", () =>
    Effect.gen(function*() {
      const { headers, workspaceId } = yield* newKey()
      const upstreams = [{ service: "github", component: "api" }, { service: "stripe" }]
      const changed = yield* send("PATCH", "/workspace", headers, { name: "Acme", timezone: "Europe/Athens", upstreams })
      assert.strictEqual(changed.status, 200)
      const { body } = yield* get("/workspace", headers)
      expect(body).toMatchObject({ id: workspaceId, name: "Acme", timezone: "Europe/Athens", upstreams, claimed: false })
      expect((yield* send("PATCH", "/workspace", headers, { name: "Other" })).body).toMatchObject({ name: "Other", upstreams })
      const wrong = yield* send("PATCH", "/workspace", headers, {
        timezone: "+02:00",
        upstreams: [{ service: "Git Hub" }],
        plan: "business"
      })
      assert.strictEqual(wrong.status, 422)
      expect(wrong.body.error.details.map((one: { path: string }) => one.path).sort()).toEqual([
        "plan",
        "timezone",
        "upstreams.0.service"
      ])
    }))

  it.effect("shows an agent until when its new workspace is kept", () =>
    Effect.gen(function*() {
      const { body } = yield* post("/api/v1/agent/bootstrap", { agentName: "scout" })
      expect(body.workspace).toMatchObject({ claimed: false, upstreams: [], expiresAt: body.expiresAt })
    }))

  it.effect("counts its usage", () =>
    Effect.gen(function*() {
      const { key, owner } = yield* claimed("free")
      yield* invite(owner.headers, "grace@example.com")
      const { body } = yield* get("/workspace/usage", key)
      expect(body).toMatchObject({
        plan: "free",
        members: { used: 2, limit: 3 },
        monitors: { used: 0, limit: 50 },
        customDomains: { used: 0, limit: 0 }
      })
      expect(body.aiReports.resetsAt).toMatch(/-01T00:00:00\.000Z$/)
    }))

  it.effect("is deleted by its agent while unclaimed, then by an owner only; its keys and sessions end immediately", () =>
    Effect.gen(function*() {
      const agent = yield* newKey()
      const stranger = yield* newKey()
      const deleted = yield* send("DELETE", "/workspace", agent.headers)
      expect(deleted.body).toMatchObject({ id: agent.workspaceId, deleted: true, restoreToken: expect.any(String) })
      assert.strictEqual((yield* get("/workspace", agent.headers)).status, 401)
      assert.strictEqual((yield* get("/workspace", stranger.headers)).status, 200)
      const { key, owner, workspaceId } = yield* claimed()
      const admin = yield* signedIn(workspaceId, "admin")
      assert.strictEqual((yield* send("DELETE", "/workspace", key)).status, 403)
      assert.strictEqual((yield* send("DELETE", "/workspace", admin.headers)).status, 403)
      assert.strictEqual((yield* send("DELETE", "/workspace", owner.headers)).status, 200)
      assert.strictEqual((yield* get("/workspace", key)).status, 401)
      assert.strictEqual((yield* get("/workspace", admin.headers)).status, 403)
    }))

  it.effect("is restored with the token of its deletion; until then its keys and slugs lead nowhere and stay reserved", () =>
    Effect.gen(function*() {
      const { headers, workspaceId } = yield* newKey()
      const sql = yield* SqlClient.SqlClient
      const { body } = yield* send("DELETE", "/workspace", headers)
      // Deleted on its sixth day, and restored on the twelfth: the days between do not count.
      yield* sql`
        update workspaces set deleted_at = now() - interval '6 days', expires_at = now() - interval '5 days'
        where id = ${workspaceId}`
      const refused = yield* get("/workspace", headers)
      expect([refused.status, refused.body.error.message]).toEqual([401, expect.stringContaining("was deleted at")])
      expect(refused.body.error.hint).toContain("restore_workspace")
      const restore = (restoreToken: string) => post(`/api/v1/workspaces/${workspaceId}/restore`, { restoreToken })
      assert.strictEqual((yield* restore("x".repeat(40))).status, 404)
      expect((yield* restore(body.restoreToken)).body).toMatchObject({ id: workspaceId })
      assert.strictEqual((yield* restore(body.restoreToken)).status, 404)
      const kept = yield* get("/workspace", headers)
      expect([kept.status, Math.round((Date.parse(kept.body.expiresAt) - Date.now()) / 3_600_000)]).toEqual([200, 24])
      const audit = yield* get("/audit?operation=restore_workspace", headers)
      assert.strictEqual(audit.body.data.length, 1)
    }))

  it.effect("is restored by an owner who signs in, by nobody else, and not after 7 days", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { key, owner, workspaceId } = yield* claimed()
      const admin = yield* signedIn(workspaceId, "admin")
      const deleted = yield* send("DELETE", "/workspace", owner.headers)
      expect(deleted.body.restoreToken).toBe(undefined)
      expect((yield* get("/me/workspaces", owner.headers)).body.data).toEqual([])
      const listed = yield* get("/me/deleted-workspaces", owner.headers)
      expect(listed.body.data).toMatchObject([{ id: workspaceId, restorableUntil: deleted.body.restorableUntil }])
      expect((yield* get("/me/deleted-workspaces", admin.headers)).body.data).toEqual([])
      const restore = (headers: Headers) => send("POST", `/me/workspaces/${workspaceId}/restore`, headers)
      assert.strictEqual((yield* restore(admin.headers)).status, 404)
      assert.strictEqual((yield* restore(owner.headers)).status, 200)
      expect([(yield* get("/workspace", owner.headers)).status, (yield* get("/workspace", key)).status]).toEqual([200, 200])
      yield* send("DELETE", "/workspace", owner.headers)
      yield* sql`update workspaces set deleted_at = now() - interval '7 days 1 minute' where id = ${workspaceId}`
      assert.strictEqual((yield* restore(owner.headers)).status, 404)
    }))
})

layer(TestServer, { excludeTestServices: true })("members", (it) => {
  it.effect("are invited by an email with a secret link; inviting again sends another link", () =>
    Effect.gen(function*() {
      const { owner, workspaceId } = yield* claimed()
      const first = yield* invite(owner.headers, " Grace@Example.com ", "admin")
      assert.strictEqual(first.status, 201)
      expect(first.body).toMatchObject({
        id: expect.stringMatching(/^inv_/),
        userId: null,
        email: "grace@example.com",
        role: "admin",
        status: "invited"
      })
      const again = yield* invite(owner.headers, "grace@example.com", "viewer")
      expect(again.body).toMatchObject({ id: first.body.id, role: "viewer" })
      const { body } = yield* get("/members", owner.headers)
      expect(body.data).toMatchObject([{ id: owner.userId, name: "Ada", role: "owner", status: "active" }, { id: first.body.id }])
      const mails = yield* Mails
      const kept = yield* mails.captured(owner.userId)
      const texts = yield* Effect.forEach(kept, (mail) =>
        Effect.map(Effect.flatten(mails.read(owner.userId, mail.id)), ({ text }) => text))
      const links = texts.map((text) =>
        /https:\/\/belltower\.test\/invite\/([0-9A-Za-z]{40})\n/.exec(text)?.[1]
      )
      assert.strictEqual(new Set(links).size, 2)
      expect(texts[0]).toContain("Ada")
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`select invited_by from invitations where workspace_id = ${workspaceId}`).toEqual([{
        invited_by: owner.userId
      }])
    }))

  it.effect("cannot be invited before a human has claimed the workspace, nor twice, nor beyond the plan", () =>
    Effect.gen(function*() {
      const agent = yield* newKey()
      assert.strictEqual((yield* invite(agent.headers, "grace@example.com")).status, 403)
      const { owner } = yield* claimed("free")
      expect((yield* invite(owner.headers, owner.email)).body.error.code).toBe("conflict")
      const many = yield* Effect.forEach(["a", "b", "c", "d"], (name) => invite(owner.headers, `${name}@example.com`), {
        concurrency: "unbounded"
      })
      expect(many.map(({ status }) => status).sort()).toEqual([201, 201, 402, 402])
      const refused = many.find(({ status }) => status === 402)
      expect(refused?.body.error).toMatchObject({
        code: "plan_limit",
        details: { upgrade: { plan: "starter", name: "Starter" } }
      })
      const taken = many.find(({ status }) => status === 201)
      assert.strictEqual((yield* invite(owner.headers, taken?.body.email)).status, 201)
      assert.strictEqual((yield* invite(owner.headers, "no address")).status, 422)
    }))

  it.effect("are invited at most 10 times a day at one address, and 50 times by one person and their keys", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { key, owner, workspaceId } = yield* claimed()
      const counted = (name: string, subject: string, count: number) =>
        sql`
        insert into rate_limits (key, window_start, count)
        select ${`${name}:${subject}`}, date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' + day, ${count}::int
        from unnest(array[interval '0', interval '1 day']) as day
        on conflict (key, window_start) do update set count = excluded.count`
      const refusal = ({ body, headers, status }: Effect.Effect.Success<ReturnType<typeof invite>>) => [
        status,
        body.error?.message,
        body.error?.hint?.startsWith("Try again in "),
        headers.get("retry-after") !== null
      ]
      const stranger = yield* claimed()
      const wanted = newAddress("wanted")
      yield* counted("invitation-to-all", wanted, 9)
      expect((yield* invite(stranger.owner.headers, wanted)).status).toBe(201)
      const message = "One address can be invited at most 10 times a day, by all workspaces together"
      // Others cannot keep the address out of a workspace that has not invited it yet.
      expect((yield* invite(owner.headers, wanted)).status).toBe(201)
      expect(refusal(yield* invite(owner.headers, wanted))).toEqual([429, message, true, true])
      // What was refused counts for nobody.
      yield* counted("invitation-by", owner.userId, 49)
      const made = yield* post("/api/v1/api-keys", { name: "inviter" }, owner.headers)
      expect((yield* invite(bearer(made.body.secret), newAddress("heidi"))).status).toBe(201)
      const tooMany = "You can send at most 50 invitations a day, from all your workspaces together"
      expect(refusal(yield* invite(owner.headers, newAddress("ivan")))).toEqual([429, tooMany, true, true])
      expect((yield* invite(key, newAddress("ivan"))).status).toBe(201)
      expect((yield* invite((yield* signedIn(workspaceId, "admin")).headers, newAddress("judy"))).status).toBe(201)
    }))

  it.effect("act within their roles", () =>
    Effect.gen(function*() {
      const { key, owner, workspaceId } = yield* claimed()
      const [admin, member, viewer] = yield* Effect.forEach(["admin", "member", "viewer"] as const, (role) =>
        signedIn(workspaceId, role))
      const status = (answer: Effect.Effect.Success<ReturnType<typeof send>>) =>
        answer.status
      const change = (who: Headers, whom: string, role: Role) =>
        Effect.map(send("PATCH", `/members/${whom}`, who, { role }), status)
      for (const who of [member?.headers, viewer?.headers]) {
        expect((yield* invite(who ?? {}, "x@example.com")).status).toBe(403)
        expect(yield* change(who ?? {}, admin?.userId ?? "", "viewer")).toBe(403)
        expect(status(yield* send("DELETE", `/members/${admin?.userId}`, who ?? {}))).toBe(403)
        expect(status(yield* get("/members", who ?? {}))).toBe(200)
      }
      for (const who of [admin?.headers ?? {}, key]) {
        expect((yield* invite(who, "x@example.com", "owner")).status).toBe(403)
        expect(yield* change(who, owner.userId, "member")).toBe(403)
        expect(yield* change(who, member?.userId ?? "", "owner")).toBe(403)
        expect(status(yield* send("DELETE", `/members/${owner.userId}`, who))).toBe(403)
        expect(yield* change(who, member?.userId ?? "", "viewer")).toBe(200)
        // Inviting again would invalidate the owner's link.
        const heir = yield* invite(owner.headers, "heir@example.com", "owner")
        expect([heir.status, (yield* invite(who, "heir@example.com", "viewer")).status]).toEqual([201, 403])
      }
      expect(yield* change(owner.headers, admin?.userId ?? "", "owner")).toBe(200)
      expect(yield* change(owner.headers, owner.userId, "viewer")).toBe(200)
      expect(yield* change(admin?.headers ?? {}, admin?.userId ?? "", "admin")).toBe(409)
      expect(status(yield* send("DELETE", `/members/${admin?.userId}`, admin?.headers ?? {}))).toBe(409)
      expect(yield* change(admin?.headers ?? {}, "usr_nobody", "admin")).toBe(404)
    }))

  it.effect("never lose their last owner, even if two remove each other at the same time", () =>
    Effect.gen(function*() {
      const { owner, workspaceId } = yield* claimed()
      const other = yield* signedIn(workspaceId, "owner")
      const answers = yield* Effect.all([
        send("DELETE", `/members/${other.userId}`, owner.headers),
        send("DELETE", `/members/${owner.userId}`, other.headers)
      ], { concurrency: 2 })
      expect(answers.map(({ status }) => status).sort()).toSatisfy(([first, second]: ReadonlyArray<number>) =>
        first === 200 && (second === 409 || second === 403)
      )
    }))

  it.effect("lose access immediately when they are removed or leave, and so does an invitation", () =>
    Effect.gen(function*() {
      const { owner, workspaceId } = yield* claimed()
      const elsewhere = yield* newKey()
      const removed = yield* signedIn(workspaceId, "admin")
      const leaver = yield* signedIn(workspaceId, "member")
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into memberships (workspace_id, user_id, role, created_at)
        values (${elsewhere.workspaceId}, ${removed.userId}, 'member', now())`
      expect((yield* send("DELETE", `/members/${removed.userId}`, owner.headers)).body).toEqual({
        id: removed.userId,
        deleted: true,
        keys: []
      })
      // The session continues in the person's remaining workspace only.
      expect((yield* get("/workspace", removed.headers)).body.id).toBe(elsewhere.workspaceId)
      expect((yield* get("/workspace", { ...removed.headers, "x-workspace": workspaceId })).status).toBe(403)
      expect((yield* send("DELETE", `/members/${leaver.userId}`, leaver.headers)).status).toBe(200)
      expect((yield* get("/workspace", leaver.headers)).status).toBe(403)
      // Viewers may leave; they change nothing else, and no one else.
      const viewer = yield* signedIn(workspaceId, "viewer")
      const refused = yield* send("DELETE", `/members/${owner.userId}`, viewer.headers)
      expect([refused.status, refused.body.error.hint]).toEqual([403, "Ask a workspace admin; you can remove only yourself"])
      expect((yield* post("/api/v1/monitors", { name: "a" }, viewer.headers)).body.error.message).toBe(
        "Viewers have read-only access"
      )
      expect((yield* send("DELETE", `/members/${viewer.userId}`, viewer.headers)).body).toEqual({
        id: viewer.userId,
        deleted: true,
        keys: []
      })
      expect((yield* get("/workspace", viewer.headers)).status).toBe(403)
      const invited = yield* invite(owner.headers, "grace@example.com")
      expect((yield* send("DELETE", `/members/${invited.body.id}`, owner.headers)).status).toBe(200)
      expect((yield* get("/members", owner.headers)).body.data).toHaveLength(1)
      expect((yield* send("DELETE", `/members/${invited.body.id}`, owner.headers)).status).toBe(404)
    }))

  describe("lose the API keys that they created", () => {
    const madeKey = (headers: Headers, name: string) =>
      Effect.map(post("/api/v1/api-keys", { name }, headers), ({ body }) => body)
    const works = (secret: string) => Effect.map(get("/agent/whoami", bearer(secret)), ({ status }) => status === 200)
    const auditOf = (headers: Headers, operation: string) =>
      Effect.map(get(`/audit?operation=${operation}`, headers), ({ body }) => body.data.map(({ target }: Json) => target).sort())

    it.effect("including keys created by these keys, and all are listed in the answer and the audit log", () =>
      Effect.gen(function*() {
        const { key, owner, workspaceId } = yield* claimed()
        const leaver = yield* signedIn(workspaceId, "admin")
        const first = yield* madeKey(leaver.headers, "pipeline")
        const second = yield* madeKey(bearer(first.secret), "of the pipeline")
        const helper = yield* post("/api/v1/api-keys", { name: "helper", expiresInMinutes: 5 }, bearer(second.secret))
        const others = yield* madeKey(owner.headers, "the owner's")
        expect([first.createdBy, second.createdBy, helper.body.createdBy]).toEqual([leaver.userId, leaver.userId, leaver.userId])
        const { body } = yield* send("DELETE", `/members/${leaver.userId}`, owner.headers)
        expect(body.keys).toEqual([
          { id: first.id, name: "pipeline", revoked: true },
          { id: second.id, name: "of the pipeline", revoked: true },
          { id: helper.body.id, name: "helper", revoked: true }
        ])
        for (const one of [first, second, helper.body]) expect(yield* works(one.secret)).toBe(false)
        expect([yield* works(others.secret), (yield* get("/agent/whoami", key)).status]).toEqual([true, 200])
        expect(yield* auditOf(owner.headers, "revoke_api_key")).toEqual([first.id, second.id, helper.body.id].sort())
      }))

    it.effect("unless the remover keeps the keys and becomes responsible for them", () =>
      Effect.gen(function*() {
        const { owner, workspaceId } = yield* claimed()
        const leaver = yield* signedIn(workspaceId, "admin")
        const heir = yield* signedIn(workspaceId, "admin")
        const made = yield* madeKey(leaver.headers, "pipeline")
        const byLeaver = yield* send("DELETE", `/members/${leaver.userId}?keys=keep`, leaver.headers)
        expect([byLeaver.status, yield* works(made.secret)]).toEqual([403, true])
        expect((yield* send("DELETE", `/members/${leaver.userId}?keys=both`, heir.headers)).status).toBe(422)
        const { body } = yield* send("DELETE", `/members/${leaver.userId}?keys=keep`, heir.headers)
        expect(body.keys).toEqual([{ id: made.id, name: "pipeline", revoked: false }])
        expect(yield* auditOf(owner.headers, "keep_api_key")).toEqual([made.id])
        expect((yield* get("/agent/whoami", bearer(made.secret))).body.key.createdBy).toBe(heir.userId)
        yield* send("DELETE", `/members/${heir.userId}`, owner.headers)
        expect(yield* works(made.secret)).toBe(false)
      }))

    it.effect("and what they granted to apps ends in any case, and does not come back with them", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { owner, workspaceId } = yield* claimed()
        const leaver = yield* signedIn(workspaceId, "admin")
        const own = yield* madeKey(leaver.headers, "pipeline")
        // A grant is a key of an app.
        const granted = yield* madeKey(leaver.headers, "app")
        const ofApp = yield* post("/api/v1/api-keys", { name: "of the app", expiresInMinutes: 5 }, bearer(granted.secret))
        yield* sql`update api_keys set client_id = 'app_of_somebody' where id = ${granted.id}`
        const { body } = yield* send("DELETE", `/members/${leaver.userId}?keys=keep`, owner.headers)
        expect(body.keys).toEqual([{ id: own.id, name: "pipeline", revoked: false }])
        yield* sql`
          insert into memberships (workspace_id, user_id, role, created_at)
          values (${workspaceId}, ${leaver.userId}, 'admin', now())`
        const secrets = [own.secret, granted.secret, ofApp.body.secret]
        expect(yield* Effect.forEach(secrets, works)).toEqual([true, false, false])
      }))

    it.effect("and the keys never exceed the role of the member who created them", () =>
      Effect.gen(function*() {
        const { owner, workspaceId } = yield* claimed()
        const admin = yield* signedIn(workspaceId, "admin")
        const made = yield* madeKey(admin.headers, "pipeline")
        const may = Effect.gen(function*() {
          const member = yield* invite(bearer(made.secret), `${yield* Effect.sync(() => crypto.randomUUID())}@example.com`)
          const monitor = yield* post("/api/v1/monitors", { name: "a" }, bearer(made.secret))
          return [member.status === 201, monitor.status !== 403, yield* works(made.secret)]
        })
        expect(yield* may).toEqual([true, true, true])
        yield* send("PATCH", `/members/${admin.userId}`, owner.headers, { role: "member" })
        const heard = Effect.repeat(may, { until: ([invites]) => invites === false })
        expect(yield* heard).toEqual([false, true, true])
        yield* send("PATCH", `/members/${admin.userId}`, owner.headers, { role: "viewer" })
        expect(yield* Effect.repeat(may, { until: ([, writes]) => writes === false })).toEqual([false, false, true])
      }))

    it.effect("however their membership ends, and no key is created meanwhile", () =>
      Effect.gen(function*() {
        const { workspaceId } = yield* claimed()
        const sql = yield* SqlClient.SqlClient
        const leaver = yield* signedIn(workspaceId, "admin")
        const made = yield* madeKey(leaver.headers, "pipeline")
        const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        const late = yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`delete from memberships where user_id = ${leaver.userId}`
          const asked = yield* Effect.fork(post("/api/v1/api-keys", { name: "late" }, leaver.headers))
          yield* Effect.repeat(waiting, { until: (rows) => rows.length > 0 })
          return asked
        }))
        expect((yield* Fiber.join(late)).status).toBe(401)
        yield* Effect.repeat(works(made.secret), { until: (found) => !found })
      }))
  })
})
