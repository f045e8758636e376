/** Alarms: armed in transactions, taken by one runner at a time, back when nothing came of them. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Option, TestClock } from "effect"
import { WorkspaceId } from "../../schema/Ids.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { Listening } from "../../src/store/Listening.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const workspace = WorkspaceId.make("ws_alarms")
const noon = DateTime.unsafeMake("2026-11-20T12:00:00Z")
const after = (seconds: number) => DateTime.add(noon, { seconds })

/** On another connection than the surrounding transaction's. */
const outside = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.mapInputContext(effect, (context: Context.Context<never>) =>
    Context.unsafeMake(new Map([...context.unsafeMap].filter(([key]) => key !== SqlClient.TransactionConnection.key))))

const fresh = Effect.gen(function*() {
  yield* TestClock.setTime(noon.epochMillis)
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from alarms`
  yield* sql`delete from listening`
  const alarms = yield* Alarms
  const arm = (id: string, at: DateTime.Utc | null) => alarms.arm("monitor", workspace, id, at)
  const due = (now: DateTime.Utc, limit = 10) => Effect.map(alarms.claim(now, limit), (claimed) => claimed.map(({ id }) => id).sort())
  return { alarms, arm, due, sql }
})

layer(Layer.mergeAll(Alarms.Default, Listening.Default).pipe(Layer.provideMerge(Layer.orDie(TestDatabase))))((it) => {
  it.effect("an alarm is due from its instant on, moves when it is armed anew, and goes when it is taken away", () =>
    Effect.gen(function*() {
      const { alarms, arm, due } = yield* fresh
      yield* arm("a", after(60))
      yield* arm("b", after(120))
      expect(Option.getOrNull(yield* alarms.nextDueAt)?.epochMillis).toBe(after(60).epochMillis)
      expect(yield* due(after(59))).toEqual([])
      yield* arm("a", after(90))
      expect(yield* due(after(60))).toEqual([])
      yield* arm("b", null)
      expect(yield* alarms.claim(after(200), 10)).toMatchObject([{ kind: "monitor", id: "a", workspaceId: workspace, dueAt: after(90) }])
    }))

  it.effect("an alarm that came to nothing comes again after half a minute, and one armed meanwhile when it says", () =>
    Effect.gen(function*() {
      const { arm, due } = yield* fresh
      yield* arm("a", after(0))
      yield* arm("b", after(1))
      expect(yield* due(after(1))).toEqual(["a", "b"])
      yield* arm("b", after(300))
      expect(yield* due(after(30))).toEqual([])
      expect(yield* due(after(31))).toEqual(["a"])
      expect(yield* due(after(301))).toEqual(["a", "b"])
    }))

  it.effect("a limit takes the longest due, and what a transaction holds is left to it", () =>
    Effect.gen(function*() {
      const { arm, due, sql } = yield* fresh
      for (const second of [3, 1, 2]) yield* arm(`${second}`, after(second))
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* arm("1", after(1))
        expect(yield* outside(due(after(9), 1))).toEqual(["2"])
      }))
      expect(yield* due(after(9))).toEqual(["1", "3"])
    }))

  it.effect("the service counts as listening since the beat that ended its last silence, and not at all while none beats", () =>
    Effect.gen(function*() {
      yield* fresh
      const listening = yield* Listening
      const since = Effect.flatMap(DateTime.now, listening.since)
      expect(yield* since).toEqual(noon)
      yield* listening.beat()
      yield* TestClock.setTime(after(9).epochMillis)
      yield* listening.beat()
      yield* TestClock.setTime(after(19).epochMillis)
      expect(yield* since).toEqual(noon)
      yield* TestClock.setTime(after(20).epochMillis)
      expect(yield* since).toEqual(after(20))
      yield* listening.beat()
      yield* TestClock.setTime(after(25).epochMillis)
      yield* listening.beat()
      expect(yield* since).toEqual(after(20))
    }))

  it.effect("a clock that was ahead and is set back neither counts as listening nor silences what was armed by it", () =>
    Effect.gen(function*() {
      const { alarms, arm, due } = yield* fresh
      const listening = yield* Listening
      const since = Effect.flatMap(DateTime.now, listening.since)
      const year = 365 * 86_400
      yield* TestClock.setTime(after(year).epochMillis)
      yield* listening.beat()
      yield* arm("a", after(year + 600))
      yield* TestClock.setTime(after(60).epochMillis)
      expect(yield* since).toEqual(after(60))
      yield* listening.beat()
      yield* TestClock.setTime(after(65).epochMillis)
      yield* listening.beat()
      expect(yield* since).toEqual(after(60))
      yield* alarms.recall(after(65))
      expect(yield* due(after(65))).toEqual(["a"])
    }))
})
