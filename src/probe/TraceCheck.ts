/** The span of a check, which begins the trace of all that follows from its result. */
import type { Assignment } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import type { TracingService } from "../telemetry/Tracing.ts"
import type { ProbeResult } from "./ProbeResult.ts"

interface Checked {
  readonly assignment: Assignment
  readonly region: RegionId
  /** When it began, ms since 1970. */
  readonly at: number
  readonly seen: ProbeResult
}

/** A check without an answer has no latency: then it took its time. */
const lastedMs = ({ assignment: { timeoutMs }, seen: { cause, latencyMs } }: Checked): number =>
  latencyMs ?? (cause?.endsWith("timeout") === true ? timeoutMs : 0)

/** The span that a result carries; nothing if it is not sampled. Names the target by the monitor's id alone. */
export const traceCheck = (tracing: TracingService, checked: Checked): { readonly traceparent?: string } => {
  const { assignment: { monitorId, target, workspaceId }, at, region, seen } = checked
  const span = tracing.begin(`check ${target.kind}`, {
    kind: "client",
    parent: null,
    at,
    attributes: {
      "belltower.monitor.id": monitorId,
      "belltower.workspace.id": workspaceId,
      "belltower.region": region,
      "belltower.check.outcome": seen.outcome,
      ...(seen.statusCode === null ? {} : { "http.response.status_code": seen.statusCode })
    }
  })
  if (span === null) return {}
  span.end({ at: at + lastedMs(checked), error: seen.outcome === "down" ? seen.cause ?? "down" : undefined })
  return { traceparent: span.traceparent }
}
