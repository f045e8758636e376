/** Keeps a partition of checks ready for each day and drops those older than 30 days. */
import { Effect } from "effect"
import { CheckPartitions } from "../../src/store/check/CheckPartitions.ts"
import { singletonEvery } from "../SingletonEvery.ts"

export const CheckUpkeep = singletonEvery(
  "CheckUpkeep",
  "1 hour",
  Effect.map(CheckPartitions, (partitions) => partitions.maintain())
)
