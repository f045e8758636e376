/** The cost of listing monitors, and the content of a list. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { mask } from "../../../schema/Mask.ts"
import { Monitor } from "../../../schema/monitor/Monitor.ts"
import { newComponent, newMaintenance } from "../../support/database/MaintenanceRows.ts"
import { callCounter } from "../../support/measure/WorkDone.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { bearer, callJson, type Json, newKey, post } from "../../support/program/TestServer.ts"

const hour = 3_600_000
const paused = { paused: true, url: "https://shop.test/health" }

/** Close to the largest that is accepted: a body of 100,000 characters and 64 KB of headers. */
const large = {
  ...paused,
  body: "\u20ac".repeat(100_000),
  headers: Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`X-Header-${index}`, "v".repeat(3900)]))
}

const create = (key: string, input: object) => post("/api/v1/monitors", { name: "Shop", ...input }, bearer(key))

/** Copies a monitor, to have many of them quickly. */
const multiply = Effect.fn("multiply")(function*(workspaceId: string, id: string, copies: number) {
  const sql = yield* SqlClient.SqlClient
  const copied = sql.literal(`select 'mon_' || lpad(n::text, 26, '0') || '' as id from generate_series(1, ${copies}) n`)
  const columns = sql.literal(`workspace_id, name, description, kind, target, sealed, interval_sec, timeout_ms, failure_threshold,
    recovery_threshold, channel_ids, reminder_minutes, ai, tags, paused, regions, revision, created_at, updated_at, header_names,
    has_body`)
  // Ids are numbers of 128 bits: a larger first character would make it none.
  const prefix = `0${workspaceId.slice(-5)}`
  yield* sql`insert into monitors (id, ${columns})
    select 'mon_' || ${prefix} || substr(copy.id, 11), ${columns} from monitors, (${copied}) copy where monitors.id = ${id}`
  yield* sql`insert into monitor_states (monitor_id, workspace_id, version, state, state_since, machine)
    select m.id, m.workspace_id, 1, s.state, s.state_since, s.machine from monitors m, monitor_states s
    where m.workspace_id = ${workspaceId} and m.id <> ${id} and s.monitor_id = ${id}`
  yield* sql`insert into monitor_spans (monitor_id, workspace_id, started_at, state)
    select id, workspace_id, created_at, 'paused' from monitors where workspace_id = ${workspaceId} and id <> ${id}`
})

