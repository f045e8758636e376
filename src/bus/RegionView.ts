/** An assignment as a region sees it: one that leaves the region looks deleted. */
import type { AssignmentChange } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"

export const seenFrom = (region: RegionId, change: AssignmentChange): AssignmentChange =>
  change.assignment === null || change.assignment.regions.includes(region) ? change : { ...change, assignment: null }
