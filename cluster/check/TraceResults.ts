/** The spans of results from the time that a runner takes them in until their actors have judged them. */
import { Effect } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { type OpenSpan, Tracing } from "../../src/telemetry/Tracing.ts"

export interface TraceResults {
  readonly begin: (result: CheckResult) => void
  /** The span of its result, which an actor gets. */
  readonly spanOf: (result: CheckResult) => { readonly traceparent?: string }
  readonly end: (result: CheckResult, error?: string) => void
}

/** Null while tracing is off. Only results whose check is traced have a span. */
export const makeTraceResults = Effect.map(Tracing, (tracing): TraceResults | null => {
  if (tracing === null) return null
  // Results that are dropped take their spans with them.
  const open = new WeakMap<CheckResult, OpenSpan>()
  return {
    begin: (result) => {
      if (result.traceparent === undefined) return
      const span = tracing.begin("result", {
        kind: "consumer",
        parent: result.traceparent,
        attributes: {
          "belltower.monitor.id": result.monitorId,
          "belltower.workspace.id": result.workspaceId,
          "belltower.region": result.region,
          "belltower.check.outcome": result.outcome
        }
      })
      if (span !== null) open.set(result, span)
    },
    spanOf: (result) => {
      const span = open.get(result)
      return span === undefined ? {} : { traceparent: span.traceparent }
    },
    end: (result, error) => {
      open.get(result)?.end({ error })
      open.delete(result)
    }
  }
})
