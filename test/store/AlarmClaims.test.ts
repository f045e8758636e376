/** Claims of alarms: by turns of kinds and workspaces, so that nobody waits behind the many of another. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array, DateTime, Effect, Layer } from "effect"
import { type AlarmClaim, AlarmClaims, type AlarmDemand } from "../../src/store/AlarmClaims.ts"
import type { AlarmKind } from "../../src/store/Alarms.ts"
import { TestDatabase } from "../support/database/TestDatabase.ts"

const noon = DateTime.unsafeMake("2026-11-20T12:00:00Z")
const after = (seconds: number) => DateTime.add(noon, { seconds })

const perWorkspace = 10
const roomFor = (room: number): AlarmDemand => ({
  rooms: (["monitor", "component", "incident"] as const).map((kind) => ({ kind, room, perWorkspace })),
  held: []
})

const setUp = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const claims = yield* AlarmClaims
  yield* sql`truncate alarms`
  return {
    claims,
    /** Sets alarms of a workspace, one a millisecond. */
    arm: (kind: AlarmKind, workspace: string, count: number, from: DateTime.Utc = noon) =>
      sql`
      insert into alarms (kind, id, workspace_id, due_at)
      select ${kind}, ${workspace} || n, ${workspace}, ${DateTime.toDateUtc(from)}::timestamptz + n * interval '1 ms'
      from generate_series(1, ${count}::int) n`
  }
})

const counts = ({ alarms }: AlarmClaim) =>
  Object.fromEntries(
    Object.entries(Array.groupBy(alarms, ({ kind, workspaceId }) => `${kind} ${workspaceId}`)).map((
      [key, all]
    ) => [key, all.length])
  )

layer(AlarmClaims.Default.pipe(Layer.provideMerge(Layer.orDie(TestDatabase))))((it) => {
  it.effect("20,000 due alarms of one workspace hold up no later alarm of another workspace or kind", () =>
    Effect.gen(function*() {
      const { arm, claims } = yield* setUp
      yield* arm("component", "ws_many", 20_000)
      yield* arm("component", "ws_one", 1, after(60))
      yield* arm("monitor", "ws_one", 1, after(61))
      yield* arm("incident", "ws_many", 1, after(62))
      const first = yield* claims.oldest(after(100), roomFor(50))
      expect([counts(first), first.isCrowded]).toEqual([{ "component ws_many": perWorkspace }, true])
      const held = [{ kind: "component" as const, workspaceId: "ws_many", count: perWorkspace }]
      const { alarms, isCrowded } = yield* claims.inTurns(after(100), { ...roomFor(50), held })
      expect(alarms.map(({ kind, workspaceId }) => `${kind} ${workspaceId}`).sort()).toEqual([
        "component ws_one",
        "incident ws_many",
        "monitor ws_one"
      ])
      expect(isCrowded).toBe(true)
    }))

  it.effect("what is free is shared between workspaces, and goes to those that hold the fewest", () =>
    Effect.gen(function*() {
      const { arm, claims } = yield* setUp
      for (const name of ["a", "b", "c"]) yield* arm("component", name, 100)
      const held = [{ kind: "component" as const, workspaceId: "a", count: 3 }, {
        kind: "component" as const,
        workspaceId: "b",
        count: 1
      }]
      for (const claim of [claims.oldest, claims.inTurns]) {
        const claimed = yield* claim(after(100), { ...roomFor(5), held })
        expect(counts(claimed)).toMatchObject({ "component b": 2 })
        expect(counts(claimed)["component c"]).toBeGreaterThanOrEqual(2)
      }
    }))

  it.effect("each alarm is claimed once, and all are claimed, by turns or by age", () =>
    Effect.gen(function*() {
      const { arm, claims } = yield* setUp
      for (const [count, name] of [[37, "a"], [11, "b"], [1, "c"]] as const) {
        yield* arm("component", name, count)
        yield* arm("incident", name, count)
      }
      const ids = new Set<string>()
      let all = 0
      for (let pass = 0; pass < 20; pass++) {
        const claim = pass % 2 === 0 ? claims.inTurns : claims.oldest
        for (const { id, kind } of (yield* claim(after(10), roomFor(7))).alarms) {
          ids.add(`${kind} ${id}`)
          all++
        }
      }
      expect([all, ids.size]).toEqual([98, 98])
      expect(yield* claims.inTurns(after(10), roomFor(7))).toEqual({ alarms: [], isCrowded: false })
      expect(yield* claims.oldest(after(10), roomFor(7))).toEqual({ alarms: [], isCrowded: false })
      expect((yield* claims.oldest(after(40), roomFor(7))).alarms).toHaveLength(14)
    }))

  it.effect("a kind without room is left alone", () =>
    Effect.gen(function*() {
      const { arm, claims } = yield* setUp
      yield* arm("component", "a", 5)
      yield* arm("monitor", "a", 5)
      const rooms = [{ kind: "component" as const, room: 0, perWorkspace }, { kind: "monitor" as const, room: 3, perWorkspace }]
      for (const [claim, left] of [[claims.inTurns, 3], [claims.oldest, 2]] as const) {
        expect(counts(yield* claim(after(10), { rooms, held: [] }))).toEqual({ "monitor a": left })
      }
    }))
})
