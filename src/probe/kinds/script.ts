/** The script check: runs the monitor's JavaScript in a sandbox and reports how it ended. */
import { withTls } from "../HttpPlan.ts"
import { exitOf, type Probe } from "../Probe.ts"
import { bareEvidence } from "../ProbeResult.ts"
import { envOf, scriptResult } from "../ScriptCheck.ts"

export const checkScript: Probe<"script"> = (assignment, { guard, key, scripts }, done) => {
  const { target: { code, degradedAfterMs }, timeoutMs, workspaceId } = assignment
  return withTls(assignment, key, done, (tls) =>
    scripts.run(
      workspaceId,
      { code, env: envOf(assignment), timeoutMs, guard, tls },
      (ended) =>
        done(
          exitOf(
            ended,
            (end) => scriptResult(degradedAfterMs, end, () => bareEvidence("RUN", "script:", { script: end.evidence }))
          )
        )
    ))
}
