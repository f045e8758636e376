/** The browser check: runs the monitor's JavaScript, which drives a page of a real browser, and reports how it ended. */
import { Effect, Either } from "effect"
import { storable } from "../../domain/tools/Storable.ts"
import { bareEvidence } from "../BareEvidence.ts"
import type { BrowserEnd } from "../browser/BrowserRun.ts"
import { Overloaded } from "../Overloaded.ts"
import type { AssignmentOf, Probe, ProbeResult } from "../ProbeResult.ts"
import { envOf, judgeScript } from "../ScriptCheck.ts"
import { tenths } from "../TimingsOf.ts"

const toProbeResult = ({ target }: AssignmentOf<"browser">, ended: BrowserEnd): ProbeResult => {
  const { cause, error, outcome } = judgeScript(target.degradedAfterMs, ended)
  const totalMs = tenths(ended.totalMs)
  const { browser, evidence } = ended
  return {
    outcome,
    cause,
    error: error === null ? null : storable(error),
    statusCode: null,
    latencyMs: ended.end === "passed" ? totalMs : null,
    timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs },
    evidence: Effect.sync(() => bareEvidence("BROWSE", browser.url ?? "browser:", { script: evidence, browser }))
  }
}

export const checkBrowser: Probe<"browser"> = (assignment, { browsers }, done) => {
  const { target, timeoutMs, workspaceId } = assignment
  const job = { code: target.code, env: envOf(assignment), timeoutMs, viewport: target.viewport, workspaceId }
  return browsers.run(
    workspaceId,
    job,
    (ended) => done(ended instanceof Overloaded ? Either.left(ended) : Either.try(() => toProbeResult(assignment, ended)))
  )
}
