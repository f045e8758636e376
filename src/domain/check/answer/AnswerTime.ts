/** The longest time for the answer to a check on demand. */
import type { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"
import { codeKinds } from "../../monitor/kinds.ts"

/** Time for the request and the result to cross the bus, ms. */
const transitMs = 5000

/** A kind that runs code gets a process of its own, and few run at a time: the check may wait behind scheduled ones, ms. */
const processWaitMs = 30_000

/** ms; longer than the check's own timeout. */
export const answerTime = (kind: MonitorKind, timeoutMs: number): number =>
  timeoutMs + transitMs + (codeKinds.includes(kind) ? processWaitMs : 0)
