/** The script check: runs the monitor's JavaScript in a sandbox and reports how it ended. */
import { Effect, Either } from "effect"
import type { Cause } from "../../../schema/check/Check.ts"
import { failing, slowProblem, verdictOf } from "../../domain/check/Verdict.ts"
import type { Verdict } from "../../domain/check/Verdict.ts"
import { storable } from "../../domain/Storable.ts"
import { bareEvidence } from "../BareEvidence.ts"
import { Overloaded } from "../Overloaded.ts"
import type { AssignmentOf, Probe, ProbeResult } from "../ProbeResult.ts"
import type { ScriptEnd } from "../script/ScriptRun.ts"
import { tenths } from "../TimingsOf.ts"

const causes = {
  assertion: "assertion",
  error: "script_error",
  limit: "script_limit",
  timeout: "timeout",
  crashed: "script_limit"
} satisfies Record<Exclude<ScriptEnd["end"], "passed">, Cause>

const judge = (degradedAfterMs: number | null, { end, message, totalMs }: ScriptEnd): Verdict =>
  end === "passed"
    ? verdictOf([slowProblem(degradedAfterMs, totalMs, "the script to end")])
    : failing(causes[end], message ?? "The script failed")

const toProbeResult = ({ target }: AssignmentOf<"script">, ended: ScriptEnd): ProbeResult => {
  const { cause, error, outcome } = judge(target.degradedAfterMs, ended)
  const totalMs = tenths(ended.totalMs)
  return {
    outcome,
    cause,
    error: error === null ? null : storable(error),
    statusCode: null,
    latencyMs: ended.end === "passed" ? totalMs : null,
    timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs },
    evidence: Effect.sync(() => bareEvidence("RUN", "script:", { script: ended.evidence }))
  }
}

/** What a script may know of its monitor. No secrets: the monitor has none. */
const envOf = ({ intervalSec, monitorId, timeoutMs }: AssignmentOf<"script">): string =>
  JSON.stringify({ monitorId, intervalSec, timeoutMs })

export const lookScript: Probe<"script"> = (assignment, { scripts }, done) => {
  const { target, timeoutMs, workspaceId } = assignment
  const job = { code: target.code, env: envOf(assignment), timeoutMs }
  return scripts.run(
    workspaceId,
    job,
    (ended) => done(ended instanceof Overloaded ? Either.left(ended) : Either.try(() => toProbeResult(assignment, ended)))
  )
}
