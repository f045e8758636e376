/** Detects stalls from a heartbeat on the event loop: the machine stood still, or the worker blocked its own loop. */
import { performance } from "node:perf_hooks"
import { type Stall, stallOf, type Usage } from "../domain/check/probe/Stall.ts"

const ownUsage = (): Usage => {
  const { system, user } = process.cpuUsage()
  return { cpuMs: (system + user) / 1000, activeMs: performance.eventLoopUtilization().active }
}

export const makeStallMeter = (start: number, usage: () => Usage = ownUsage) => {
  let last = start
  let before = usage()
  let standstillUntil = Number.NEGATIVE_INFINITY
  return {
    /** Records a heartbeat at `now` (ms since 1970). Returns the gap since the last one, and the kind of stall if it is one. */
    beat: (now: number): { readonly kind: Stall; readonly gapMs: number } => {
      const after = usage()
      const gapMs = now - last
      const kind = stallOf(gapMs, before, after)
      if (kind === "standstill") standstillUntil = now
      last = now
      before = after
      return { kind, gapMs }
    },
    /** Begins after a pause in which there was nothing to beat for. */
    begin: (now: number): void => {
      last = now
      before = usage()
    },
    stoodStill: (since: number): boolean => standstillUntil > since
  }
}
export type StallMeter = ReturnType<typeof makeStallMeter>
