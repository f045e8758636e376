/** About how much memory a check result takes while it waits. */
import type { CheckResult } from "../../../../schema/check/Bus.ts"

/** A result without texts: its object, ids and numbers. */
const bareBytes = 600

/** Bytes. Only the few results with evidence are measured; the texts of the others are short. */
export const resultBytes = ({ error, evidence }: CheckResult): number =>
  bareBytes + 2 * (error?.length ?? 0) + (evidence === null ? 0 : 2 * JSON.stringify(evidence).length)
