/** The lines of the outbox that failed and wait for their next attempt, so that the others do not wait for them. */
import { Clock, Duration, Effect } from "effect"
import type { MonitorId } from "../../schema/Ids.ts"
import type { OutboxLine } from "../../src/store/monitor/Assignments.ts"

/** The pause before a failed line is tried again; it doubles with each failure. */
const backoff = { first: Duration.toMillis("500 millis"), longest: Duration.toMillis("1 minute") }
/** Fewer failures of a line are normal while a runner is replaced. */
const tolerated = 3

export const makeHeldBackLines = () => {
  const lines = new Map<MonitorId, { readonly sequence: number; readonly times: number; readonly until: number }>()
  return {
    /** The sequence numbers held back at `now`. A later edit has a new number and is published immediately. */
    at: (now: number): ReadonlyArray<number> =>
      [...lines.values()].flatMap(({ sequence, until }) => until > now ? [sequence] : []),
    worked: ({ monitorId }: OutboxLine): void => void lines.delete(monitorId),
    failed: ({ monitorId, sequence }: OutboxLine, reason: string): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const times = (lines.get(monitorId)?.times ?? 0) + 1
        lines.set(monitorId, { sequence, times, until: now + Math.min(backoff.longest, backoff.first * 2 ** (times - 1)) })
        return times === tolerated
          ? Effect.logError(`Publishing the last edit of monitor ${monitorId} failed ${times} times; retrying: ${reason}`)
          : Effect.void
      })
  }
}
