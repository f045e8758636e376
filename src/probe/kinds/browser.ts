/** The browser check: runs the monitor's JavaScript, which drives a page of a real browser, and reports how it ended. */
import type { BrowserEnd } from "../browser/BrowserRun.ts"
import { tlsOf } from "../http/HttpPlan.ts"
import { exitOf, type Probe } from "../Probe.ts"
import { bareEvidence } from "../ProbeResult.ts"
import { envOf, scriptResult } from "../ScriptCheck.ts"

const evidenceOf = ({ browser, evidence }: BrowserEnd) =>
  bareEvidence("BROWSE", browser.url ?? "browser:", { script: evidence, browser })

export const checkBrowser: Probe<"browser"> = (assignment, { browsers, guard: { permits } }, done) => {
  const { target: { code, degradedAfterMs, viewport }, timeoutMs, workspaceId } = assignment
  return browsers.run(
    workspaceId,
    { code, env: envOf(assignment), timeoutMs, viewport, workspaceId, tls: tlsOf(assignment), permits },
    (ended) => done(exitOf(ended, (end) => scriptResult(degradedAfterMs, end, () => evidenceOf(end))))
  )
}
