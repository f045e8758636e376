/** Alarms: armed in transactions, claimed by one runner at a time, due again when their handling fails. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array, Context, DateTime, Effect, Layer, Option, TestClock } from "effect"
import { WorkspaceId } from "../../schema/Ids.ts"
import { AlarmClaims } from "../../src/store/AlarmClaims.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { Listening } from "../../src/store/monitor/Listening.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { TestDatabase } from "../support/database/TestDatabase.ts"

const workspace = WorkspaceId.make("ws_alarms")
const noon = DateTime.unsafeMake("2026-11-20T12:00:00Z")
const after = (seconds: number) => DateTime.add(noon, { seconds })

/** On a connection other than the surrounding transaction's. */
const outside = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.mapInputContext(
    effect,
    (context: Context.Context<never>) =>
      Context.unsafeMake(new Map([...context.unsafeMap].filter(([key]) => key !== SqlClient.TransactionConnection.key)))
  )

const fresh = Effect.gen(function*() {
  yield* TestClock.setTime(noon.epochMillis)
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from alarms`
  yield* sql`delete from listeners`
  const alarms = yield* Alarms
  const arm = (id: string, at: DateTime.Utc | null) => alarms.arm("monitor", workspace, id, at)
  const claims = yield* AlarmClaims
  const claim = (now: DateTime.Utc, room = 10) =>
    Effect.map(claims.oldest(now, { rooms: [{ kind: "monitor", room, perWorkspace: 10 }], held: [] }), (claim) => claim.alarms)
  const due = (now: DateTime.Utc, limit = 10) => Effect.map(claim(now, limit), (claimed) => claimed.map(({ id }) => id).sort())
  return { alarms, arm, claim, due, sql }
})

/** The reference that judges the row, and the row itself. */
const listener = Effect.gen(function*() {
  const { sql } = yield* fresh
  const clock = yield* DatabaseClock
  const listening = yield* Listening
  return {
    since: Effect.gen(function*() {
      // Else a beat of the same millisecond would look like the present.
      const now = DateTime.add(yield* clock.now, { millis: 5 })
      const { since } = yield* listening.at(now)
      return since === now.epochMillis ? "now" : new Date(since)
    }),
    row: Effect.flatMap(
      sql<{ readonly since: Date; readonly beatAt: Date }>`select since, beat_at as "beatAt" from listeners`,
      Array.head
    ),
    /** Simulates that this much time has passed. */
    passes: (seconds: number) =>
      sql`
        update listeners set began_at = began_at - make_interval(secs => ${seconds}),
          since = since - make_interval(secs => ${seconds}), beat_at = beat_at - make_interval(secs => ${seconds})`
  }
})

layer(
  Layer.mergeAll(AlarmClaims.Default, Alarms.Default, DatabaseClock.Default, Listening.Default).pipe(
    Layer.provideMerge(Layer.orDie(TestDatabase))
  )
)((it) => {
  it.effect("after a turn are set or removed, unless somebody has set them to now during the turn", () =>
    Effect.gen(function*() {
      const { alarms, sql } = yield* fresh
      const [row] = yield* sql<{ readonly at: Date }>`select date_trunc('milliseconds', now()) as at`
      const now = DateTime.unsafeMake(row?.at ?? 0)
      const inSeconds = (seconds: number) => DateTime.add(now, { seconds })
      yield* alarms.armAll("monitor", ["held", "ended"].map((id) => ({ id, workspaceId: workspace })), inSeconds(30))
      yield* alarms.armAll("monitor", ["edited", "left"].map((id) => ({ id, workspaceId: workspace })), now)
      yield* alarms.rearm("monitor", [
        { id: "edited", workspaceId: workspace, dueAt: inSeconds(4000) },
        { id: "ended", workspaceId: workspace, dueAt: null },
        { id: "held", workspaceId: workspace, dueAt: inSeconds(4000) },
        { id: "left", workspaceId: workspace, dueAt: null },
        { id: "new", workspaceId: workspace, dueAt: inSeconds(4000) }
      ])
      const set = yield* sql<{ readonly id: string; readonly dueAt: Date }>`select id, due_at as "dueAt" from alarms order by id`
      expect(set.map(({ dueAt, id }) => [id, (dueAt.getTime() - now.epochMillis) / 1000])).toEqual([
        ["edited", 0],
        ["held", 4000],
        ["left", 0],
        ["new", 4000]
      ])
    }))

  it.effect("an alarm is due from its instant on, moves when it is armed again, and is deleted when it is cleared", () =>
    Effect.gen(function*() {
      const { alarms, arm, claim, due } = yield* fresh
      yield* arm("a", after(60))
      yield* arm("b", after(120))
      expect(Option.getOrNull(yield* alarms.nextDueAt)?.epochMillis).toBe(after(60).epochMillis)
      expect(yield* due(after(59))).toEqual([])
      yield* arm("a", after(90))
      expect(yield* due(after(60))).toEqual([])
      yield* arm("b", null)
      expect(yield* claim(after(200))).toMatchObject([{
        kind: "monitor",
        id: "a",
        workspaceId: workspace,
        dueAt: after(90)
      }])
    }))

  it.effect("a failed alarm is due again after half a minute, and one armed meanwhile at its new time", () =>
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

  it.effect("a limit takes the longest due, and skips rows locked by a transaction", () =>
    Effect.gen(function*() {
      const { arm, due, sql } = yield* fresh
      for (const second of [3, 1, 2]) yield* arm(`${second}`, after(second))
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* arm("1", after(1))
        expect(yield* outside(due(after(9), 1))).toEqual(["2"])
      }))
      expect(yield* due(after(9))).toEqual(["1", "3"])
    }))

  it.effect("the service counts as listening since the beat that ended its last silence, and not while none beats", () =>
    Effect.gen(function*() {
      const { passes, row, since } = yield* listener
      const listening = yield* Listening
      expect(yield* since).toBe("now")
      yield* listening.beat("one")
      const { since: first } = yield* row
      expect(yield* since).toEqual(first)
      for (const _ of [1, 2]) {
        yield* passes(9)
        yield* listening.beat("one")
      }
      expect((yield* row).beatAt.getTime() - (yield* row).since.getTime()).toBeGreaterThanOrEqual(18_000)
      expect(yield* since).toEqual((yield* row).since)
      yield* passes(11)
      expect(yield* since).toBe("now")
      yield* listening.beat("one")
      expect((yield* row).since).toEqual((yield* row).beatAt)
    }))

  it.effect("beats and judgements need no clock but the database's", () =>
    Effect.gen(function*() {
      const { row, since } = yield* listener
      const listening = yield* Listening
      for (const clock of [after(-3600), after(3600)]) {
        yield* TestClock.setTime(clock.epochMillis)
        yield* listening.beat("one")
        yield* TestClock.setTime(noon.epochMillis)
        expect(yield* since).toEqual((yield* row).since)
      }
      expect((yield* row).since).not.toEqual((yield* row).beatAt)
    }))

  it.effect("a database clock that was ahead and is set back neither counts as listening nor blocks alarms armed by it", () =>
    Effect.gen(function*() {
      const { passes, row, since } = yield* listener
      const { alarms, arm, due } = yield* fresh
      const listening = yield* Listening
      const year = 365 * 86_400
      yield* listening.beat("one")
      yield* passes(-year)
      yield* arm("a", after(year + 600))
      expect(yield* since).toBe("now")
      yield* listening.beat("one")
      expect((yield* row).since).toEqual((yield* row).beatAt)
      yield* alarms.recall(after(65))
      expect(yield* due(after(65))).toEqual(["a"])
    }))
})
