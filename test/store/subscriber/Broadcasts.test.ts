/** A broadcast reaches each subscriber of a page once, whichever worker dies in between and however many workers share it. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Layer, Option } from "effect"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { EventId, PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import { DeliveryVerdict } from "../../../src/domain/alert/DeliveryVerdict.ts"
import type { BroadcastContents } from "../../../src/domain/subscriber/BroadcastContent.ts"
import { Alarms } from "../../../src/store/Alarms.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import type { HeldBroadcast } from "../../../src/store/subscriber/BroadcastClaim.ts"
import { broadcastLease, Broadcasts } from "../../../src/store/subscriber/Broadcasts.ts"
import { newWorkspace } from "../../notify/alert/Receiver.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { testKeys } from "../../support/program/TestInstallation.ts"
import { until } from "../../support/time/Until.ts"

const ground = Layer.mergeAll(Broadcasts.Default, Alarms.Default, DatabaseClock.Default).pipe(
  Layer.provideMerge(Layer.merge(testKeys, TestDatabase))
)

const contents: BroadcastContents = {
  id: EventId.make("evt_1"),
  type: "incident.created",
  timestamp: "2026-11-20T08:00:00.000Z",
  tone: "down",
  news: { audience: "all", incidentId: "inc_1", isAfterEnd: false, componentIds: ["cmp_1"] },
  ends: false,
  byLanguage: {}
}

/** A page with so many active subscribers, every third of another component, and one broadcast. */
const broadcast = Effect.fn("broadcast")(function*(workspaceId: WorkspaceId, name: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  const pageId = PageId.make(`pg_${name}`)
  yield* sql`
    insert into pages (id, workspace_id, name, slug, visibility, theme, branding, settings, seo, created_at, updated_at)
    values (${pageId}, ${workspaceId}, ${name}, ${name}, 'public', '{}', '{}', '{}', '{}', now(), now())`
  yield* sql`
    insert into subscribers (id, workspace_id, page_id, type, status, language, target_hash, sealed, manage_hash, component_ids,
                             created_at, updated_at)
    select ${`sub_${name}_`} || lpad(n::text, 6, '0'), ${workspaceId}, ${pageId}, 'webhook', 'active', 'en', '\\x00', '', '\\x00',
           case when n % 3 = 0 then array['cmp_2'] else '{}' end, now(), now()
    from generate_series(1, ${count}::int) n`
  yield* sql`
    insert into broadcasts (event_id, page_id, workspace_id, contents, visited_at, created_at)
    values ('evt_1', ${pageId}, ${workspaceId}, ${JSON.stringify(contents)}::jsonb, now(), now())`
  return pageId
})

const idsOf = (deliveries: ReadonlyArray<HeldBroadcast>) => deliveries.map(({ subscriber }) => subscriber.id)
const delivered = (deliveries: ReadonlyArray<HeldBroadcast>) =>
  deliveries.map((delivery) => ({ delivery, outcome: DeliveryVerdict.Delivered({ statusCode: 200 }) }))

const expected = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => at + 1).filter((n) => n % 3 !== 0).map((n) =>
    `sub_${name}_${String(n).padStart(6, "0")}`
  )

