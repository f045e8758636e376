/** Keeps a partition of checks ready for each day, drops those older than 30 days, and forgets the quotas of past days. */
import { Effect } from "effect"
import { CheckPartitions } from "../../src/store/check/CheckPartitions.ts"
import { EvidenceUsage } from "../../src/store/check/EvidenceUsage.ts"
import { singletonEvery } from "../SingletonEvery.ts"

export const CheckUpkeep = singletonEvery(
  "CheckUpkeep",
  "1 hour",
  Effect.zipWith(CheckPartitions, EvidenceUsage, (partitions, usage) => Effect.zipRight(partitions.maintain(), usage.sweep))
)
