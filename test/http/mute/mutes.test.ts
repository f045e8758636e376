/** Mutes over HTTP: what is accepted, listed and shown, and that the work of reading does not grow with them. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { Monitor } from "../../../schema/monitor/Monitor.ts"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { clientOf } from "../../flows/support/Client.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { type Json, newKey } from "../../support/program/TestServer.ts"

const workspace = Effect.gen(function*() {
  const { host, port } = yield* ServerAddress
  const { secret, workspaceId } = yield* newKey()
  const client = clientOf(`http://${host}:${port}`, secret)
  const monitor = (name: string, more: Json = {}) =>
    Effect.map(client.post("/monitors", { name, url: "https://shop.test/", paused: true, ...more }), ({ body }): Json => body)
  return { client, workspaceId, monitor }
})

const decode = Schema.decodeUnknown(Monitor)

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("a mute", (it) => {
  it.effect("is shown with its monitors, on each of them in lists and alone, and in their explanation, until it is ended", () =>
    Effect.gen(function*() {
      const { client, monitor } = yield* workspace
      const [shop, cart, other] = [yield* monitor("Shop"), yield* monitor("Cart", { tags: ["cart"] }), yield* monitor("Other")]
      const made = yield* client.post("/mutes", {
        monitorIds: [shop.id, shop.id],
        tags: ["cart"],
        durationSec: 600,
        reason: " Deploy of 1.2 "
      })
      expect([made.status, made.body]).toMatchObject([201, {
        id: expect.stringMatching(/^mute_/),
        monitorIds: [shop.id],
        tags: ["cart"],
        all: false,
        durationSec: 600,
        reason: "Deploy of 1.2",
        endedAt: null,
        mutes: { count: 2, monitors: [{ id: cart.id, name: "Cart" }, { id: shop.id, name: "Shop" }] }
      }])
      const { id, until } = made.body
      expect(Date.parse(until) - Date.parse(made.body.createdAt)).toBe(600_000)
      const muted = { until, muteId: id, incidentId: null, reason: "Deploy of 1.2" }
      const { data } = (yield* client.get("/monitors")).body
      expect(data.map((one: Json) => one.muted)).toEqual([muted, muted, null])
      for (const one of data) yield* decode(one)
      expect((yield* client.get(`/monitors/${shop.id}`)).body.muted).toEqual(muted)
      const explained = (yield* client.get(`/monitors/${cart.id}/explain`)).body
      expect([explained.muted, explained.summary]).toEqual([muted, expect.stringContaining("because it is muted.")])
      expect((yield* client.get(`/monitors/${other.id}/explain`)).body.muted).toBeNull()
      // One that is made while it runs.
      expect((yield* monitor("New", { tags: ["cart"] })).muted).toEqual(muted)
      expect((yield* client.get("/mutes?active=true")).body.data.map((one: Json) => one.id)).toEqual([id])

      const ended = yield* client.delete(`/mutes/${id}`)
      expect([ended.status, ended.body.endedAt]).toEqual([200, ended.body.updatedAt])
      expect((yield* client.delete(`/mutes/${id}`)).body).toEqual(ended.body)
      expect((yield* client.get(`/mutes/${id}`)).body).toEqual(ended.body)
      expect((yield* client.get("/mutes?active=true")).body.data).toEqual([])
      expect((yield* client.get("/mutes")).body).toEqual({ data: [ended.body], next: null })
      expect((yield* client.get(`/monitors/${shop.id}`)).body.muted).toBeNull()
      const types = (yield* client.get("/events?types=mute.started,mute.ended")).body.data.map((one: Json) => one.type)
      expect(types).toEqual(["mute.ended", "mute.started"])
    }))

  it.effect("of all monitors leaves out that of a running drill, which rehearses alerts", () =>
    Effect.gen(function*() {
      const { client, monitor, workspaceId } = yield* workspace
      const [shop, drill] = [yield* monitor("Shop"), yield* monitor("[Drill] Test incident")]
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into drills (id, workspace_id, monitor_id, status, stages, deliveries, paged, created_at, deadline_at)
        values (${`drl_${workspaceId}`}, ${workspaceId}, ${drill.id}, 'running', '[]', '[]', '[]', now(), now() + interval '1 hour')`
      const { body } = yield* client.post("/mutes", { all: true, durationSec: 60 })
      expect(body.mutes).toEqual({ count: 1, monitors: [{ id: shop.id, name: "Shop" }] })
      expect((yield* client.get(`/monitors/${drill.id}`)).body.muted).toBeNull()
    }))

  it.effect("needs a scope and one end, at most 31 days ahead", () =>
    Effect.gen(function*() {
      const { client } = yield* workspace
      const inDays = (days: number) => Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.add(now, { days })))
      const refused = [
        [{ durationSec: 60 }, "monitorIds", "Say which monitors to mute"],
        [{ durationSec: 60, all: false }, "monitorIds", "Say which"],
        [{ durationSec: 60, all: true, tags: ["a"] }, "monitorIds", "all mutes every monitor"],
        [{ durationSec: 60, tags: [" "] }, "tags.0", "at least one character"],
        [{ durationSec: 60, monitorIds: ["mon_00000000000000000000000001"] }, "monitorIds.0", "No monitor"],
        [{ all: true }, "durationSec", "either durationSec or until"],
        [{ all: true, durationSec: 60, until: yield* inDays(1) }, "durationSec", "either"],
        [{ all: true, until: yield* inDays(-1) }, "until", "in the future"],
        [{ all: true, until: yield* inDays(32) }, "until", "at most 31 days"],
        [{ all: true, durationSec: 0 }, "durationSec", "whole number"]
      ] as const
      for (const [input, path, message] of refused) {
        const { body, status } = yield* client.post("/mutes", input)
        // A message that names the only field stands without details.
        const said = JSON.stringify(body.error)
        expect([status, said]).toEqual([422, expect.stringContaining(message)])
        expect(said).toContain(path)
      }
      const { body, status } = yield* client.post("/mutes", { all: true, until: yield* inDays(30) })
      expect([status, body.warnings]).toEqual([201, ["It mutes no monitor, because the workspace has none"]])
      expect((yield* client.get("/mutes/mute_00000000000000000000000001")).status).toBe(404)
    }))

  it.effect("is one of 200 that run at the same time, at most", () =>
    Effect.gen(function*() {
      const { client, workspaceId } = yield* workspace
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into mutes (id, workspace_id, monitor_ids, tags, everything, made_by, created_at, until)
        select 'mute_' || ${workspaceId} || n, ${workspaceId}, '{}', '{}', true, 'test', now(), now() + interval '1 hour'
        from generate_series(1, 200) n`
      const { body, status } = yield* client.post("/mutes", { all: true, durationSec: 60 })
      expect([status, body.error.message]).toEqual([422, "A workspace can have at most 200 mutes that run at the same time"])
    }))

  it.effect("names the first 100 of many monitors, and maintenance of their page likewise", () =>
    Effect.gen(function*() {
      const { client, monitor, workspaceId } = yield* workspace
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* monitor("Shop")
      yield* sql`
        insert into monitors select copy.* from monitors m, generate_series(1, 25000) n,
          lateral jsonb_populate_record(m, jsonb_build_object(
            'id', 'mon_' || lower(right(${workspaceId}, 6)) || lpad(n::text, 20, '0'), 'name', 'Copy ' || lpad(n::text, 5, '0'))) copy
        where m.id = ${id}`
      const { body } = yield* client.post("/mutes", { all: true, durationSec: 60 })
      expect([body.mutes.count, body.mutes.monitors.length, body.mutes.monitors[0].name]).toEqual([25_001, 100, "Copy 00001"])
      const page = (yield* client.post("/pages", { name: "Acme" })).body
      for (let from = 1; from <= 120; from += 20) {
        const some = sql<{ readonly id: string }>`
          select id from monitors where workspace_id = ${workspaceId} order by name offset ${from} limit 20`
        yield* client.post(`/pages/${page.id}/components`, {
          name: `Part ${from}`,
          monitorIds: (yield* some).map((one) => one.id)
        })
      }
      const window = { title: "Upgrade", message: "Soon.", scheduledStart: "2098-01-01T00:00:00Z" }
      const planned = yield* client.post("/maintenance", {
        ...window,
        scheduledEnd: "2098-01-01T01:00:00Z",
        pageIds: [page.slug]
      })
      expect([planned.status, planned.body.mutes.count, planned.body.mutes.monitors.length]).toEqual([201, 120, 100])
      const listed = (yield* client.get("/incidents?kind=maintenance")).body.data[0]
      expect([listed.mutes.count, listed.mutes.monitors.length]).toEqual([120, 10])
    }))
})

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("a maintenance window", (it) => {
  const window = {
    title: "Upgrade",
    message: "Soon.",
    scheduledStart: "2098-01-01T00:00:00Z",
    scheduledEnd: "2098-01-01T01:00:00Z"
  }

  it.effect("says which monitors it mutes, in every answer, and warns if it mutes none", () =>
    Effect.gen(function*() {
      const { client, monitor } = yield* workspace
      const [shop, feed] = [yield* monitor("Shop"), yield* monitor("Feed", { kind: "manifest" })]
      const page = (yield* client.post("/pages", { name: "Acme" })).body
      const empty = yield* client.post("/maintenance", { ...window, pageIds: [page.id] })
      expect([empty.status, empty.body.mutes, empty.body.warnings]).toEqual([
        201,
        { count: 0, monitors: [] },
        [expect.stringContaining("no component that it covers follows one")]
      ])
      const nowhere = yield* client.post("/maintenance", window)
      expect([nowhere.status, nowhere.body.mutes.count, nowhere.body.warnings]).toEqual([
        201,
        0,
        [expect.stringContaining("names no page and no component. To keep alerts back without a page, use POST /api/v1/mutes")]
      ])
      const component = (yield* client.post(`/pages/${page.id}/components`, { name: "Shop", monitorIds: [shop.id] })).body
      const other = (yield* client.post(`/pages/${page.id}/components`, {
        name: "Feed",
        manifest: { monitorId: feed.id, key: "feed" }
      })).body
      const all = { count: 2, monitors: [{ id: feed.id, name: "Feed" }, { id: shop.id, name: "Shop" }] }
      const read = (yield* client.get(`/incidents/${empty.body.id}`)).body
      expect([read.mutes, read.warnings]).toEqual([all, undefined])
      expect((yield* client.get("/incidents?kind=maintenance")).body.data.map((one: Json) => one.mutes.count)).toEqual([0, 2])
      const narrow = (yield* client.post("/maintenance", { ...window, pageIds: [page.id], componentIds: [component.id] })).body
      expect(narrow.mutes).toEqual({ count: 1, monitors: [{ id: shop.id, name: "Shop" }] })
      // Other components read the same manifest, so maintenance of one keeps nothing of it back.
      const ofFeed = (yield* client.post("/maintenance", { ...window, componentIds: [other.id] })).body
      expect(ofFeed.mutes.count).toBe(0)
      const updated =
        (yield* client.post(`/incidents/${narrow.id}/updates`, { message: "It begins.", status: "in_progress" })).body
      expect(updated.mutes.count).toBe(1)
      const { muted } = (yield* client.get(`/monitors/${shop.id}`)).body
      expect(muted).toEqual({ until: "2098-01-01T01:00:00.000Z", muteId: null, incidentId: narrow.id, reason: "Upgrade" })
      const done = (yield* client.post(`/incidents/${narrow.id}/resolve`, {})).body
      expect([done.status, done.mutes, done.warnings]).toEqual(["completed", undefined, undefined])
      expect((yield* client.get(`/monitors/${shop.id}`)).body.muted).toBeNull()
    }))

  it.effect("takes no reminders that would reach nobody", () =>
    Effect.gen(function*() {
      const { client } = yield* workspace
      const page = (yield* client.post("/pages", { name: "Acme" })).body
      const { body, status } = yield* client.post("/maintenance", {
        ...window,
        pageIds: [page.id],
        notify: false,
        remindMinutes: [60]
      })
      expect([status, JSON.stringify(body.error)]).toEqual([422, expect.stringContaining("remindMinutes")])
      expect((yield* client.post("/maintenance", { ...window, pageIds: [page.id], notify: false })).body.notify).toBe(false)
    }))
})
