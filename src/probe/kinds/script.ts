/** The script check: runs the monitor's JavaScript in a sandbox and reports how it ended. */
import { Effect, Either } from "effect"
import { storable } from "../../domain/tools/Storable.ts"
import { bareEvidence } from "../BareEvidence.ts"
import { Overloaded } from "../Overloaded.ts"
import type { AssignmentOf, Probe, ProbeResult } from "../ProbeResult.ts"
import type { ScriptEnd } from "../script/ScriptRun.ts"
import { envOf, judgeScript } from "../ScriptCheck.ts"
import { tenths } from "../TimingsOf.ts"

const toProbeResult = ({ target }: AssignmentOf<"script">, ended: ScriptEnd): ProbeResult => {
  const { cause, error, outcome } = judgeScript(target.degradedAfterMs, ended)
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

export const checkScript: Probe<"script"> = (assignment, { guard, scripts }, done) => {
  const { target, timeoutMs, workspaceId } = assignment
  const job = { code: target.code, env: envOf(assignment), timeoutMs, guard }
  return scripts.run(
    workspaceId,
    job,
    (ended) => done(ended instanceof Overloaded ? Either.left(ended) : Either.try(() => toProbeResult(assignment, ended)))
  )
}
