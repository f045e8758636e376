/** Several runners turn events into deliveries; the events of one workspace keep their order. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { fanOut, fanOutApart, ground, incidentCreated, newChannel, newWorkspace } from "../../notify/alert/Receiver.ts"

type Id = Effect.Effect.Success<typeof newWorkspace>

const record = (workspaceId: Id) =>
  Effect.flatMap(EventLog, (log) => log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }]))

/** The events of a workspace that have not become deliveries, and those that did, in the order of their deliveries. */
const openOf = (workspaceId: Id) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{ readonly id: string }>`select id from events where workspace_id = ${workspaceId} and not fanned_out order by id`
  ).pipe(
    Effect.map((rows) => rows.map(({ id }) => id))
  )
const deliveredOf = (workspaceId: Id) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{ readonly id: string }>`
      select event_id as id from deliveries where workspace_id = ${workspaceId} group by event_id order by min(due_at)`).pipe(
      Effect.map((rows) => rows.map(({ id }) => id))
    )

/** The workspaces whose events go apart. */
const apartNow = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly id: string }>`select workspace_id as id from fan_out_alone`
).pipe(
  Effect.map((rows) => rows.map(({ id }) => id))
)

/** Incidents whose 20 updates have 10,000 characters each. */
const recordLarge = (workspaceId: Id, count: number) => {
  const { incident, update } = incidentCreated(false)
  const updates = Array.from({ length: 20 }, () => ({ ...update, body: "x".repeat(10_000) }))
  return Effect.flatMap(
    EventLog,
    (log) =>
      log.append(
        workspaceId,
        Array.from({ length: count }, () => ({ type: "incident.updated", data: { incident: { ...incident, updates }, update } }))
      )
  )
}

