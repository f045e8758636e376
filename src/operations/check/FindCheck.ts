/** Finds one check with its evidence. */
import { Clock, Effect, Schedule } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { CheckId, WorkspaceId } from "../../../schema/Ids.ts"
import { idTime } from "../../domain/tools/Id.ts"
import { counted } from "../../domain/tools/text/Counted.ts"
import { Checks } from "../../store/check/Checks.ts"
import { type Retention, RetentionSettings } from "../../store/check/Retention.ts"

/** The row of a check younger than this may not be written yet: the longest timeout plus a margin, ms. */
const writeDelayMs = 150_000

const retries = Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(20))

const noCheck = (id: CheckId, { checksDays }: Retention) =>
  new NotFound({
    message: `No check ${id} in this workspace`,
    hint: `Raw checks are kept for ${counted(checksDays, "day")}`
  })

export class FindCheck extends Effect.Service<FindCheck>()("belltower/FindCheck", {
  effect: Effect.gen(function*() {
    const checks = yield* Checks
    const retention = yield* RetentionSettings

    /** Fails with `not_found`. Looks for a new check for one second, because its event can arrive before its row is written. */
    const get = Effect.fn("FindCheck.get")(function*(workspaceId: WorkspaceId, id: CheckId) {
      const startedAt = idTime(id)
      const isNew = startedAt !== null && Math.abs((yield* Clock.currentTimeMillis) - startedAt) < writeDelayMs
      const found = Effect.flatten(checks.find(workspaceId, id))
      return yield* Effect.mapError(isNew ? Effect.retry(found, retries) : found, () => noCheck(id, retention))
    })

    return { get }
  })
}) {}
