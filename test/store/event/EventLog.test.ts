/** The ids of a workspace's events strictly increase in the order of the commits, whatever clocks say. */
import { SqlClient } from "@effect/sql"
import { assert, expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { ChannelId, EventId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { makeId } from "../../../src/domain/tools/Id.ts"
import { urgently } from "../../../src/loops/WorkPriority.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { run } from "../../../src/store/postgres/Read.ts"
import { newWorkspace } from "../../pages/Fixtures.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { until } from "../../support/time/Until.ts"

const ground = EventLog.Default.pipe(Layer.provideMerge(TestDatabase))

const draft = (name: string) =>
  ({
    type: "monitor.deleted",
    data: { monitor: { _id: MonitorId.make("mon_01k9x2m4q8e7s9v3bthn5wza6c"), name } }
  }) as const

const stored = (workspaceId: WorkspaceId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly id: string; readonly head: string }>`
        select e.id, w.last_event_id as head from events e join workspaces w on w.id = e.workspace_id
        where e.workspace_id = ${workspaceId} order by e.id`,
      (rows) => ({ ids: rows.map(({ id }) => id), head: rows[0]?.head })
    ))

layer(ground, { excludeTestServices: true })("the event log", (it) => {
  it.effect("gives the events of one call increasing ids and moves the head to the last", () =>
    Effect.gen(function*() {
      const log = yield* EventLog
      const workspaceId = yield* newWorkspace()
      const ids = yield* log.append(workspaceId, [draft("a"), draft("b"), draft("c")])
      expect(yield* stored(workspaceId)).toEqual({ ids, head: ids[2] })
      assert.deepStrictEqual(ids, [...ids].sort())
      assert.deepStrictEqual(yield* log.append(workspaceId, []), [])
    }))

  it.effect("appends after an event of a machine whose clock is ahead", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const log = yield* EventLog
      const workspaceId = yield* newWorkspace()
      const ahead = EventId.make(makeId("evt", 4_000_000_000_000, new Uint8Array(10)))
      yield* sql`update workspaces set last_event_id = ${ahead} where id = ${workspaceId}`
      const ids = yield* log.append(workspaceId, [draft("a"), draft("b")])
      assert.isTrue(ids.length === 2 && ids.every((id) => id > ahead))
      expect(yield* stored(workspaceId)).toEqual({ ids, head: ids[1] })
    }))

  it.effect("loses and doubles none of many at the same time, and no id comes before one that was committed earlier", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const log = yield* EventLog
      const workspaceId = yield* newWorkspace()
      const committed: Array<string> = []
      const one = (n: number) =>
        sql.withTransaction(Effect.tap(log.append(workspaceId, [draft(`${n}`), draft(`${n} again`)]), (ids) =>
          // Within the transaction, so under the lock: in the order of the commits.
          Effect.sync(() => committed.push(...ids))))
      yield* Effect.forEach(Array.from({ length: 60 }, (_, n) => n), one, { concurrency: "unbounded", discard: true })
      assert.strictEqual(new Set(committed).size, 120)
      assert.deepStrictEqual(committed, [...committed].sort())
      expect(yield* stored(workspaceId)).toEqual({ ids: committed, head: committed.at(-1) })
    }))

  it.effect("appends to several workspaces together, each after its own head", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const log = yield* EventLog
      const [one, two] = [yield* newWorkspace(), yield* newWorkspace()]
      const ahead = EventId.make(makeId("evt", 4_000_000_000_000, new Uint8Array(10)))
      yield* sql`update workspaces set last_event_id = ${ahead} where id = ${two}`
      const gone = WorkspaceId.make("ws_01k9x2m4q8e7s9v3bthn5wza6c")
      const ids = yield* log.appendAll(new Map([[two, [draft("a"), draft("b")]], [gone, [draft("c")]], [one, [draft("d")]]]))
      expect([...ids.keys()].sort()).toEqual([one, two].sort())
      expect(yield* stored(one)).toEqual({ ids: ids.get(one), head: ids.get(one)?.at(-1) })
      expect(yield* stored(two)).toEqual({ ids: ids.get(two), head: ids.get(two)?.at(-1) })
      expect(ids.get(two)?.every((id) => id > ahead)).toBe(true)
    }))

  it.effect("callers that name the same workspaces in another order do not wait for each other in a circle", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const log = yield* EventLog
      const [first, second] = [yield* newWorkspace(), yield* newWorkspace()].sort() as [WorkspaceId, WorkspaceId]
      const holding = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const holder = yield* log.append(first, [draft("held")]).pipe(
        Effect.zipRight(Deferred.succeed(holding, undefined)),
        Effect.zipRight(Deferred.await(release)),
        sql.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(holding)
      // The pool keeps a connection for it.
      const waiting = urgently(sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
      let attempts = 0
      const append = (...workspaces: ReadonlyArray<WorkspaceId>) =>
        Effect.fork(sql.withTransaction(Effect.suspend(() => {
          attempts++
          return log.appendAll(new Map(workspaces.map((id) => [id, [draft("a")]])))
        })))
      // The next to get the first workspace; a transaction that waits for it and holds the second one would wait for ever.
      const one = yield* append(first, second)
      yield* until(waiting, ({ length }) => length === 1)
      const other = yield* append(second, first)
      yield* until(waiting, ({ length }) => length === 2)
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(holder)
      expect((yield* Fiber.join(one)).size + (yield* Fiber.join(other)).size).toBe(4)
      // The database ended none of them to open the circle.
      expect(attempts).toBe(2)
    }))

  it.effect("transactions on many workspaces at the same time lose, double and refuse none", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const log = yield* EventLog
      const workspaces = yield* Effect.replicateEffect(newWorkspace(), 8)
      const some = (n: number) => workspaces.filter((_, index) => (n * 37 + index * index) % 3 !== 0)
      const inOrder = (n: number) => n % 2 === 0 ? some(n) : some(n).reverse()
      const one = (n: number) => sql.withTransaction(log.appendAll(new Map(inOrder(n).map((id) => [id, [draft(`${n}`)]]))))
      const appended = yield* Effect.forEach(Array.from({ length: 80 }, (_, n) => n), one, { concurrency: "unbounded" })
      for (const id of workspaces) {
        const ids = appended.flatMap((byWorkspace) => byWorkspace.get(id) ?? []).sort()
        expect(yield* stored(id)).toEqual({ ids, head: ids.at(-1) })
      }
    }))

  it.effect("records nothing in a workspace that does not exist", () =>
    Effect.gen(function*() {
      const log = yield* EventLog
      assert.deepStrictEqual(yield* log.append(WorkspaceId.make("ws_01k9x2m4q8e7s9v3bthn5wza6c"), [draft("a")]), [])
    }))

  it.effect("reads events of several types in the order of all, each once, and none of another workspace", () =>
    Effect.gen(function*() {
      const log = yield* EventLog
      const [workspaceId, other] = [yield* newWorkspace(), yield* newWorkspace()]
      const channel = { id: ChannelId.make("ch_01k9x2m4q8e7s9v3bthn5wza6c"), name: "a" }
      const ping = { type: "test.ping", data: { message: "a", channel } } as const
      const ids = yield* log.append(workspaceId, [ping, draft("b"), draft("c"), ping, draft("d")])
      yield* log.append(other, [ping, draft("e")])
      const both = ["test.ping", "monitor.deleted", "test.ping", "incident.created"] as const
      const idsOf = (events: ReadonlyArray<{ readonly id: EventId }>) => events.map(({ id }) => id)
      expect(idsOf(yield* log.after(workspaceId, "", both, 9))).toEqual(ids)
      expect(idsOf(yield* log.after(workspaceId, "", both, 2))).toEqual(ids.slice(0, 2))
      expect(idsOf(yield* log.after(workspaceId, ids[0] ?? "", both, 9))).toEqual(ids.slice(1))
      expect(idsOf(yield* log.after(workspaceId, "", ["test.ping"], 9))).toEqual([ids[0], ids[3]])
      expect(idsOf(yield* run(log.readNewest(workspaceId, both, 2)))).toEqual([ids[4], ids[3]])
      expect(idsOf(yield* run(log.readNewest(workspaceId, ["test.ping"], 9)))).toEqual([ids[3], ids[0]])
      expect(yield* run(log.readNewest(workspaceId, ["incident.created"], 9))).toEqual([])
      expect(yield* log.after(workspaceId, "", [], 9)).toEqual([])
    }))
})
