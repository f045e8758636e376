/** The one look for all kinds of due work. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Record } from "effect"
import { DueRows } from "../../src/store/DueRows.ts"
import { newWorkspace } from "../notify/alert/Receiver.ts"
import { TestDatabase } from "../support/database/TestDatabase.ts"

const found = Effect.gen(function*() {
  const { look } = yield* DueRows
  return Record.keys(Record.filter(yield* look, (isDue) => isDue))
})

layer(DueRows.Default.pipe(Layer.provideMerge(TestDatabase)))("the look for due work", (it) => {
  it.effect("finds nothing without rows, or before their time", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* newWorkspace
      expect(yield* found).toEqual([])
      yield* sql`insert into alarms (kind, id, workspace_id, due_at)
        values ('monitor', 'mon_later', ${workspaceId}, now() + interval '1 minute'), ('newer', 'n_1', ${workspaceId}, now())`
      yield* sql`insert into fan_out_alone (workspace_id, most, due_at) values (${workspaceId}, 1, now() + interval '1 minute')`
      expect(yield* found).toEqual([])
    }))

  it.effect("finds each kind whose time has come, and no other", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* newWorkspace
      yield* sql`insert into alarms (kind, id, workspace_id, due_at) values ('monitor', 'mon_now', ${workspaceId}, now())`
      expect(yield* found).toEqual(["alarms"])
      yield* sql`update fan_out_alone set due_at = now()`
      expect(yield* found).toEqual(["alarms", "eventsApart"])
      yield* sql`insert into delivery_turns (workspace_id, lane, ready_at) values (${workspaceId}, 0, now())`
      expect(yield* found).toEqual(["alarms", "eventsApart", "deliveries"])
      yield* sql`update delivery_turns set ready_at = 'infinity'`
      yield* sql`delete from alarms where kind = 'monitor'`
      yield* sql`delete from fan_out_alone`
      expect(yield* found).toEqual([])
    }))
})
