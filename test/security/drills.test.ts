/** Drills, attacked: they page nobody outside, cost no more than their limit, and leave nothing that a plan would not allow. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { ServerResponse } from "node:http"
import { ServerAddress } from "../../src/http/server/ServeApp.ts"
import { clientOf } from "../flows/support/Client.ts"
import { answering, receiver } from "../notify/alert/Receiver.ts"
import { newPage } from "../operations/incident/Fixtures.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { programOf } from "../support/program/Program.ts"
import { type Json, newKey } from "../support/program/TestServer.ts"
import { until } from "../support/time/Until.ts"

const scene = Effect.gen(function*() {
  const found = yield* newPage
  const sql = yield* SqlClient.SqlClient
  yield* sql`update workspaces set claimed_at = now() where id = ${found.workspaceId}`
  const hook = yield* receiver(answering(204))
  const channel = (yield* found.client.post("/channels", { name: "Team", type: "webhook", url: hook.url })).body
  return { ...found, sql, hook, channel }
})

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }), { excludeTestServices: true, timeout: "180 seconds" })(
  "a drill",
  (it) => {
    it.scoped("alerts no channel of another workspace, and says the same of one that never was", () =>
      Effect.gen(function*() {
        const victim = yield* scene
        const attacker = yield* scene
        const foreign = yield* attacker.client.post("/drills", { channelIds: [attacker.channel.id, victim.channel.id] })
        const never = victim.channel.id.replace(/.$/, victim.channel.id.endsWith("0") ? "1" : "0")
        const missing = yield* attacker.client.post("/drills", { channelIds: [attacker.channel.id, never] })
        expect([foreign.status, missing.status]).toEqual([422, 422])
        expect(foreign.text.replaceAll(victim.channel.id, "")).toBe(missing.text.replaceAll(never, ""))
        expect([victim.hook.seen, attacker.hook.seen]).toEqual([[], []])
      }))

    it.scoped("pages nobody who has left, although a policy still names them", () =>
      Effect.gen(function*() {
        const { client, sql, workspaceId } = yield* scene
        const stays = yield* signedIn(workspaceId, "member")
        const leaves = yield* signedIn(workspaceId, "member")
        yield* sql`update users set email_proved_at = now() where id = any(${[stays.userId, leaves.userId]}::text[])`
        const stranger = yield* signedIn((yield* newKey()).workspaceId, "member")
        const levels = (ids: ReadonlyArray<string>) => [{ afterMinutes: 0, targets: ids.map((id) => ({ type: "user", id })) }]
        expect((yield* client.post("/escalation-policies", { name: "P", levels: levels([stranger.userId]) })).status).toBe(422)
        expect((yield* client.post("/escalation-policies", { name: "P", levels: levels([stays.userId, leaves.userId]) })).status)
          .toBe(201)
        yield* sql`delete from memberships where user_id = ${leaves.userId}`
        const { body } = yield* client.post("/drills", {})
        const drill = yield* until(client.get(`/drills/${body.id}`), (answer) => answer.body.status !== "running", "60 seconds")
        expect(JSON.stringify(drill.body)).not.toContain(leaves.email)
        const mails = yield* sql`select from mails where recipient = ${leaves.email}`
        expect(mails).toEqual([])
      }))

    it.scoped("is limited for its workspace: another key starts no more, and a narrow one starts none", () =>
      Effect.gen(function*() {
        const { client, hook, sql, workspaceId } = yield* scene
        const { host, port } = yield* ServerAddress
        const as = (secret: string) => clientOf(`http://${host}:${port}`, secret)
        const read = yield* newKey(["read"], { workspaceId })
        const made = (more: object) =>
          Effect.map(client.post("/api-keys", { name: "helper", expiresInMinutes: 5, ...more }), ({ body }) => as(body.secret))
        const narrow = [as(read.secret), yield* made({ operations: ["list_monitors"] })]
        for (const one of narrow) expect((yield* one.post("/drills", {})).status).toBe(403)
        // Ten in this hour and the next, which may begin meanwhile.
        yield* sql`
        insert into rate_limits (key, window_start, count)
        select ${`drills:${workspaceId}`}, date_trunc('hour', now() at time zone 'UTC') at time zone 'UTC' + step, 10
        from unnest(array[interval '0', interval '1 hour']) as step`
        const others = [client, yield* made({}), yield* made({ operations: ["create_drill"] })]
        for (const one of others) expect((yield* one.post("/drills", {})).status).toBe(429)
        expect([hook.seen, yield* sql`select from monitors where workspace_id = ${workspaceId}`]).toEqual([[], []])
      }))

    it.scoped("gives no monitor beyond the plan: what is made of its monitor ends with it", () =>
      Effect.gen(function*() {
        const { client, page, sql, workspaceId } = yield* scene
        const held: Array<ServerResponse> = []
        let answers = false
        const silent = yield* receiver((response) => answers ? void response.writeHead(204).end() : void held.push(response))
        yield* client.post("/channels", { name: "Silent", type: "webhook", url: silent.url })
        const running = yield* Effect.fork(client.post("/drills", {}))
        const [monitor]: ReadonlyArray<Json> = yield* until(
          sql<Json>`select id from monitors where workspace_id = ${workspaceId}`,
          (rows) => rows.length === 1
        )
        // Renamed and shown on a page while the drill runs.
        const renamed = yield* client.patch(`/monitors/${monitor.id}`, { name: "Mine now", tags: [] })
        const shown = yield* client.post(`/pages/${page.id}/components`, { name: "Kept", monitorIds: [monitor.id] })
        expect([renamed.status, shown.status]).toEqual([200, 201])
        answers = true
        for (const response of held) response.writeHead(204).end()
        yield* Fiber.join(running)
        yield* until(sql`select from monitors where workspace_id = ${workspaceId}`, (rows) => rows.length === 0, "60 seconds")
        expect((yield* client.get(`/monitors/${monitor.id}`)).status).toBe(404)
      }))

    it.scoped("shows its receipt to its own workspace only", () =>
      Effect.gen(function*() {
        const one = yield* scene
        const other = yield* scene
        const { body } = yield* one.client.post("/drills", {})
        expect((yield* one.client.get(`/drills/${body.id}`)).status).toBe(200)
        expect((yield* other.client.get(`/drills/${body.id}`)).status).toBe(404)
      }))
  }
)
