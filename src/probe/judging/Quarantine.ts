/** Remembers which parts of a monitor's expectations take too long, so they do not cost thread time on every check. */
import type { Assignment } from "../../../schema/check/Bus.ts"
import type { Part } from "./JudgeJob.ts"

/** How long a part is skipped, ms. An edited monitor gets a new assignment, which starts without quarantine. */
export const quarantineMs = 600_000

export interface Quarantine {
  readonly add: (assignment: Assignment, part: Part) => void
  readonly has: (assignment: Assignment, part: Part) => boolean
}

/** `now` in ms since 1970. */
export const makeQuarantine = (now: () => number): Quarantine => {
  const until = new WeakMap<Assignment, Map<Part, number>>()
  return {
    add: (assignment, part) => {
      const parts = until.get(assignment) ?? new Map<Part, number>()
      until.set(assignment, parts.set(part, now() + quarantineMs))
    },
    has: (assignment, part) => (until.get(assignment)?.get(part) ?? Number.NEGATIVE_INFINITY) > now()
  }
}
