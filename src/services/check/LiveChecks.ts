/** Relays finished checks to live streams, only for workspaces that somebody watches. */
import { SqlClient } from "@effect/sql"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { LiveCheck, liveChecksSignal } from "../../../schema/check/Check.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Observation } from "../../../schema/monitor/Machine.ts"
import { eventCheck } from "../../domain/check/history/CheckView.ts"
import { liveWatchersSignal } from "../../store/check/LiveWatchers.ts"
import { Signals } from "../../store/postgres/Signals.ts"
import type { Wakeups } from "../../store/postgres/Wakeups.ts"
import { wakeableLoop, wakeSignal } from "../WakeableLoop.ts"

const encode = Schema.encodeSync(Schema.parseJson(LiveCheck))

/** Finds watchers that left, for whom a relayed frame is only wasted, and those whose notification was lost. */
const longestPause = Duration.seconds(30)

/** A notification holds 8,000 bytes; the longest error is cut far below. */
const longestError = 500

export interface FinishedCheck {
  readonly workspaceId: WorkspaceId
  readonly check: Observation
}

export const frameOf = ({ check, workspaceId }: FinishedCheck): string => {
  const shown = eventCheck(check)
  return encode({
    workspaceId,
    monitorId: check.monitorId,
    check: { ...shown, error: shown.error?.slice(0, longestError) ?? null }
  })
}

export class LiveChecks extends Context.Tag("belltower/LiveChecks")<LiveChecks, {
  /**
   * Sends the frames of watched workspaces, without waiting; frames are dropped when too many wait to be sent. `checkOf` runs only
   * for those.
   */
  readonly relay: <A>(
    finished: ReadonlyArray<A>,
    workspaceOf: (one: A) => WorkspaceId,
    checkOf: (one: A) => Observation
  ) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<LiveChecks, never, Signals | SqlClient.SqlClient | Wakeups> = Layer.scoped(
    LiveChecks,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const signals = yield* Signals
      let watched: ReadonlySet<string> = new Set()

      const refresh = sql<{ readonly id: string }>`
        select distinct workspace_id as id from live_watchers where until > now()`.pipe(
        Effect.map((rows) => {
          watched = new Set(rows.map((row) => row.id))
        }),
        Effect.catchAll((error) => Effect.logDebug(`Live watchers could not be read: ${error.message}`)),
        Effect.as(longestPause)
      )
      yield* wakeableLoop("Reading live watchers", refresh, yield* wakeSignal(liveWatchersSignal))

      return {
        relay: (finished, workspaceOf, checkOf) => {
          if (watched.size === 0) return Effect.void
          const frames = finished.filter((one) => watched.has(workspaceOf(one)))
            .map((one) => frameOf({ workspaceId: workspaceOf(one), check: checkOf(one) }))
          return Effect.forEach(frames, (frame) => signals.send(liveChecksSignal, frame), { discard: true })
        }
      }
    })
  )
}