layer(ground, { excludeTestServices: true, timeout: "60 seconds" })("a broadcast", (it) => {
  it.effect("reaches each of its subscribers once, also when four workers share it", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const broadcasts = yield* Broadcasts
      const clock = yield* DatabaseClock
      // The clock estimates the database's time, so it may be a moment behind the row.
      const now = Effect.map(clock.now, (at) => DateTime.add(at, { seconds: 1 }))
      const workspaceId = yield* newWorkspace
      const pageId = yield* broadcast(workspaceId, "shared", 900)
      const worker = Effect.gen(function*() {
        const reached: Array<string> = []
        for (let idle = 0; idle < 20;) {
          const { deliveries } = yield* broadcasts.claim({ now: yield* now, room: 70, except: [] })
          idle = deliveries.length === 0 ? idle + 1 : 0
          reached.push(...idsOf(deliveries))
          yield* broadcasts.settle(delivered(deliveries), yield* now, 10_000)
        }
        return reached
      })
      const reached = (yield* Effect.all([worker, worker, worker, worker], { concurrency: "unbounded" })).flat()
      expect(reached.sort()).toEqual(expected("shared", 900))
      const [row] =
        yield* sql`select delivered, dead, expanded_at is not null as expanded from broadcasts where page_id = ${pageId}`
      expect(row).toEqual({ delivered: 600, dead: 0, expanded: true })
      expect(yield* sql`select 1 from subscriber_deliveries where page_id = ${pageId}`).toEqual([])
    }))

  it.effect("continues where a killed worker stopped: what that held comes again after its lease, and nobody else twice", () =>
    Effect.gen(function*() {
      const broadcasts = yield* Broadcasts
      const { now } = yield* DatabaseClock
      yield* broadcast(yield* newWorkspace, "killed", 300)
      const start = DateTime.add(yield* now, { seconds: 1 })
      const lost = (yield* broadcasts.claim({ now: start, room: 100, except: [] })).deliveries
      expect(lost.length).toBeGreaterThan(0)
      const rest: Array<HeldBroadcast> = []
      for (let more = true; more;) {
        const { deliveries, visited } = yield* broadcasts.claim({ now: start, room: 100, except: [] })
        rest.push(...deliveries)
        yield* broadcasts.settle(delivered(deliveries), yield* now, 10_000)
        more = visited > 0
      }
      expect([...idsOf(lost), ...idsOf(rest)].sort()).toEqual(expected("killed", 300))
      const later = DateTime.add(DateTime.addDuration(start, broadcastLease), { seconds: 1 })
      const again = (yield* broadcasts.claim({ now: later, room: 500, except: [] })).deliveries
      expect(idsOf(again).sort()).toEqual(idsOf(lost).sort())
      // The killed worker's late result is not written: another one holds the delivery now.
      yield* broadcasts.settle(delivered(lost), later, 10_000)
      yield* broadcasts.settle(delivered(again), later, 10_000)
      expect(Option.isNone(yield* broadcasts.nextReadyAt)).toBe(false)
      expect((yield* broadcasts.claim({ now: DateTime.add(later, { minutes: 1 }), room: 500, except: [] })).deliveries).toEqual(
        []
      )
    }))

  it.effect("whose mail is captured ends, and counts as reaching nobody", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const broadcasts = yield* Broadcasts
      const { now } = yield* DatabaseClock
      const pageId = yield* broadcast(yield* newWorkspace, "captured", 3)
      const captured = DeliveryVerdict.Captured({ statusCode: null, error: "Captured, not sent" })
      // The clock estimates the database's time, so it may be a moment behind the row.
      const start = DateTime.add(yield* now, { seconds: 1 })
      const { deliveries } = yield* broadcasts.claim({ now: start, room: 70, except: [] })
      yield* broadcasts.settle(deliveries.map((delivery) => ({ delivery, outcome: captured })), start, 10_000)
      expect(deliveries.length).toBe(2)
      expect(yield* sql`select delivered, dead from broadcasts where page_id = ${pageId}`).toEqual([{ delivered: 0, dead: 0 }])
      expect(yield* sql`select from subscriber_deliveries where page_id = ${pageId}`).toEqual([])
    }))

  it.effect("retries at its time, with the components that the subscription had, and wakes the actor of one that died", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const broadcasts = yield* Broadcasts
      const { now } = yield* DatabaseClock
      yield* broadcast(yield* newWorkspace, "retried", 2)
      const start = DateTime.add(yield* now, { seconds: 1 })
      const [first, second] = (yield* broadcasts.claim({ now: start, room: 10, except: [] })).deliveries
      if (first === undefined || second === undefined) return expect.unreachable()
      const due = DateTime.add(start, { seconds: 30 })
      yield* broadcasts.settle(
        [
          { delivery: first, outcome: DeliveryVerdict.Again({ at: due, statusCode: 503, error: "Answered 503" }) },
          { delivery: second, outcome: DeliveryVerdict.Dead({ statusCode: 410, error: "Answered 410" }) }
        ],
        start,
        10_000
      )
      yield* sql`update subscribers set component_ids = array['cmp_9'] where id = ${first.subscriber.id}`
      expect((yield* broadcasts.claim({ now: DateTime.add(start, { seconds: 29 }), room: 10, except: [] })).deliveries).toEqual(
        []
      )
      const again = (yield* broadcasts.claim({ now: due, room: 10, except: [] })).deliveries
      expect(again).toMatchObject([{ subscriber: { id: first.subscriber.id }, componentIds: [], attempts: 1 }])
      expect(yield* sql`select id from alarms where kind = 'subscriber'`).toEqual([{ id: second.subscriber.id }])
    }))

  it.effect("shares the room with the others, and a workspace that has its share gets none", () =>
    Effect.gen(function*() {
      const broadcasts = yield* Broadcasts
      const { now } = yield* DatabaseClock
      const [one, other] = [yield* newWorkspace, yield* newWorkspace]
      yield* broadcast(one, "large", 600)
      yield* broadcast(other, "small", 60)
      const start = DateTime.add(yield* now, { seconds: 1 })
      const claimed = (yield* broadcasts.claim({ now: start, room: 200, except: [] })).deliveries
      expect(new Set(claimed.map(({ workspaceId }) => workspaceId))).toEqual(new Set([one, other]))
      const rest = (yield* broadcasts.claim({ now: start, room: 200, except: [one] })).deliveries
      expect(rest.every(({ workspaceId }) => workspaceId === other)).toBe(true)
    }))

  it.effect("of an outage that ends while a worker begins to tell it is followed by its end", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const broadcasts = yield* Broadcasts
      const { now } = yield* DatabaseClock
      const workspaceId = yield* newWorkspace
      const pageId = yield* broadcast(workspaceId, "ending", 10)
      const at = DateTime.add(yield* now, { seconds: 1 })
      const due = DateTime.add(at, { seconds: 1 })
      yield* sql`
        update broadcasts set thread = 'inc_1', subject = 'mon_1', opens = true, visited_at = ${DateTime.toDateUtc(due)}
        where page_id = ${pageId}`
      const end: WorkspaceEvent = {
        id: EventId.make("evt_2"),
        type: "incident.resolved",
        at,
        workspaceId,
        data: {
          incident: { id: "inc_1", automatic: true, monitorId: "mon_1", public: true, pageIds: [pageId], components: [] },
          update: { public: true }
        }
      }
      const held = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      const worker = yield* broadcasts.claim({ now: due, room: 100, except: [] }).pipe(
        Effect.zipLeft(Effect.zipRight(Deferred.succeed(held, undefined), Deferred.await(done))),
        sql.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(held)
      const planned = yield* Effect.fork(broadcasts.plan([end], at))
      // It waits for the worker.
      yield* until(
        sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        (rows) => rows.length === 1
      )
      yield* Deferred.succeed(done, undefined)
      expect((yield* worker).deliveries.length).toBeGreaterThan(0)
      expect(yield* planned).toBe(1)
      expect(yield* sql`select event_id from broadcasts where page_id = ${pageId} order by event_id`).toEqual([
        { event_id: "evt_1" },
        { event_id: "evt_2" }
      ])
    }))
})

