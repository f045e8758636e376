/** The alerts about a monitor are decided over many transactions. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { EventId, MonitorId } from "../../../schema/Ids.ts"
import type { Change } from "../../../src/domain/alert/Flapping.ts"
import { AlertStreaks } from "../../../src/store/alert/AlertStreaks.ts"
import { ground, newChannel, newMonitor, newWorkspace } from "../../notify/alert/Receiver.ts"

layer(ground([]), { excludeTestServices: true })("the streak of a channel and a monitor", (it) => {
  it.effect("remembers whether an outage was announced", () =>
    Effect.gen(function*() {
      const { announce } = yield* AlertStreaks
      const workspaceId = yield* newWorkspace
      const { id: channelId } = yield* newChannel(workspaceId, "https://hooks.example.com/")
      const states: ReadonlyArray<Change["state"]> = ["degraded", "up", "degraded", "up", "degraded", "up", "down", "up", "down"]
      const announced = yield* Effect.forEach(states, (state, minutes) =>
        announce([{
          workspaceId,
          channelId,
          monitorId: MonitorId.make("mon_streak"),
          eventId: EventId.make(`evt_${minutes}`),
          at: DateTime.add(DateTime.unsafeMake("2026-11-20T08:00:00Z"), { minutes }),
          state,
          begins: false
        }]))
      expect(announced.flat())
        .toEqual(["alert", "alert", "alert", "alert", "flapping", "nothing", "alert", "alert", "nothing"])
    }))

  it.effect("does not end while its monitor is muted, because nobody sees whether that is stable", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { announce, endDue } = yield* AlertStreaks
      const workspaceId = yield* newWorkspace
      const { id: channelId } = yield* newChannel(workspaceId, "https://hooks.example.com/")
      const monitorId = yield* newMonitor(workspaceId, [channelId])
      const now = yield* DateTime.now
      const at = DateTime.subtract(now, { minutes: 40 })
      // Those of other tests are due, too.
      yield* sql`delete from alert_streaks`
      yield* announce([{ workspaceId, channelId, monitorId, eventId: EventId.make("evt_1"), at, state: "down", begins: true }])
      yield* sql`
        insert into mutes (id, workspace_id, monitor_ids, tags, everything, made_by, created_at, until)
        values (${`mute_${workspaceId}`}, ${workspaceId}, '{}', '{}', true, 'test', now(), now() + interval '1 hour')`
      expect(yield* endDue(now, [])).toEqual([])
      expect(yield* endDue(DateTime.add(now, { minutes: 70 }), [])).toEqual([])
      yield* sql`update mutes set ended_at = now() where workspace_id = ${workspaceId}`
      const ended = yield* endDue(DateTime.add(now, { minutes: 140 }), [])
      expect(ended).toMatchObject([{ workspaceId, channelId, monitorId, flapping: false }])
    }))
})
