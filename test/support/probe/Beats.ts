/** Heartbeats of probe workers. */
import type { Beat } from "../../../schema/check/Bus.ts"

/** The beat of a worker that is well and has all programs, with other fields where they matter. */
export const makeBeat = (fields: Pick<Beat, "region"> & Partial<Beat>): Beat => ({
  workerId: "w1",
  at: 0,
  healthy: true,
  reason: null,
  monitors: 0,
  looks: 0,
  looksLate: 0,
  latenessP99Ms: 0,
  hasBrowser: true,
  hasPing: true,
  clockSkewMs: null,
  ...fields
})