const decodeList = Schema.decodeUnknown(Schema.Struct({ data: Schema.Array(Monitor), next: Schema.NullOr(Schema.String) }))

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("a list of monitors", (it) => {
  it.scoped("contains the records of its monitors, page by page, and ends with null", () =>
    Effect.gen(function*() {
      const { secret } = yield* newKey()
      const inputs = [
        { ...paused, headers: { Authorization: "Bearer abc", Accept: "text/html" }, body: "hello", tags: ["a"] },
        { periodSec: 60, name: "Backup" },
        { schedule: "30 2 * * *", timezone: "Europe/Berlin", name: "Nightly" },
        { ...paused, intervalSec: 30, assertions: [{ source: "status", op: "eq", value: 200 }] }
      ]
      const made: Array<Json> = []
      for (const input of inputs) made.push((yield* create(secret, input)).body)
      const pages: Array<Json> = []
      for (let next: string | null = ""; next !== null; next = pages.at(-1).next) {
        const after: string = next === "" ? "" : `&after=${next}`
        pages.push((yield* callJson(`/api/v1/monitors?limit=1${after}`, { headers: bearer(secret) })).body)
      }
      expect(pages.map(({ data }) => data.length)).toEqual([1, 1, 1, 1])
      for (const page of pages) yield* decodeList(page)
      const listed = pages.flatMap(({ data }) => data)
      for (const [index, record] of listed.entries()) {
        const { body: { checks: _, stats: __, ...full } } = yield* callJson(`/api/v1/monitors/${made[index].id}`, {
          headers: bearer(secret)
        })
        const hidden = Object.fromEntries(Object.keys(full.headers).map((name) => [name, mask]))
        expect(record).toEqual({ ...full, headers: hidden, body: full.body === null ? null : mask })
      }
    }))

  it.scoped("shows what another version stored as the record does, to those who may edit and to readers", () =>
    Effect.gen(function*() {
      const { secret, workspaceId } = yield* newKey()
      const url = "https://shop.test/health?token=abcdef123456"
      const { body: { id } } = yield* create(secret, { ...paused, url, description: "two\nlines \u20ac" })
      const sql = yield* SqlClient.SqlClient
      // One setting that is no longer known, and none of one that is newer.
      yield* sql`
        update monitors set target = (target - 'keywordAbsent') || '{"formerSetting": "x"}' where workspace_id = ${workspaceId}`
      const reader = yield* newKey(["read"], { workspaceId })
      for (const key of [secret, reader.secret]) {
        const { body: { checks: _, stats: __, ...record } } = yield* callJson(`/api/v1/monitors/${id}`, { headers: bearer(key) })
        const { body } = yield* callJson("/api/v1/monitors", { headers: bearer(key) })
        expect(body.data).toEqual([record])
        expect(record).toMatchObject({ keywordAbsent: null, description: "two\nlines \u20ac" })
        expect(record.url === url).toBe(key === secret)
      }
    }))

  it.scoped("counts no time of a maintenance window, in the list and in the record", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { secret, workspaceId } = yield* newKey()
      const [{ body: { id } }, { body: { id: other } }] = [yield* create(secret, paused), yield* create(secret, paused)]
      const now = Date.now()
      for (const monitorId of [id, other]) {
        yield* sql`delete from monitor_spans where monitor_id = ${monitorId}`
        for (const [state, from, to] of [["up", 20, 10], ["down", 10, 5], ["up", 5, 1]] as const) {
          yield* sql`
            insert into monitor_spans (monitor_id, workspace_id, started_at, ended_at, state)
            values (${monitorId}, ${workspaceId}, ${new Date(now - from * hour)}, ${new Date(now - to * hour)}, ${state})`
        }
      }
      yield* newMaintenance(workspaceId, [yield* newComponent(workspaceId, [id])], now - 11 * hour, now - 6 * hour)
      const { body: { data } } = yield* callJson("/api/v1/monitors", { headers: bearer(secret) })
      const records = yield* Effect.forEach(
        [id, other],
        (one) => callJson(`/api/v1/monitors/${one}`, { headers: bearer(secret) })
      )
      const expected = {
        [id]: { percent: 92.857, coveragePercent: 58.333 },
        [other]: { percent: 73.684, coveragePercent: 79.166 }
      }
      for (const record of [...data, ...records.map(({ body }) => body)]) {
        expect(record.uptime["24h"].percent).toBeCloseTo(expected[record.id]!.percent, 2)
        expect(record.uptime["24h"].coveragePercent).toBeCloseTo(expected[record.id]!.coveragePercent, 2)
      }
    }))

  it.scoped("finds monitors by state and tag across pages", () =>
    Effect.gen(function*() {
      const { secret } = yield* newKey()
      for (const tags of [["a"], ["b"], ["a"], ["a", "b"]]) yield* create(secret, { ...paused, tags })
      yield* create(secret, { periodSec: 60, tags: ["a"] })
      const count = (query: string) =>
        Effect.map(callJson(`/api/v1/monitors?${query}`, { headers: bearer(secret) }), ({ body }) => [
          body.data.length,
          body.next === null
        ])
      expect(yield* count("tag=a")).toEqual([4, true])
      expect(yield* count("tag=")).toEqual(yield* count("search="))
      expect(yield* count("tag=a&state=paused")).toEqual([3, true])
      expect(yield* count("tag=a&state=paused&limit=2")).toEqual([2, false])
      expect(yield* count("state=pending")).toEqual([1, true])
    }))

  it.scoped("finds monitors by kind, region and a text in the name or address, and by all of them together", () =>
    Effect.gen(function*() {
      const { secret, workspaceId } = yield* newKey()
      yield* create(secret, { ...paused, name: "Checkout" })
      yield* create(secret, { ...paused, name: "Search", url: "https://SEARCH.test/" })
      yield* create(secret, { paused: true, name: "Mail", host: "mail.test", port: 25 })
      yield* create(secret, { periodSec: 60, name: "Backup" })
      const sql = yield* SqlClient.SqlClient
      yield* sql`update monitors set regions = '{far}' where workspace_id = ${workspaceId} and name = 'Mail'`
      const names = (query: string) =>
        Effect.map(
          callJson(`/api/v1/monitors?${query}`, { headers: bearer(secret) }),
          ({ body }) => body.data.map((monitor: Json) => monitor.name)
        )
      expect(yield* names("kind=tcp")).toEqual(["Mail"])
      expect(yield* names("region=far")).toEqual(["Mail"])
      expect(yield* names("search=CHECK")).toEqual(["Checkout"])
      expect(yield* names("search=search.test")).toEqual(["Search"])
      expect(yield* names("search=mail.te")).toEqual(["Mail"])
      expect(yield* names("search=25%25_")).toEqual([])
      expect(yield* names("search=.test&state=paused&kind=http")).toEqual(["Checkout", "Search"])
      expect(yield* names("state=pending&search=check")).toEqual([])
    }))

  it.scoped("counts all monitors of the workspace by the state that they are shown in", () =>
    Effect.gen(function*() {
      const { secret, workspaceId } = yield* newKey()
      const other = yield* newKey()
      yield* create(other.secret, paused)
      for (const input of [paused, paused, { periodSec: 60 }, { periodSec: 60 }, { periodSec: 90 }]) yield* create(secret, input)
      const sql = yield* SqlClient.SqlClient
      // Resumed, but its actor has not processed that yet; and one that is down.
      yield* sql`
        update monitors set paused = false where id = (select min(id) from monitors where workspace_id = ${workspaceId})`
      yield* sql`
        update monitor_states set state = 'down'
        where monitor_id = (select max(id) from monitors where workspace_id = ${workspaceId})`
      const { body } = yield* callJson("/api/v1/monitors?counts=true&limit=1&state=down", { headers: bearer(secret) })
      expect(body.counts).toEqual({ up: 0, down: 1, degraded: 0, pending: 3, paused: 1 })
      expect(body.data.length).toBe(1)
      for (const [state, monitors] of Object.entries(body.counts)) {
        const listed = yield* callJson(`/api/v1/monitors?state=${state}`, { headers: bearer(secret) })
        expect([state, listed.body.data.length, listed.body.counts]).toEqual([state, monitors, undefined])
      }
    }))

  it.scoped("shows the average latency of each of the last 24 hours", () =>
    Effect.gen(function*() {
      const { secret, workspaceId } = yield* newKey()
      const { body: { id } } = yield* create(secret, paused)
      yield* create(secret, paused)
      const sql = yield* SqlClient.SqlClient
      const check = (hours: number, latencyMs: number, outcome = "up") =>
        sql`insert into checks (id, at, workspace_id, monitor_id, region, outcome, counted, latency_ms)
          values (${`chk_${hours}_${latencyMs}`}, date_trunc('hour', now()) - make_interval(hours => ${hours}) + interval '1 second',
            ${workspaceId}, ${id}, 'local', ${outcome}, true, ${latencyMs})`
      yield* check(0, 100)
      yield* check(0, 201)
      yield* check(23, 40)
      yield* check(5, 9000, "down")
      yield* check(24, 7000)
      const { body } = yield* callJson("/api/v1/monitors?trend=true", { headers: bearer(secret) })
      const [first, second] = body.data
      expect(first.trend).toEqual([40, ...Array.from({ length: 22 }, () => null), 151])
      expect(second.trend).toEqual(Array.from({ length: 24 }, () => null))
    }))

  it.scoped("says which monitor is not checked on time, as its record does, and how late its region is", () =>
    Effect.gen(function*() {
      const { secret } = yield* newKey()
      const { body: { id } } = yield* create(secret, { ...paused })
      const sql = yield* SqlClient.SqlClient
      // As if its region had not checked it for an hour.
      yield* sql`update monitors set paused = false, regions = '{nowhere}', updated_at = now() - interval '1 hour' where id = ${id}`
      const answer = yield* callJson("/api/v1/monitors", { headers: bearer(secret) })
      const [listed] = answer.body.data
      const { body: record } = yield* callJson(`/api/v1/monitors/${id}`, { headers: bearer(secret) })
      expect(listed.late.lateSec).toBeGreaterThanOrEqual(3600)
      expect(record.late).toMatchObject({ expectedAt: listed.late.expectedAt })
      const regions = yield* callJson("/api/v1/regions", { headers: bearer(secret) })
      for (const region of regions.body.data) expect(region).toHaveProperty("lateness")
    }))

  it.scoped("of hundreds has each once and in order, although it is read from the database in steps", () =>
    Effect.gen(function*() {
      const { secret, workspaceId } = yield* newKey()
      const { body: { id } } = yield* create(secret, paused)
      yield* multiply(workspaceId, id, 449)
      const sql = yield* SqlClient.SqlClient
      const ids = yield* sql<{ readonly id: string }>`select id from monitors where workspace_id = ${workspaceId} order by id`
      const read = (query: string) =>
        Effect.map(callJson(`/api/v1/monitors?${query}`, { headers: bearer(secret) }), ({ body: { data, next } }) => ({
          ids: data.map((record: Json) => ({ id: record.id })),
          next
        }))
      expect(yield* read("limit=500")).toEqual({ ids, next: null })
      expect(yield* read("limit=450")).toEqual({ ids, next: null })
      expect(yield* read("limit=400")).toEqual({ ids: ids.slice(0, 400), next: ids[399]?.id })
      const first = yield* read("limit=201")
      expect(first).toEqual({ ids: ids.slice(0, 201), next: ids[200]?.id })
      expect(yield* read(`limit=400&after=${first.next}`)).toEqual({ ids: ids.slice(201), next: null })
    }))

  it.scoped("of sixty large monitors holds none of their bodies and headers, and opens none of their seals", () =>
    Effect.gen(function*() {
      const { secret, workspaceId } = yield* newKey()
      const { body: { id }, status } = yield* create(secret, large)
      expect(status).toBe(201)
      yield* multiply(workspaceId, id, 59)
      const sql = yield* SqlClient.SqlClient
      // A seal that cannot be opened: opening one would fail the list.
      yield* sql`update monitors set sealed = 'broken' || sealed where workspace_id = ${workspaceId}`
      const { body, status: listed } = yield* callJson("/api/v1/monitors", { headers: bearer(secret) })
      expect([listed, body.data.length, body.next]).toEqual([200, 60, null])
      expect(JSON.stringify(body).length).toBeLessThan(60 * 3000)
      expect(body.data[30]).toMatchObject({ body: mask, headers: { "X-Header-0": mask } })
    }))

  it.scoped("ends a page early when its settings are large, so that no page exceeds a bound", () =>
    Effect.gen(function*() {
      const { secret, workspaceId } = yield* newKey()
      const assertions = Array.from({ length: 30 }, () => ({ source: "body", op: "contains", value: "x".repeat(2000) }))
      const { body: { id } } = yield* create(secret, { ...paused, assertions })
      yield* multiply(workspaceId, id, 99)
      const seen: Array<string> = []
      for (let next: string | null = ""; next !== null;) {
        const after: string = next === "" ? "" : `&after=${next}`
        const { body } = yield* callJson(`/api/v1/monitors?limit=100${after}`, { headers: bearer(secret) })
        expect(JSON.stringify(body).length).toBeLessThan(1.3 * 1024 * 1024)
        seen.push(...body.data.map((monitor: Json) => monitor.id))
        next = body.next
      }
      expect([seen.length, new Set(seen).size]).toEqual([100, 100])
    }))

  it.scoped("costs a small, constant number of calls for each monitor", () =>
    Effect.gen(function*() {
      const { secret, workspaceId } = yield* newKey()
      const { body: { id } } = yield* create(secret, { ...paused, headers: { Accept: "text/html" } })
      yield* multiply(workspaceId, id, 499)
      const count = yield* callCounter
      const read = (limit: number) => callJson(`/api/v1/monitors?limit=${limit}`, { headers: bearer(secret) })
      yield* read(500)
      // The program's loops call functions, too: the least of a few readings has the fewest of those.
      const least = (limit: number) => Effect.map(Effect.replicateEffect(count(read(limit)), 3), (counts) => Math.min(...counts))
      const few = yield* least(50)
      const many = yield* least(450)
      expect((many - few) / 400).toBeLessThan(150)
    }))
})
