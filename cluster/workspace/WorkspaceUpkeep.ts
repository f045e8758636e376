/**
 * Deletes for good the workspaces that nobody claimed in time, which is less without a monitor, and those that their owners deleted
 * and can no longer restore. (Specification: Limits, Other constants.)
 */
import { Effect } from "effect"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { WorkspaceRemoval } from "../../src/store/workspace/WorkspaceRemoval.ts"
import { singletonEvery } from "../SingletonEvery.ts"

const batch = 100

interface Kind {
  /** The end of the log line, after the id of the workspace. */
  readonly why: string
  readonly overdue: Effect.Effect<ReadonlyArray<WorkspaceId>>
  readonly remove: (id: WorkspaceId) => Effect.Effect<boolean>
}

/** A workspace that cannot be deleted does not block the others. */
const sweep = ({ overdue, remove, why }: Kind) =>
  Effect.gen(function*() {
    const ids = yield* overdue
    const gone = yield* Effect.forEach(ids, (id) =>
      remove(id).pipe(
        Effect.tap((deleted) => deleted ? Effect.logInfo(`Deleted workspace ${id}, ${why}`) : Effect.void),
        Effect.catchAllCause((cause) => Effect.as(Effect.logWarning(`Workspace ${id} could not be deleted`, cause), false))
      ))
    return ids.length === batch && gone.some((deleted) => deleted)
  }).pipe(Effect.repeat({ while: (more) => more }))

export const WorkspaceUpkeep = singletonEvery(
  "WorkspaceUpkeep",
  "10 minutes",
  Effect.gen(function*() {
    const removal = yield* WorkspaceRemoval
    const unclaimed = sweep({
      why: "which nobody claimed",
      overdue: removal.overdue(batch),
      remove: removal.removeUnclaimed
    })
    const deleted = sweep({
      why: "which its owner deleted 7 days ago",
      overdue: removal.deleted(batch),
      remove: removal.removeDeleted
    })
    return Effect.zipRight(unclaimed, deleted)
  })
)
