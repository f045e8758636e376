/** The verdicts on the ends of scripts, for the kinds that run them. */
import type { Assignment } from "../../schema/check/Bus.ts"
import type { Cause } from "../../schema/check/Check.ts"
import { failing, slowProblem, type Verdict, verdictOf } from "../domain/check/answer/Verdict.ts"
import type { ScriptEnd } from "./script/ScriptRun.ts"

const causes = {
  assertion: "assertion",
  error: "script_error",
  limit: "script_limit",
  timeout: "timeout",
  crashed: "script_limit"
} satisfies Record<Exclude<ScriptEnd["end"], "passed">, Cause>

export const judgeScript = (degradedAfterMs: number | null, { end, message, totalMs }: ScriptEnd): Verdict =>
  end === "passed"
    ? verdictOf([slowProblem(degradedAfterMs, totalMs, "the script to end")])
    : failing(causes[end], message ?? "The script failed")

/** The part of its monitor that a script may know. No secrets: the monitor has none. */
export const envOf = (
  { intervalSec, monitorId, timeoutMs }: Pick<Assignment, "intervalSec" | "monitorId" | "timeoutMs">
): string => JSON.stringify({ monitorId, intervalSec, timeoutMs })
