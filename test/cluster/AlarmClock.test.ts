/** The alarm clock's contract with an actor: here an actor whose turns a test scripts. */
import { Entity } from "@effect/cluster"
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Queue } from "effect"
import { AlarmClock } from "../../cluster/AlarmClock.ts"
import { registerEntity } from "../../cluster/MinimalContext.ts"
import { entityKey, MonitorEntity } from "../../cluster/monitor/MonitorProtocol.ts"
import { MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { collectingLog } from "../support/measure/CollectingLog.ts"
import { Ground } from "../support/program/TestRunner.ts"
import { until } from "../support/time/Until.ts"

const workspace = WorkspaceId.make("ws_clock")
/** Far more than a runner claims, of a workspace whose actors never answer. */
const many = { workspace: WorkspaceId.make("ws_many"), prefix: "mon_many_", count: 20_000 }

/** Each monitor's action when it wakes, by the number of the turn. */
const turns = new Map<string, (turn: number) => Effect.Effect<void>>()
const woken = new Map<string, number>()

const Actor = registerEntity(MonitorEntity.toLayer(
  Effect.gen(function*() {
    const { id: monitorId } = entityKey((yield* Entity.CurrentAddress).entityId)
    return MonitorEntity.of({
      Observe: () => Effect.succeed({ counted: false, moved: false, snapshot: null }),
      CloseDue: () => Effect.succeed({ counted: false, moved: false, snapshot: null }),
      Apply: () => Effect.succeed(null),
      Reload: () => Effect.void,
      Wake: () =>
        Effect.suspend(() => {
          const turn = (woken.get(monitorId) ?? 0) + 1
          woken.set(monitorId, turn)
          return turns.get(monitorId)?.(turn) ?? (monitorId.startsWith(many.prefix) ? Effect.never : Effect.void)
        })
    })
  }),
  { maxIdleTime: "2 minutes", disableFatalDefects: true }
))

const timesWoken = (id: string, times: number) => until(Effect.sync(() => woken.get(id) ?? 0), (found) => found >= times)

const setUp = (name: string) =>
  Effect.gen(function*() {
    const id = MonitorId.make(`mon_${name}`)
    const alarms = yield* Alarms
    const sql = yield* SqlClient.SqlClient
    const arm = (at: DateTime.Utc | null) => alarms.arm("monitor", workspace, id, at)
    const due = Effect.map(
      sql<{ readonly at: Date }>`select due_at as at from alarms where id = ${id}`,
      ([row]) => row?.at.getTime() ?? null
    )
    return { id, arm, due, now: yield* DateTime.now, sql }
  })

layer(Actor.pipe(Layer.provideMerge(Ground)), { excludeTestServices: true })((it) => {
  it.scoped(
    "an alarm armed while the actor still answers gets its turn immediately, not at the next redelivery",
    () =>
      Effect.gen(function*() {
        const { arm, due, id, now } = yield* setUp("late")
        turns.set(id, (turn) =>
          turn > 1 ? arm(null) : Effect.gen(function*() {
            // The turn is over and its alarm deleted; a ping arms it again before the answer arrives.
            yield* arm(null)
            yield* arm(now)
            yield* until(due, (at) => at !== null && at > now.epochMillis + 20_000)
          }).pipe(Effect.orDie))
        yield* Layer.build(AlarmClock)
        yield* arm(now)
        yield* timesWoken(id, 2)
        yield* until(due, (at) => at === null)
        expect(woken.get(id)).toBe(2)
      })
  )

  it.scoped("an actor that fails at every turn is logged even when all others work", () =>
    Effect.gen(function*() {
      const { arm, id, now } = yield* setUp("broken")
      const other = yield* setUp("well")
      const lines: Array<string> = []
      turns.set(id, () => Effect.dieMessage("its row cannot be read"))
      turns.set(other.id, () => other.arm(null))
      yield* Layer.build(AlarmClock).pipe(Effect.provide(collectingLog(lines)))
      for (let turn = 1; turn <= 3; turn++) {
        yield* arm(now)
        yield* timesWoken(id, turn)
        yield* other.arm(now)
        yield* timesWoken(other.id, turn)
      }
      const logged = until(
        Effect.sync(() => lines.filter((line) => line.includes(id))),
        (found) => found.length > 0
      )
      expect(yield* logged).toEqual([`Waking monitor/${id} failed 3 times; retrying: its row cannot be read`])
      yield* arm(null)
    }))

  it.scoped(
    "when the database's clock is set back, alarms armed by the wrong clock are judged by the right one",
    () =>
      Effect.gen(function*() {
        const { arm, id, now, sql } = yield* setUp("early")
        const real = yield* DatabaseClock
        const asked = yield* Queue.unbounded<void>()
        let ahead = 1
        const set = DatabaseClock.make({
          ...real,
          now: Effect.tap(Effect.map(real.now, (at) => DateTime.add(at, { hours: ahead })), () => Queue.offer(asked, undefined))
        })
        turns.set(id, () => arm(null))
        yield* Layer.build(AlarmClock).pipe(Effect.provideService(DatabaseClock, set))
        yield* arm(DateTime.add(now, { hours: 1, minutes: 10 }))
        yield* Queue.take(asked)
        ahead = 0
        yield* sql`select pg_notify('belltower_alarms', '')`
        yield* timesWoken(id, 1)
      })
  )

  it.scoped("an alarm begins while 20,000 of another workspace are due, whose actors do not answer", () =>
    Effect.gen(function*() {
      const { arm, id, now, sql } = yield* setUp("other")
      const asked = Effect.sync(() => [...woken.keys()].filter((key) => key.startsWith(many.prefix)).length)
      turns.set(id, () => arm(null))
      yield* sql`
        insert into alarms (kind, id, workspace_id, due_at)
        select 'monitor', ${many.prefix} || n, ${many.workspace}, now() - interval '1 hour'
        from generate_series(1, ${many.count}::int) n`
      yield* Layer.build(AlarmClock)
      yield* until(asked, (count) => count > 0)
      yield* arm(now)
      yield* timesWoken(id, 1)
      expect(yield* asked).toBeLessThan(many.count / 100)
      yield* sql`delete from alarms where workspace_id = ${many.workspace}`
    }))
})
