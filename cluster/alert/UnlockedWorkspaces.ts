/** Does due work in a transaction for each workspace. One whose rows are locked rests, and delays no other workspace's alerts. */
import { SqlClient, type SqlError } from "@effect/sql"
import { Cause, Clock, type DateTime, Duration, Effect } from "effect"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { withNext } from "../../src/store/postgres/LeanTransactions.ts"
import { isLockNotAvailable } from "../../src/store/postgres/PostgresErrors.ts"

/** The limit of a transaction's wait for a lock, and the rest of a workspace after it, ms. */
const patienceMs = 500

const rest = Duration.toMillis("3 seconds")

/** Does due work of one workspace, not of `except`, and names it by `of` before it waits for a lock. False if nothing was due. */
export type DueStep = (
  now: DateTime.Utc,
  except: ReadonlyArray<WorkspaceId>,
  of: (workspaceId: WorkspaceId) => void
) => Effect.Effect<boolean, SqlError.SqlError>

/** Returns a function of a step: the effect that repeats it while it finds work. */
export const makeUnlockedWorkspaces = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const clock = yield* DatabaseClock

  return (step: DueStep): Effect.Effect<void> => {
    const resting = new Map<WorkspaceId, number>()

    const one = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      // A clock that was set back must not make a workspace rest for longer.
      for (const [id, since] of resting) if (Math.abs(now - since) >= rest) resting.delete(id)
      let current: WorkspaceId | null = null
      const impatient = withNext(sql`select set_config('lock_timeout', ${String(patienceMs)}, true)`)
      const work = Effect.flatMap(clock.now, (at) =>
        step(at, [...resting.keys()], (workspaceId) => {
          current = workspaceId
        }))
      return yield* Effect.catchAllCause(sql.withTransaction(Effect.zipRight(impatient, work)), (cause) => {
        if (current === null || !isLockNotAvailable(Cause.squash(cause))) return Effect.die(Cause.squash(cause))
        resting.set(current, now)
        return Effect.succeed(true)
      })
    })
    return Effect.asVoid(Effect.repeat(one, { while: (more) => more }))
  }
})
