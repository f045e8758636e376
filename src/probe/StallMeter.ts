/** A worker's heartbeat on its own event loop: tells when the machine stood still, and when the worker blocked itself. */
import { performance } from "node:perf_hooks"
import { stallOf } from "../domain/check/Stall.ts"
import type { Stall, Usage } from "../domain/check/Stall.ts"

export interface StallMeter {
  /** A heartbeat at `now` (ms since 1970): what kept it from coming earlier, if anything did. */
  readonly beat: (now: number) => { readonly kind: Stall; readonly gapMs: number }
  /** Whether the machine stood still at some time after `since`. */
  readonly stoodStill: (since: number) => boolean
}

/** The usage of this process. */
const ownUsage = (): Usage => {
  const { system, user } = process.cpuUsage()
  return { cpuMs: (system + user) / 1000, activeMs: performance.eventLoopUtilization().active }
}

export const makeStallMeter = (start: number, usage: () => Usage = ownUsage): StallMeter => {
  let last = start
  let before = usage()
  let standstillUntil = Number.NEGATIVE_INFINITY
  return {
    beat: (now) => {
      const after = usage()
      const gapMs = now - last
      const kind = stallOf(gapMs, before, after)
      if (kind === "standstill") standstillUntil = now
      last = now
      before = after
      return { kind, gapMs }
    },
    stoodStill: (since) => standstillUntil > since
  }
}
