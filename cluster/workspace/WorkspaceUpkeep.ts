/** Deletes workspaces that nobody claimed within 7 days, on one runner at a time. (Specification: Limits.) */
import { Singleton } from "@effect/cluster"
import { Effect, Schedule } from "effect"
import { unending } from "../../src/loops/Unending.ts"
import { WorkspaceRemoval } from "../../src/store/workspace/WorkspaceRemoval.ts"

const batch = 100

export const WorkspaceUpkeep = Singleton.make(
  "WorkspaceUpkeep",
  Effect.gen(function*() {
    const removal = yield* WorkspaceRemoval

    /** One that cannot be deleted holds up no other. */
    const sweep = Effect.gen(function*() {
      const ids = yield* removal.overdue(batch)
      const gone = yield* Effect.forEach(ids, (id) =>
        removal.removeUnclaimed(id).pipe(
          Effect.tap((deleted) => deleted ? Effect.logInfo(`Deleted workspace ${id}, which nobody claimed`) : Effect.void),
          Effect.catchAllCause((cause) => Effect.as(Effect.logWarning(`Workspace ${id} could not be deleted`, cause), false))
        ))
      return ids.length === batch && gone.some((deleted) => deleted)
    })

    const upkeep = sweep.pipe(
      Effect.repeat({ while: (more) => more }),
      Effect.catchAllCause((cause) => Effect.logWarning("Unclaimed workspaces could not be deleted; trying again", cause)),
      Effect.repeat(Schedule.spaced("10 minutes"))
    )
    return yield* unending("The upkeep of workspaces", upkeep)
  })
)
