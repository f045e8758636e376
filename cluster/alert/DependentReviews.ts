/** Reviews held alerts of monitors that depend on others: they are sent once no parent is in trouble. */
import { type DateTime, Effect } from "effect"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { pagesAt, reviewAlert } from "../../src/domain/alert/DependentAlerts.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { DependentTroubles } from "../../src/store/alert/DependentTroubles.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { makeUnlockedWorkspaces } from "./UnlockedWorkspaces.ts"

/** Looks at up to 100 alerts of one workspace that are due, in the caller's transaction; `of` names the workspace, none of `except`. */
export const makeReviewSome = Effect.gen(function*() {
  const troubles = yield* DependentTroubles
  const alarms = yield* Alarms

  return Effect.fnUntraced(
    function*(now: DateTime.Utc, except: ReadonlyArray<WorkspaceId>, of: (workspaceId: WorkspaceId) => void) {
      const due = yield* troubles.takeDue(now, except)
      const [first] = due
      if (first === undefined) return false
      const { workspaceId } = first
      of(workspaceId)
      const reviewed = due.map((alert) => ({ ...alert, ...reviewAlert(alert, now) }))
      yield* troubles.lookAgain(workspaceId, reviewed)
      const released = reviewed.filter((alert) => alert.released)
      if (released.length === 0) return true
      yield* troubles.release(workspaceId, released.map(({ eventId }) => eventId))
      for (const { incidentId } of released) {
        if (incidentId !== null) yield* alarms.arm("incident", workspaceId, incidentId, pagesAt(now))
      }
      return true
    }
  )
})

export const makeReviewDependents = Effect.gen(function*() {
  const unlocked = yield* makeUnlockedWorkspaces
  const troubles = yield* DependentTroubles
  const clock = yield* DatabaseClock
  const reviewSome = yield* makeReviewSome

  return {
    next: troubles.nextReviewAt,
    work: unlocked((except, of) => Effect.flatMap(clock.now, (now) => reviewSome(now, except, of)))
  }
})
