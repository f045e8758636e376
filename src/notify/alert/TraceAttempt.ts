/** The spans of attempts, below the fan-out of their event. Only deliveries whose event is traced have them. */
import { Effect } from "effect"
import type { DeliveryVerdict } from "../../domain/alert/DeliveryVerdict.ts"
import type { HeldDelivery } from "../../store/alert/DeliveryClaim.ts"
import { type SpanEnd, Tracing, withinTrace } from "../../telemetry/Tracing.ts"

/** The states are those that the delivery's record shows; what a receiver wrote stays out. */
const endOf = ({ verdict }: { readonly verdict: DeliveryVerdict }): SpanEnd => ({
  attributes: {
    "belltower.delivery.verdict": verdict._tag.toLowerCase(),
    ...(verdict.statusCode === null ? {} : { "http.response.status_code": verdict.statusCode })
  },
  error: verdict._tag === "Again" || verdict._tag === "Dead" ? "not_delivered" : undefined
})

export const makeTraceAttempt = Effect.map(
  Tracing,
  (tracing) =>
  <A extends { readonly verdict: DeliveryVerdict }, R>(
    delivery: HeldDelivery,
    attempt: Effect.Effect<A, never, R>
  ): Effect.Effect<A, never, R> => {
    const { attempts, channelId, eventId, id, traceparent, type, workspaceId } = delivery
    if (tracing === null || traceparent === undefined || traceparent === null) return attempt
    return Effect.suspend(() => {
      const span = tracing.begin(`deliver ${type}`, {
        kind: "client",
        parent: traceparent,
        attributes: {
          "belltower.delivery.id": id,
          "belltower.delivery.attempt": attempts + 1,
          "belltower.event.id": eventId,
          "belltower.channel.id": channelId,
          "belltower.workspace.id": workspaceId
        }
      })
      if (span === null) return attempt
      return withinTrace(span.traceparent, attempt).pipe(
        Effect.tap((ended) => Effect.sync(() => span.end(endOf(ended)))),
        Effect.onError(() => Effect.sync(() => span.end({ error: "interrupted" })))
      )
    })
  }
)
