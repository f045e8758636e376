/** After a restore, nothing that was due in the time that was lost is sent, and all of it is counted. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { lostLines } from "../../../src/domain/backup/RestoreText.ts"
import { lastRestore } from "../../../src/store/backup/Restores.ts"
import { lastSignOfLife, settleRestore } from "../../../src/store/backup/SettleRestore.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { fillEveryTable } from "./FilledDatabase.ts"

const restoredTo = DateTime.unsafeMake("2026-11-26T10:00:00Z")

/** One of each kind is due in the past, as the filled tables are. */
const makeDue = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* fillEveryTable
  yield* sql`update deliveries set status = 'due', closes_alert = false, finished_at = null`
  for (
    const [id, due, closes] of [["later", "now() + interval '1 hour'", false], [
      "closing",
      "now() - interval '1 hour'",
      true
    ]] as const
  ) {
    yield* sql`
      insert into deliveries (id, workspace_id, event_id, channel_id, body, status, due_at, created_at, closes_alert)
      values (${id}, 'x', ${id}, 'x', '{}', 'due', ${sql.literal(due)}, now(), ${closes})`
  }
  yield* sql`update mails set status = 'due', finished_at = null`
  yield* sql`update broadcasts set expanded_at = null`
  yield* sql`
    insert into broadcasts (event_id, page_id, workspace_id, visited_at, created_at) values ('new', 'x', 'x', now() - interval '1 day', now())`
  yield* sql`update events set fanned_out = false`
})

describe("what was due in the time that a restore lost", () => {
  it.scopedLive("is not sent, and is counted, remembered and said in words; what is due later stays due", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* makeDue
      const settled = yield* sql.withTransaction(settleRestore(restoredTo))
      expect(settled.notSent).toEqual({
        deliveries: 1,
        mails: 1,
        subscriberDeliveries: 1,
        broadcasts: 2,
        groupedAlerts: 1,
        quietAlerts: 1,
        events: 1,
        digests: 1
      })
      expect(yield* sql`select id, status, last_error is not null as told from deliveries order by id`).toEqual([
        { id: "closing", status: "due", told: false },
        { id: "later", status: "due", told: false },
        { id: "x", status: "dead", told: true }
      ])
      expect(yield* sql`select status, sealed from mails`).toEqual([{ status: "dead", sealed: null }])
      expect(yield* sql`select event_id, dead, ready_at = 'infinity' as ended from broadcasts`).toEqual([
        { event_id: "x", dead: 2, ended: true }
      ])
      const [left] = yield* sql`
        select (select count(*)::int from subscriber_deliveries) as subscribers, (select count(*)::int from alert_groups) as groups,
          (select count(*)::int from quiet_groups) as quiet, (select count(*)::int from events where not fanned_out) as events,
          (select count(*)::int from sessions) as sessions, (select count(*)::int from sign_in_links) as links,
          (select min(digest_at) between now() and now() + interval '7 days 2 hours' from workspaces) as digest`
      expect(left).toEqual({ subscribers: 0, groups: 0, quiet: 0, events: 0, sessions: 0, links: 0, digest: true })
      expect(yield* lastRestore).toMatchObject({ value: settled })
      const lines = lostLines({ ...settled, restoredAt: DateTime.unsafeMake("2026-11-27T11:30:00Z") })
      expect(lines[0]).toBe(
        "The database was restored at 2026-11-27T11:30:00.000Z to its state of 2026-11-26T10:00:00.000Z; what happened in between (1 d 1 h) is lost."
      )
      expect(lines).toContain("  1 weekly digest")
      expect(lines.at(-1)).toContain("All people are signed out. API keys, private links and probes that were revoked")
      const again = yield* sql.withTransaction(settleRestore(restoredTo))
      expect(lostLines(again)[1]).toBe("Nothing was due in that time.")
    }).pipe(Effect.provide(TestDatabase)))

  it.scopedLive("begins with the last sign of life of a database that was recovered by other means", () =>
    Effect.gen(function*() {
      expect((yield* lastSignOfLife).at).toBeNull()
      yield* fillEveryTable
      expect((yield* lastSignOfLife).at).toEqual(DateTime.unsafeMake("2026-11-26T10:00:00.123Z"))
    }).pipe(Effect.provide(TestDatabase)))
})
