/** Which workspaces are watched live: only their finished checks are told to the streams. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"

/** Notified whenever a process says that it watches: it may be the first. */
export const liveWatchersSignal = "belltower_live_watchers"

/** A watcher that does not say so again within this time is gone. */
const watchTime = Duration.seconds(15)

export class LiveWatchers extends Effect.Service<LiveWatchers>()("belltower/LiveWatchers", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Says that `watcher`, a process, watches these workspaces for the next 15 s. */
      watch: Effect.fn("LiveWatchers.watch")(function*(watcher: string, workspaceIds: ReadonlyArray<WorkspaceId>) {
        const until = DateTime.toDateUtc(DateTime.addDuration(yield* DateTime.now, watchTime))
        yield* sql`
          insert into live_watchers (watcher, workspace_id, until)
          select ${watcher}, id, ${until} from unnest(${[...workspaceIds]}::text[]) as watched (id)
          on conflict (watcher, workspace_id) do update set until = excluded.until`
        yield* sql`select pg_notify(${liveWatchersSignal}, '')`
      }),
      /** Says that `watcher` watches this workspace no more. */
      unwatch: Effect.fn("LiveWatchers.unwatch")(function*(watcher: string, workspaceId: WorkspaceId) {
        yield* sql`delete from live_watchers where watcher = ${watcher} and workspace_id = ${workspaceId}`
      }),
      /** Forgets the watchers of processes that ended without a word. */
      sweep: Effect.fn("LiveWatchers.sweep")(function*() {
        yield* sql`delete from live_watchers where until < ${DateTime.toDateUtc(yield* DateTime.now)}`
      })
    }
  })
}) {}
