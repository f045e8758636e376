/** What a region sees of an assignment: one that leaves the region looks like one that is gone. */
import type { AssignmentChange } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"

export const seenFrom = (region: RegionId, change: AssignmentChange): AssignmentChange =>
  change.assignment === null || change.assignment.regions.includes(region) ? change : { ...change, assignment: null }