/** Pages of a workspace, each with a broadcast of one event that has no contents yet. */
const unprepared = Effect.fn("unprepared")(function*(workspaceId: WorkspaceId, name: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into events (workspace_id, id, type, at, data, fanned_out)
    values (${workspaceId}, ${`evt_${name}`}, 'incident.created', now(), '{}', true)`
  yield* sql`
    insert into pages (id, workspace_id, name, slug, visibility, theme, branding, settings, seo, created_at, updated_at)
    select ${`pg_${name}_`} || n, ${workspaceId}, ${name}, ${`${name}-`} || n, 'public', '{}', '{}', '{}', '{}', now(), now()
    from generate_series(1, ${count}::int) n`
  yield* sql`
    insert into broadcasts (event_id, page_id, workspace_id, visited_at, created_at)
    select ${`evt_${name}`}, ${`pg_${name}_`} || n, ${workspaceId}, now(), now() from generate_series(1, ${count}::int) n`
})

layer(ground, { excludeTestServices: true, timeout: "60 seconds" })("broadcasts of several workspaces", (it) => {
  it.effect("are composed in turns, however many one workspace has", () =>
    Effect.gen(function*() {
      const broadcasts = yield* Broadcasts
      const [busy, other] = [yield* newWorkspace, yield* newWorkspace]
      yield* unprepared(busy, "busy", 60)
      yield* unprepared(other, "quiet", 1)
      const composed: Array<string> = []
      const step = broadcasts.prepare(5, (one) => Effect.sync(() => (composed.push(one.workspaceId), Option.some(contents))))
      expect(yield* step).toBe(5)
      expect(composed).toContain(other)
      yield* Effect.repeat(step, { while: (count) => count > 0 })
      expect(composed).toHaveLength(61)
    }))

  it.effect("are composed in turns of more workspaces than one transaction has", () =>
    Effect.gen(function*() {
      const broadcasts = yield* Broadcasts
      const all = yield* Effect.replicateEffect(newWorkspace, 12)
      yield* Effect.forEach(all, (id, index) => unprepared(id, `turn${index}`, 4))
      const composed: Array<string> = []
      const step = broadcasts.prepare(5, (one) => Effect.sync(() => (composed.push(one.workspaceId), Option.some(contents))))
      yield* Effect.repeatN(step, 2)
      expect([...new Set(composed)].sort()).toEqual([...all].sort())
      yield* Effect.repeat(step, { while: (count) => count > 0 })
      expect(composed).toHaveLength(48)
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from broadcasts`)
    }))

  it.effect("get equal parts of a claim by workspace, not by broadcast", () =>
    Effect.gen(function*() {
      const broadcasts = yield* Broadcasts
      const { now } = yield* DatabaseClock
      const [busy, other] = [yield* newWorkspace, yield* newWorkspace]
      for (let n = 0; n < 30; n++) yield* broadcast(busy, `many${n}`, 90)
      yield* broadcast(other, "one", 900)
      const claim = yield* broadcasts.claim({ now: DateTime.add(yield* now, { seconds: 1 }), room: 400, except: [] })
      const ofOther = claim.deliveries.filter(({ workspaceId }) => workspaceId === other).length
      // A third of these subscribers do not hear of the component.
      expect(ofOther).toBeGreaterThanOrEqual(120)
      expect(claim.deliveries.length - ofOther).toBeLessThanOrEqual(200)
      // A workspace that holds its share leaves the claim to others.
      const rest = yield* broadcasts.claim({ now: DateTime.add(yield* now, { seconds: 1 }), room: 400, except: [busy] })
      expect(new Set(rest.deliveries.map(({ workspaceId }) => workspaceId))).toEqual(new Set([other]))
    }))
})
