/** Relays finished checks to live streams, only for workspaces that somebody watches. */
import { SqlClient } from "@effect/sql"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { LiveCheck, liveChecksSignal } from "../../schema/check/LiveCheck.ts"
import { eventCheck, observationOf } from "../../src/domain/check/CheckView.ts"
import type { CountedResult } from "../../src/store/check/Checks.ts"
import { liveWatchersSignal } from "../../src/store/check/LiveWatchers.ts"
import { Signals } from "../../src/store/postgres/Signals.ts"
import type { Wakeups } from "../../src/store/postgres/Wakeups.ts"
import { wakeableLoop, wakeSignal } from "../WakeableLoop.ts"

const encode = Schema.encodeSync(Schema.parseJson(LiveCheck))

/** Finds watchers that left, and those whose notification was lost. */
const longestPause = Duration.seconds(10)

/** A notification holds 8,000 bytes; the longest error is cut far below. */
const longestError = 500

/** The frame of a check for the live streams. */
export const frameOf = ({ result }: CountedResult): string => {
  const check = eventCheck(observationOf(result, result.trusted))
  return encode({
    workspaceId: result.workspaceId,
    monitorId: result.monitorId,
    check: { ...check, error: check.error?.slice(0, longestError) ?? null }
  })
}

export class LiveChecks extends Context.Tag("belltower/LiveChecks")<LiveChecks, {
  /** Sends the frames of watched workspaces, without waiting; frames are dropped when too many wait to be sent. */
  readonly relay: (checks: ReadonlyArray<CountedResult>) => Effect.Effect<void>
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
        Effect.catchAll((error) => Effect.logDebug("Live watchers could not be read", error.message)),
        Effect.as(longestPause)
      )
      yield* wakeableLoop("Reading live watchers", refresh, yield* wakeSignal(liveWatchersSignal))

      return {
        relay: (checks) => {
          if (watched.size === 0) return Effect.void
          const frames = checks.filter(({ result }) => watched.has(result.workspaceId)).map(frameOf)
          return Effect.forEach(frames, (frame) => signals.send(liveChecksSignal, frame), { discard: true })
        }
      }
    })
  )
}
