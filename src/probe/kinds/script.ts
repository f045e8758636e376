/** The script check: runs the monitor's JavaScript in a sandbox and reports how it ended. */
import { tlsOf } from "../http/HttpPlan.ts"
import { exitOf, type Probe } from "../Probe.ts"
import { bareEvidence } from "../ProbeResult.ts"
import { envOf, scriptResult } from "../ScriptCheck.ts"

export const checkScript: Probe<"script"> = (assignment, { guard, scripts }, done) => {
  const { target: { code, degradedAfterMs }, timeoutMs, workspaceId } = assignment
  return scripts.run(
    workspaceId,
    { code, env: envOf(assignment), timeoutMs, guard, tls: tlsOf(assignment) },
    (ended) =>
      done(
        exitOf(
          ended,
          (end) => scriptResult(degradedAfterMs, end, () => bareEvidence("RUN", "script:", { script: end.evidence }))
        )
      )
  )
}
