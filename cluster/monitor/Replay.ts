/** Publishing assignments once more: those that were published before. */
import type { RegionId } from "../../schema/check/Region.ts"

/** By region, the number of partitions of its assignments. */
export type PartitionCounts = ReadonlyMap<RegionId, number>

/** A round through all assignments, or through those that name one of these regions. It empties the partitions of former counts. */
export interface Replay {
  readonly regions: ReadonlyArray<RegionId> | null
  readonly formerly: PartitionCounts
}
