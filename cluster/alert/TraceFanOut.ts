/** The spans of events while they become deliveries, which carry them on. */
import { Effect, Exit } from "effect"
import type { WorkspaceEvent } from "../../schema/event/Event.ts"
import { type OpenSpan, Tracing, type TracingService } from "../../src/telemetry/Tracing.ts"

const begin = (tracing: TracingService, event: WorkspaceEvent): OpenSpan | null => {
  const { id, traceparent = null, type, workspaceId } = event
  return tracing.begin("fan out event", {
    kind: "consumer",
    parent: traceparent,
    attributes: { "belltower.event.id": id, "belltower.event.type": type, "belltower.workspace.id": workspaceId }
  })
}

/**
 * An event without a trace, such as a reminder, may begin one. `work` gets each traced event with the traceparent of its new span; the
 * spans end with `work`.
 */
export const makeTraceFanOut = Effect.map(
  Tracing,
  (tracing) =>
  <A, E, R>(
    events: ReadonlyArray<WorkspaceEvent>,
    work: (events: ReadonlyArray<WorkspaceEvent>) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    tracing === null ? work(events) : Effect.suspend(() => {
      const spans = events.map((event) => begin(tracing, event))
      const own = events.map((event, index) => {
        const span = spans[index]
        return span === undefined || span === null ? event : { ...event, traceparent: span.traceparent }
      })
      return Effect.onExit(work(own), (exit) =>
        Effect.sync(() => {
          for (const span of spans) span?.end({ error: Exit.isSuccess(exit) ? undefined : "failed" })
        }))
    })
)