/** As if the pauses of events that go apart were over. */
const endPauses = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update fan_out_alone set due_at = now()`)

layer(ground([]), { excludeTestServices: true, timeout: "60 seconds" })("the fan-out", (it) => {
  it.effect("leaves a workspace that another runner has to it, and takes the events of the others", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [busy, other] = [yield* newWorkspace, yield* newWorkspace]
      const channel = yield* newChannel(busy, "https://hooks.example.com/one")
      yield* record(busy)
      const held = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      // The first runner has taken the first event, and stays in its transaction.
      const runner = yield* fanOut(1).pipe(
        Effect.zipLeft(Effect.zipRight(Deferred.succeed(held, undefined), Deferred.await(done))),
        sql.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(held)
      yield* record(busy)
      yield* record(other)
      expect(yield* fanOut(1)).toMatchObject({ events: 1 })
      const open = sql`select workspace_id from events where not fanned_out order by id`
      expect(yield* open).toEqual([{ workspace_id: busy }, { workspace_id: busy }])
      expect(yield* fanOut(1)).toEqual({ events: 0, more: false })
      yield* Deferred.succeed(done, undefined)
      yield* runner
      expect(yield* fanOut(1)).toMatchObject({ events: 1 })
      expect(yield* open).toEqual([])
      const order = yield* sql<{ readonly event_id: string }>`
        select event_id from deliveries where channel_id = ${channel.id} order by created_at`
      expect(order.map((row) => row.event_id)).toEqual(order.map((row) => row.event_id).sort())
      expect(order).toHaveLength(2)
    }))

  it.effect("finds the events of others behind many of a workspace that another runner has", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [busy, other] = [yield* newWorkspace, yield* newWorkspace]
      const held = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      yield* Effect.replicateEffect(record(busy), 150)
      const runner = yield* fanOut(100).pipe(
        Effect.tap((step) => Effect.sync(() => expect(step).toEqual({ events: 100, more: true }))),
        Effect.zipLeft(Effect.zipRight(Deferred.succeed(held, undefined), Deferred.await(done))),
        sql.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(held)
      yield* record(other)
      expect(yield* fanOut(100)).toEqual({ events: 1, more: false })
      yield* Deferred.succeed(done, undefined)
      yield* runner
      expect(yield* fanOut(100)).toEqual({ events: 50, more: false })
    }))

  it.effect("takes a new event of one workspace beside any backlog of another", () =>
    Effect.gen(function*() {
      const [busy, other] = [yield* newWorkspace, yield* newWorkspace]
      yield* Effect.replicateEffect(record(busy), 150)
      yield* record(other)
      expect(yield* fanOut(100)).toEqual({ events: 100, more: true })
      expect(yield* openOf(other)).toEqual([])
      expect(yield* openOf(busy)).toHaveLength(51)
      expect(yield* fanOut(100)).toEqual({ events: 51, more: false })
    }))

  it.effect("takes turns between more workspaces than one transaction has", () =>
    Effect.gen(function*() {
      const all = yield* Effect.replicateEffect(newWorkspace, 80)
      yield* Effect.forEach(all, (id) => Effect.replicateEffect(record(id), 4))
      for (const _ of [1, 2, 3]) expect(yield* fanOut(100)).toMatchObject({ more: true })
      // Each of them once, before any has a second turn.
      for (const left of yield* Effect.forEach(all, openOf)) expect(left.length).toBeLessThan(4)
      yield* Effect.repeat(fanOut(100), { while: ({ more }) => more })
      expect((yield* Effect.forEach(all, openOf)).flat()).toEqual([])
    }))

  it.effect("lets large events of a workspace go apart, in order, one after the other", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [large, other] = [yield* newWorkspace, yield* newWorkspace]
      for (let n = 0; n < 50; n++) yield* newChannel(large, `https://hooks.example.com/${n}`, { events: ["incident.*"] })
      const channel = yield* newChannel(other, "https://hooks.example.com/other")
      const ids = yield* recordLarge(large, 3)
      yield* record(other)
      expect(yield* fanOut(100)).toEqual({ events: 1, more: true })
      expect(yield* deliveredOf(other)).toHaveLength(1)
      expect(yield* apartNow).toEqual([large])
      // Others go on; it is nobody's turn but its own.
      yield* record(other)
      expect(yield* fanOut(100)).toEqual({ events: 1, more: false })
      for (const left of [2, 1, 0]) {
        expect(yield* fanOutApart(100)).toEqual({ found: true, setAside: null })
        expect(yield* openOf(large)).toHaveLength(left)
      }
      expect(yield* deliveredOf(large)).toEqual(ids)
      expect(yield* sql`select count(*)::int as count from deliveries where workspace_id = ${large}`).toEqual([{ count: 150 }])
      expect(yield* apartNow).toEqual([])
      expect(yield* fanOutApart(100)).toEqual({ found: false, setAside: null })
      yield* sql`delete from channels where id = ${channel.id}`
    }))

  it.effect("sets one event aside that cannot be fanned out, and holds up nothing else by it", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [broken, other] = [yield* newWorkspace, yield* newWorkspace]
      yield* newChannel(broken, "https://hooks.example.com/broken")
      yield* newChannel(other, "https://hooks.example.com/beside")
      const ids = (yield* Effect.replicateEffect(record(broken), 9)).flat()
      const [poison] = ids.slice(4)
      // Events are objects: this one cannot be read.
      yield* sql`update events set data = '[]' where workspace_id = ${broken} and id = ${poison ?? ""}`
      yield* record(other)
      expect(yield* fanOut(100)).toEqual({ events: 0, more: true })
      expect([...(yield* apartNow)].sort()).toEqual([broken, other].sort())
      const setAside: Array<unknown> = []
      while ((yield* apartNow).length > 0) {
        yield* endPauses
        const turn = yield* fanOutApart(100)
        if (turn.setAside !== null) setAside.push(turn.setAside)
        // The first failures do not give it up.
        if (setAside.length === 0) expect(yield* openOf(broken)).toContain(poison)
      }
      expect(setAside).toEqual([{ workspaceId: broken, eventId: poison, reason: expect.any(String) }])
      expect(yield* deliveredOf(other)).toHaveLength(1)
      expect(yield* deliveredOf(broken)).toEqual(ids.filter((id) => id !== poison))
      expect(yield* sql`select workspace_id, event_id from events_set_aside`).toEqual([
        { workspace_id: broken, event_id: poison }
      ])
      expect(yield* openOf(broken)).toEqual([])
    }))

  it.effect("gives an event of a workspace whose events no longer go apart to all runners again", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* newWorkspace
      yield* sql`insert into fan_out_alone (workspace_id, most, due_at) values (${workspaceId}, 100, now())`
      yield* record(workspaceId)
      expect(yield* fanOut(100)).toEqual({ events: 0, more: false })
      expect(yield* fanOutApart(100)).toEqual({ found: true, setAside: null })
      yield* record(workspaceId)
      expect(yield* fanOut(100)).toEqual({ events: 1, more: false })
    }))
})

layer(ground([]), { excludeTestServices: true, timeout: "60 seconds" })("a fan-out that has done nothing yet", (it) => {
  it.effect("sets nothing aside after a few failures until another event has become deliveries", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [broken, other] = [yield* newWorkspace, yield* newWorkspace]
      yield* newChannel(broken, "https://hooks.example.com/alone")
      const [poison = ""] = yield* record(broken)
      yield* sql`update events set data = '[]' where workspace_id = ${broken} and id = ${poison}`
      expect(yield* fanOut(100)).toEqual({ events: 0, more: true })
      const turn = Effect.zipRight(endPauses, fanOutApart(100))
      for (let failures = 0; failures < 20; failures++) expect(yield* turn).toEqual({ found: true, setAside: null })
      expect(yield* openOf(broken)).toEqual([poison])
      yield* record(other)
      expect(yield* fanOut(100)).toEqual({ events: 1, more: false })
      expect((yield* turn).setAside).toMatchObject({ workspaceId: broken, eventId: poison })
    }))
})
