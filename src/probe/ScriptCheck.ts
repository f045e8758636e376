/** The results of scripts that ended, for the kinds that run them. */
import type { Assignment } from "../../schema/check/Bus.ts"
import type { Cause, Evidence, ScriptRequest } from "../../schema/check/Check.ts"
import { type CheckVerdict, failing, slowProblem, verdictOf } from "../domain/check/answer/CheckVerdict.ts"
import { type ProbeResult, resultOf } from "./ProbeResult.ts"
import type { ScriptEnd } from "./script/ScriptRun.ts"

const causes = {
  assertion: "assertion",
  error: "script_error",
  limit: "script_limit",
  timeout: "timeout",
  crashed: "script_limit"
} satisfies Record<Exclude<ScriptEnd["end"], "passed">, Cause>

/** Chromium's errors of a certificate or a handshake. */
const refusedByBrowser = /net::ERR_(?:CERT|SSL|BAD_SSL)_/

/** A script that ends with the failure of a request has its cause. */
const causeOf = (end: keyof typeof causes, message: string, requests: ReadonlyArray<ScriptRequest>): Cause => {
  if (end !== "error" && end !== "assertion") return causes[end]
  if (refusedByBrowser.test(message)) return "tls_error"
  const failed = requests.find(({ error }) => error !== null && message.includes(error))
  return failed?.cause ?? causes[end]
}

const judge = (degradedAfterMs: number | null, { end, evidence, message, totalMs }: ScriptEnd): CheckVerdict =>
  end === "passed"
    ? verdictOf([slowProblem(degradedAfterMs, totalMs, "the script to end")])
    : failing(causeOf(end, message ?? "", evidence.requests), message ?? "The script failed")

export const scriptResult = (degradedAfterMs: number | null, ended: ScriptEnd, evidence: () => Evidence): ProbeResult =>
  resultOf(judge(degradedAfterMs, ended), {
    latencyMs: ended.end === "passed" ? ended.totalMs : null,
    timed: { totalMs: ended.totalMs },
    evidence
  })

/** The part of its monitor that a script may know. No secrets: the monitor has none. */
export const envOf = (
  { intervalSec, monitorId, timeoutMs }: Pick<Assignment, "intervalSec" | "monitorId" | "timeoutMs">
): string => JSON.stringify({ monitorId, intervalSec, timeoutMs })
