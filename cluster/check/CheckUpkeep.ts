/** Keeps the partitions of checks and their history ready, drops expired ones, and forgets the quotas of past days. */
import { Effect } from "effect"
import { CheckPartitions } from "../../src/store/check/CheckPartitions.ts"
import { EvidenceUsage } from "../../src/store/check/EvidenceUsage.ts"
import { singletonEvery } from "../SingletonEvery.ts"

export const CheckUpkeep = singletonEvery(
  "CheckUpkeep",
  "10 minutes",
  Effect.zipWith(CheckPartitions, EvidenceUsage, (partitions, usage) => Effect.zipRight(partitions.maintain(), usage.sweep))
)
