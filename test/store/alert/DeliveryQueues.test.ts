/** Claims: fair between workspaces, bounded by what they take, and safe beside each other. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber } from "effect"
import { DeliveryQueues } from "../../../src/store/alert/DeliveryQueues.ts"
import { DeliveryResults } from "../../../src/store/alert/DeliveryResults.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { seedChannels, seedDeliveries } from "../../bench/support/alertRows.ts"
import { ground } from "../../notify/alert/Receiver.ts"
import { holding } from "../../support/database/LockedWorkspace.ts"
import { until } from "../../support/time/Until.ts"

const empty = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`truncate workspaces cascade`)

const claim = (room: number, perWorkspace = room) =>
  Effect.gen(function*() {
    const clock = yield* DatabaseClock
    const queues = yield* DeliveryQueues
    // The clock estimates the database's time, so it may be a moment behind the rows.
    const now = DateTime.add(yield* clock.now, { seconds: 1 })
    return yield* queues.claim({ lane: "first", now, room, perWorkspace, except: [] })
  })

/** Gives queues back whose deliveries were all delivered quickly. */
const deliver = Effect.fn("deliver")(function*(claimed: Effect.Effect.Success<ReturnType<typeof claim>>) {
  const results = yield* DeliveryResults
  const now = yield* Effect.flatMap(DatabaseClock, (clock) => clock.now)
  const settled = claimed.flatMap(({ deliveries }) =>
    deliveries.map((delivery) => ({ delivery, outcome: { _tag: "Delivered", statusCode: 200 } as const }))
  )
  yield* results.settle(settled, claimed.map((queue) => ({ ...queue, slow: false })), now, 10_000)
  return settled.map(({ delivery }) => delivery)
})

/** Rows that statements of this connection's database have read so far, by table. */
const rowsRead = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select pg_stat_clear_snapshot()`
  const rows = yield* sql<{ readonly read: number }>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables
    where relname in ('deliveries', 'delivery_queues', 'delivery_turns', 'channels')`
  return rows[0]?.read ?? 0
})

/** Rows that a claim reads. */
const cost = (room: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.withTransaction(Effect.gen(function*() {
      const before = yield* rowsRead
      const claimed = yield* claim(room)
      const after = yield* rowsRead
      return { rows: after - before, taken: claimed.flatMap(({ deliveries }) => deliveries).length }
    }))
  })

layer(ground([]), { excludeTestServices: true })("a claim", (it) => {
  it.effect(
    "reads as many rows beside 3,000 waiting channels as beside 20, before any statistics are collected",
    () =>
      Effect.gen(function*() {
        yield* empty
        yield* seedDeliveries(yield* seedChannels(20, 20, (index) => `https://few${index}.example/`), 8)
        const few = yield* cost(10)
        yield* empty
        yield* seedDeliveries(yield* seedChannels(3000, 300, (index) => `https://many${index}.example/`), 8)
        const many = yield* cost(10)
        expect([few.taken, many.taken]).toEqual([10, 10])
        expect(many.rows).toBeLessThanOrEqual(few.rows + 20)
        expect(many.rows).toBeLessThan(150)
      })
  )

  it.effect("reads almost nothing while nothing is due", () =>
    Effect.gen(function*() {
      yield* empty
      yield* seedDeliveries(yield* seedChannels(1000, 100, (index) => `https://later${index}.example/`), 8, 3600)
      expect(yield* cost(100)).toMatchObject({ taken: 0, rows: 0 })
    }))

  it.effect("gives workspaces equal shares, however many channels and deliveries each has", () =>
    Effect.gen(function*() {
      yield* empty
      const [big] = yield* seedChannels(400, 1, (index) => `https://big${index}.example/`)
      const [small] = yield* seedChannels(1, 1, () => "https://small.example/")
      if (big === undefined || small === undefined) return expect.unreachable()
      const sql = yield* SqlClient.SqlClient
      const all = yield* sql<{ readonly id: string; readonly workspaceId: string }>`
        select id, workspace_id as "workspaceId" from channels where workspace_id = ${big.workspaceId}`
      yield* seedDeliveries(all, 10)
      yield* seedDeliveries([small], 100)
      yield* sql`update delivery_queues set slow = false`
      const served: Record<string, number> = {}
      for (let round = 0; round < 10; round++) {
        for (const { workspaceId } of yield* deliver(yield* claim(10))) served[workspaceId] = (served[workspaceId] ?? 0) + 1
      }
      expect(served).toEqual({ [big.workspaceId]: 50, [small.workspaceId]: 50 })
    }))

  it.effect("takes no more than one delivery of a channel whose receiver has never answered", () =>
    Effect.gen(function*() {
      yield* empty
      yield* seedDeliveries(yield* seedChannels(1, 1, () => "https://new.example/"), 10)
      expect((yield* deliver(yield* claim(10))).length).toBe(1)
      expect((yield* deliver(yield* claim(10))).length).toBe(5)
    }))

  it.effect("of several workers side by side never takes a delivery twice, and misses none", () =>
    Effect.gen(function*() {
      yield* empty
      yield* seedDeliveries(yield* seedChannels(60, 20, (index) => `https://shared${index}.example/`), 4)
      const taken: Array<string> = []
      const worker = claim(7).pipe(
        Effect.flatMap(deliver),
        Effect.tap((deliveries) => Effect.sync(() => taken.push(...deliveries.map(({ id }) => id)))),
        Effect.repeat({ until: () => taken.length >= 240 })
      )
      yield* Effect.all([worker, worker, worker, worker], { concurrency: 4, discard: true })
      expect(taken.length).toBe(240)
      expect(new Set(taken).size).toBe(240)
    }))

  it.effect("finds a delivery that was added while its queue was held", () =>
    Effect.gen(function*() {
      yield* empty
      const channels = yield* seedChannels(1, 1, () => "https://held.example/")
      yield* seedDeliveries(channels, 1)
      const held = yield* claim(10)
      yield* seedDeliveries(channels, 1)
      expect(yield* claim(10)).toEqual([])
      yield* deliver(held)
      expect((yield* claim(10)).flatMap(({ deliveries }) => deliveries).length).toBe(1)
    }))

  it.effect("gives back every queue that a fan-out changes meanwhile", () =>
    Effect.gen(function*() {
      yield* empty
      const sql = yield* SqlClient.SqlClient
      yield* seedDeliveries(yield* seedChannels(6, 3, (index) => `https://both${index}.example/`), 1)
      const claimed = yield* claim(6)
      expect(claimed).toHaveLength(6)
      // As a fan-out does that adds a delivery.
      const release = yield* holding((tx) => tx`update delivery_queues set first_at = first_at`)
      const delivering = yield* Effect.fork(deliver(claimed))
      yield* until(sql`select from pg_stat_activity where wait_event_type = 'Lock'`, (waiting) => waiting.length > 0)
      yield* release
      yield* Fiber.join(delivering)
      const ids = claimed.map(({ channelId }) => channelId)
      const held =
        yield* sql`select channel_id from delivery_queues where held_until is not null and channel_id = any(${ids}::text[])`
      expect(held).toEqual([])
    }))
})
