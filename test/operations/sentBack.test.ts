/** An agent reads a record, changes a field and sends it back: everything that a record shows of its settings is also accepted. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Predicate, type Schema, Struct } from "effect"
import { ChannelUpdate } from "../../schema/alert/Channel.ts"
import { ComponentUpdate } from "../../schema/component/Component.ts"
import { UserId } from "../../schema/Ids.ts"
import { TemplateUpdate } from "../../schema/incident/Template.ts"
import { MonitorUpdate } from "../../schema/monitor/Monitor.ts"
import { PolicyUpdate } from "../../schema/oncall/Policy.ts"
import { ScheduleUpdate } from "../../schema/oncall/Schedule.ts"
import { PageUpdate } from "../../schema/page/Page.ts"
import { WorkspaceUpdate } from "../../schema/workspace/Workspace.ts"
import { mint } from "../../src/store/Mint.ts"
import { TestProgram } from "../support/program/Program.ts"
import { type Json, newPage } from "./incident/Fixtures.ts"

const monitors: ReadonlyArray<Json> = [
  { kind: "http", url: "http://example.com/" },
  { kind: "tcp", host: "example.com", port: 9 },
  { kind: "dns", host: "example.com" },
  { kind: "grpc", host: "example.com", port: 9 },
  { kind: "websocket", url: "ws://example.com/" },
  { kind: "ping", host: "example.com" },
  { kind: "mcp", url: "http://example.com/mcp" },
  { kind: "script", code: "assert(true)" },
  { kind: "heartbeat", periodSec: 300 },
  { kind: "heartbeat", schedule: "0 5 * * *" },
  { kind: "manifest", url: "http://example.com/status.json" }
]

const channels: ReadonlyArray<Json> = [
  { type: "webhook", url: "https://hooks.example.com/a", headers: { "x-a": "b" } },
  { type: "slack", url: "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnopqrstuvwx" },
  { type: "discord", botToken: "abc.def", chatId: "123456789012345678" },
  { type: "telegram", botToken: "123456789:abcdefghijklmnopqrstuvwxyz0123456789", chatId: "42" },
  { type: "ntfy", topic: "belltower" }
]

const withoutTimes = (record: Json) =>
  Struct.omit(record, "updatedAt", "lastCheck", "stateSince", "state", "late", "checks", "stats")

layer(TestProgram, { excludeTestServices: true, timeout: "120 seconds" })("a record that is sent back", (it) => {
  it.effect("is accepted as it is, and changes nothing", () =>
    Effect.gen(function*() {
      const { client, page, workspaceId } = yield* newPage
      const sql = yield* SqlClient.SqlClient
      const user = yield* mint("usr", UserId)
      yield* sql`
        insert into users (id, email, email_proved_at, created_at, updated_at) values (${user}, ${`${user}@example.com`}, now(), now(), now())`
      yield* sql`insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${user}, 'member', now())`

      const made = Effect.fn("made")(function*(path: string, input: Json) {
        const { body, status } = yield* client.post(path, input)
        expect([path, input, status, body.error]).toEqual([path, input, 201, undefined])
        return String(body.id)
      })
      const sendBack = Effect.fn("sendBack")(
        function*(path: string, update: { readonly fields: Schema.Struct.Fields }, shown?: Json) {
          const read = Effect.map(client.get(path), ({ body }) => shown ?? body)
          const before: Json = yield* read
          const settings = Object.fromEntries(
            Object.entries(before).filter(([name]) => Predicate.hasProperty(update.fields, name))
          )
          expect([path, Object.keys(settings).length > 1]).toEqual([path, true])
          const { body, status } = yield* client.patch(path, settings)
          expect([path, status, body.error]).toEqual([path, 200, undefined])
          if (shown === undefined) expect(withoutTimes(yield* read)).toEqual(withoutTimes(before))
          else expect(body).toMatchObject(settings)
        }
      )

      for (const input of monitors) {
        yield* sendBack(`/monitors/${yield* made("/monitors", { name: "Shop", paused: true, ...input })}`, MonitorUpdate)
      }
      for (const input of channels) {
        const { body } = yield* client.post("/channels", { name: "Team", enabled: false, ...input })
        yield* sendBack(`/channels/${body.id}`, ChannelUpdate, body)
      }
      const manifest = (yield* client.get("/monitors")).body.data.find(({ kind }: Json) => kind === "manifest")
      const sources: ReadonlyArray<Json> = [
        { manual: true },
        { push: true, pushTtlSec: 600, group: "Europe" },
        { monitorIds: [manifest.id], description: "The shop" },
        { manifest: { monitorId: manifest.id, key: "api" } }
      ]
      for (const input of sources) {
        const { body } = yield* client.post(`/pages/${page.id}/components`, { name: "API", ...input })
        yield* sendBack(`/components/${body.id}`, ComponentUpdate, body)
      }
      for (const kind of ["incident", "maintenance"]) {
        const template = yield* client.post("/incident-templates", { name: kind, title: "Title", body: "Body", kind })
        yield* sendBack(`/incident-templates/${template.body.id}`, TemplateUpdate, template.body)
      }
      const schedule = { name: "Platform", timezone: "UTC", handoffDay: 0, handoffTime: "09:00", participants: [user] }
      yield* sendBack(`/oncall/schedules/${yield* made("/oncall/schedules", schedule)}`, ScheduleUpdate)
      const policy = { name: "All", levels: [{ afterMinutes: 0, targets: [{ type: "user", id: user }] }] }
      const paging = (yield* client.post("/escalation-policies", policy)).body
      yield* sendBack(`/escalation-policies/${paging.id}`, PolicyUpdate, paging)
      yield* sendBack(`/pages/${page.id}`, PageUpdate)
      yield* sendBack("/workspace", WorkspaceUpdate)
    }))

  it.effect("loses what null takes away", () =>
    Effect.gen(function*() {
      const { client, page } = yield* newPage
      yield* client.patch(`/pages/${page.id}`, { description: "The shop" })
      expect((yield* client.patch(`/pages/${page.id}`, { description: null })).body.description).toBe(null)
      const watcher = yield* client.post("/monitors", {
        name: "Document",
        kind: "manifest",
        url: "http://example.com/",
        paused: true
      })
      const manifest = { monitorId: watcher.body.id, key: "api" }
      const given = { name: "API", description: "Orders", group: "Europe", manifest }
      const { body: { id } } = yield* client.post(`/pages/${page.id}/components`, given)
      const { body } = yield* client.patch(`/components/${id}`, { description: null, group: null, manifest: null })
      expect(body).toMatchObject({ description: null, group: null, manifest: null, manual: true })
    }))
})
