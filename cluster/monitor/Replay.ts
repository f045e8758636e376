/** Publishing assignments once more: those that were published before. */
import type { RegionId } from "../../schema/check/Region.ts"
import type { PartitionCounts } from "../../src/bus/Bus.ts"

/** A round through all assignments, or through those that name one of these regions. It empties the partitions of former counts. */
export interface Replay {
  readonly regions: ReadonlyArray<RegionId> | null
  readonly formerly: PartitionCounts
}
