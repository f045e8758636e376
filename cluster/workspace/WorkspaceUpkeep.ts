/** Deletes workspaces that nobody claimed in time, which is less without a monitor. (Specification: Limits, Other constants.) */
import { Effect } from "effect"
import { WorkspaceRemoval } from "../../src/store/workspace/WorkspaceRemoval.ts"
import { singletonEvery } from "../SingletonEvery.ts"

const batch = 100

export const WorkspaceUpkeep = singletonEvery(
  "WorkspaceUpkeep",
  "10 minutes",
  Effect.gen(function*() {
    const removal = yield* WorkspaceRemoval

    /** A workspace that cannot be deleted does not block the others. */
    const sweep = Effect.gen(function*() {
      const ids = yield* removal.overdue(batch)
      const gone = yield* Effect.forEach(ids, (id) =>
        removal.removeUnclaimed(id).pipe(
          Effect.tap((deleted) => deleted ? Effect.logInfo(`Deleted workspace ${id}, which nobody claimed`) : Effect.void),
          Effect.catchAllCause((cause) => Effect.as(Effect.logWarning(`Workspace ${id} could not be deleted`, cause), false))
        ))
      return ids.length === batch && gone.some((deleted) => deleted)
    })
    return Effect.repeat(sweep, { while: (more) => more })
  })
)
