/** Finds one check with its evidence. */
import { Clock, Effect, Schedule } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { CheckId, WorkspaceId } from "../../../schema/Ids.ts"
import { idTime } from "../../domain/Id.ts"
import { Checks } from "../../store/check/Checks.ts"

/** The row of a check this young may not be written yet: the longest timeout and a margin, ms. */
const justNow = 150_000

const retries = Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(20))

const noCheck = (id: CheckId) =>
  new NotFound({ message: `No check ${id} in this workspace`, hint: "Raw checks are kept for 30 days" })

export class FindCheck extends Effect.Service<FindCheck>()("belltower/FindCheck", {
  effect: Effect.gen(function*() {
    const checks = yield* Checks

    /**
     * Fails with `not_found`. The event that names a check can arrive before its row is written, so the search for a new
     * check is repeated for a second.
     */
    const get = Effect.fn("FindCheck.get")(function*(workspaceId: WorkspaceId, id: CheckId) {
      const made = idTime(id)
      const isNew = made !== null && Math.abs((yield* Clock.currentTimeMillis) - made) < justNow
      const found = Effect.flatten(checks.find(workspaceId, id))
      return yield* Effect.mapError(isNew ? Effect.retry(found, retries) : found, () => noCheck(id))
    })

    return { get }
  })
}) {}
