/** The spans of broadcasts, below what led to their event: one for the deliveries of each that were claimed together. */
import { Array, Effect } from "effect"
import type { HeldBroadcast } from "../../store/subscriber/BroadcastClaim.ts"
import type { BroadcastOutcome } from "../../store/subscriber/BroadcastResults.ts"
import { type OpenSpan, Tracing } from "../../telemetry/Tracing.ts"
import type { Claimed } from "../delivery/DeliveryRuns.ts"

/** A span and what is left of its deliveries; null if it is not traced. */
export type TracedBatch = { readonly span: OpenSpan; left: number; readonly counts: Record<string, number> } | null

/** A delivery of a batch has ended, or waits for a later claim. */
export const endInBatch = (batch: TracedBatch, outcome: BroadcastOutcome): void => {
  if (batch === null) return
  const name = `belltower.subscribers.${outcome._tag.toLowerCase()}`
  batch.counts[name] = (batch.counts[name] ?? 0) + 1
  if (--batch.left === 0) batch.span.end({ attributes: batch.counts })
}

/** While tracing is off, all deliveries are one group without a span. */
export const makeTraceBroadcasts = Effect.map(
  Tracing,
  (tracing) => (deliveries: ReadonlyArray<HeldBroadcast>): ReadonlyArray<Claimed<HeldBroadcast, TracedBatch>> => {
    if (tracing === null || deliveries.length === 0) return [{ deliveries, group: null }]
    return Object.values(Array.groupBy(deliveries, ({ eventId, pageId }) => `${eventId} ${pageId}`)).map((batch) => {
      const [{ contents: { traceparent }, eventId, pageId, workspaceId }] = batch
      const span = traceparent === undefined ? null : tracing.begin("notify subscribers", {
        kind: "producer",
        parent: traceparent,
        attributes: {
          "belltower.event.id": eventId,
          "belltower.page.id": pageId,
          "belltower.workspace.id": workspaceId,
          "belltower.subscribers": batch.length
        }
      })
      return { deliveries: batch, group: span === null ? null : { span, left: batch.length, counts: {} } }
    })
  }
)
