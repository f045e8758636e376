/** Scrapes the metrics of a workspace with many monitors, and measures the turns of the event loop meanwhile. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { ReadMonitorMetrics } from "../../../src/operations/monitor/ReadMonitorMetrics.ts"

/** Copies a monitor with its state until the workspace has about `count` more. */
const multiply = Effect.fn("multiply")(function*(id: MonitorId, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into monitors select copy.* from (select * from monitors where id = ${id}) m cross join generate_series(1, ${count}) n
    cross join lateral jsonb_populate_record(null::monitors, to_jsonb(m) || jsonb_build_object('id', m.id || '_' || n)) copy`
  yield* sql`
    insert into monitor_states select copy.* from monitors m cross join (select * from monitor_states where monitor_id = ${id}) s
    cross join lateral jsonb_populate_record(null::monitor_states, to_jsonb(s) || jsonb_build_object('monitor_id', m.id)) copy
    where m.id like ${`${id}_%`}`
  yield* sql`analyze monitors, monitor_states`
})

/** Watches the turns of the event loop until it is stopped; returns the longest, ms. */
const watchTurns = () => {
  let [last, cpu, longest, watching] = [performance.now(), process.cpuUsage(), 0, true]
  const watch = () => {
    const [now, used] = [performance.now(), process.cpuUsage(cpu)]
    // Without the time in which others had the processor.
    longest = Math.max(longest, Math.min(now - last, (used.user + used.system) / 1000))
    last = now
    cpu = process.cpuUsage()
    if (watching) setImmediate(watch)
  }
  watch()
  return () => {
    watching = false
    return longest
  }
}

export const scrape = Effect.fn("scrape")(
  function*({ id, workspaceId }: { readonly id: MonitorId; readonly workspaceId: WorkspaceId }, count: number) {
    yield* multiply(id, count)
    const reading = yield* ReadMonitorMetrics
    const caller = { workspaceId, operations: null }
    // The first ones warm the code up.
    yield* Effect.replicateEffect(reading.read(caller), 3, { discard: true })
    const stop = watchTurns()
    const from = performance.now()
    const pieces = yield* reading.read(caller)
    return {
      monitors: count,
      ms: Math.round(performance.now() - from),
      longestTurnMs: Math.round(stop() * 10) / 10,
      bytes: pieces.reduce((sum, piece) => sum + piece.length, 0)
    }
  }
)
