/** Keeps a partition of checks ready for each day and drops those past 30 days, on one runner at a time. */
import { Singleton } from "@effect/cluster"
import { Effect, Schedule } from "effect"
import { unending } from "../../src/loops/Unending.ts"
import { CheckPartitions } from "../../src/store/check/CheckPartitions.ts"

export const CheckUpkeep = Singleton.make(
  "CheckUpkeep",
  Effect.gen(function*() {
    const partitions = yield* CheckPartitions
    const upkeep = partitions.maintain().pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("The partitions of checks could not be kept; trying again", cause)),
      Effect.repeat(Schedule.spaced("1 hour"))
    )
    return yield* unending("The upkeep of checks", upkeep)
  })
)
