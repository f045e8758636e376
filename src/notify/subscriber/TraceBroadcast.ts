/** The spans of broadcasts, below what led to their event: one for the deliveries of each that were claimed together. */
import { Array, Effect } from "effect"
import type { HeldBroadcast } from "../../store/subscriber/BroadcastClaim.ts"
import type { BroadcastOutcome } from "../../store/subscriber/BroadcastResults.ts"
import { type OpenSpan, Tracing } from "../../telemetry/Tracing.ts"

/** A delivery, and the span of those that were claimed with it, with how many are left; null if it is not traced. */
export interface TracedBroadcast extends HeldBroadcast {
  readonly batch: { readonly span: OpenSpan; left: number; readonly counts: Record<string, number> } | null
}

/** A delivery of a batch has ended, or waits for a later claim. */
export const endInBatch = ({ batch }: TracedBroadcast, outcome: BroadcastOutcome): void => {
  if (batch === null) return
  const name = `belltower.subscribers.${outcome._tag.toLowerCase()}`
  batch.counts[name] = (batch.counts[name] ?? 0) + 1
  if (--batch.left === 0) batch.span.end({ attributes: batch.counts })
}

export const makeTraceBroadcasts = Effect.map(
  Tracing,
  (tracing) => (deliveries: ReadonlyArray<HeldBroadcast>): ReadonlyArray<TracedBroadcast> => {
    if (tracing === null) return deliveries.map((delivery) => ({ ...delivery, batch: null }))
    return Object.values(Array.groupBy(deliveries, ({ eventId, pageId }) => `${eventId} ${pageId}`)).flatMap((together) => {
      const [{ contents: { traceparent }, eventId, pageId, workspaceId }] = together
      const span = traceparent === undefined ? null : tracing.begin("notify subscribers", {
        kind: "producer",
        parent: traceparent,
        attributes: {
          "belltower.event.id": eventId,
          "belltower.page.id": pageId,
          "belltower.workspace.id": workspaceId,
          "belltower.subscribers": together.length
        }
      })
      const batch = span === null ? null : { span, left: together.length, counts: {} }
      return together.map((delivery) => ({ ...delivery, batch }))
    })
  }
)
