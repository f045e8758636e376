/** The results that are passed on without waiting for others. */
import type { CheckResult } from "../../../schema/check/Bus.ts"

/** Whether a result may change a monitor's state, or a component's. */
export const isUrgent = ({ attempt, evidence, manifest, outcome }: CheckResult): boolean =>
  outcome !== "up" || evidence !== null || attempt !== undefined || manifest !== undefined
