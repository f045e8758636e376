/** Deletes events and state spans once they have expired, in small batches. */
import { DateTime, Effect } from "effect"
import { ExpiredHistory } from "../../src/store/event/ExpiredHistory.ts"
import { singletonEvery } from "../SingletonEvery.ts"

export const HistoryUpkeep = singletonEvery(
  "HistoryUpkeep",
  "1 hour",
  Effect.map(ExpiredHistory, (expired) => {
    const all = [
      expired.events,
      (now: DateTime.Utc) => expired.spans("monitor_spans", now),
      (now: DateTime.Utc) => expired.spans("component_spans", now)
    ]
    return Effect.flatMap(
      DateTime.now,
      (now) => Effect.forEach(all, (sweep) => Effect.repeat(sweep(now), { while: (more) => more }), { discard: true })
    )
  })
)
