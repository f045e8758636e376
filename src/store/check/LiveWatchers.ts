/** The workspaces with open live streams. Only their completed checks are sent to the streams. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { Signals } from "../postgres/Signals.ts"

/** Notified when a process registers as a watcher, since it may be the first. */
export const liveWatchersSignal = "belltower_live_watchers"

/** A registration expires after this time unless it is renewed. */
const watchTime = Duration.seconds(15)

export class LiveWatchers extends Effect.Service<LiveWatchers>()("belltower/LiveWatchers", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    return {
      /** Registers the process `watcher` for these workspaces for the next 15 s. */
      watch: Effect.fn("LiveWatchers.watch")(function*(watcher: string, workspaceIds: ReadonlyArray<WorkspaceId>) {
        const until = DateTime.toDateUtc(DateTime.addDuration(yield* DateTime.now, watchTime))
        yield* sql`
          insert into live_watchers (watcher, workspace_id, until)
          select ${watcher}, id, ${until} from unnest(${workspaceIds}::text[]) as watched (id)
          on conflict (watcher, workspace_id) do update set until = excluded.until`
        yield* signals.send(liveWatchersSignal)
      }),
      /** Removes the registration of `watcher` for this workspace. */
      unwatch: Effect.fn("LiveWatchers.unwatch")(function*(watcher: string, workspaceId: WorkspaceId) {
        yield* sql`delete from live_watchers where watcher = ${watcher} and workspace_id = ${workspaceId}`
      }),
      /** Deletes the expired registrations of processes that exited without removing them. */
      sweep: Effect.fn("LiveWatchers.sweep")(function*() {
        yield* sql`delete from live_watchers where until < ${DateTime.toDateUtc(yield* DateTime.now)}`
      })
    }
  })
}) {}
