/** Looks again at the alerts of monitors that depend on others: what waits for a parent is sent once no parent is in trouble. */
import { Effect } from "effect"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { DependentTroubles } from "../../src/store/alert/DependentTroubles.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { makeUnlockedWorkspaces } from "./UnlockedWorkspaces.ts"

export const makeReviewDependents = Effect.gen(function*() {
  const unlocked = yield* makeUnlockedWorkspaces
  const troubles = yield* DependentTroubles
  const clock = yield* DatabaseClock

  /** Up to 100 alerts of one workspace, in one transaction. */
  const some = Effect.fnUntraced(function*(except: ReadonlyArray<WorkspaceId>, of: (workspaceId: WorkspaceId) => void) {
    const now = yield* clock.now
    const due = yield* troubles.takeDue(now, except)
    const [first] = due
    if (first === undefined) return false
    of(first.workspaceId)
    yield* troubles.review(first.workspaceId, due, now)
    return true
  })
  return { next: troubles.nextReviewAt, work: unlocked(some) }
})
