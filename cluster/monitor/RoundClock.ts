/** Finds the monitor actors of this runner whose open round has passed its deadline. */
import { Clock, Effect } from "effect"
import type { Machine } from "../../schema/monitor/Machine.ts"
import { nextDeadline } from "../../src/domain/monitor/MonitorMachine.ts"
import { RegionHealth } from "../../src/services/check/RegionHealth.ts"

export class RoundClock extends Effect.Service<RoundClock>()("belltower/RoundClock", {
  effect: Effect.map(RegionHealth, (regions) => {
    const deadlines = new Map<string, number>()
    const armed = Effect.unsafeMakeLatch(false)
    let changes = regions.changes()
    return {
      /** Sets, moves or (null) clears the one deadline of an actor, ms since 1970. */
      arm: (entityId: string, deadline: number | null): void => {
        if (deadline === null) deadlines.delete(entityId)
        else {
          deadlines.set(entityId, deadline)
          armed.unsafeOpen()
        }
      },
      /** Waits while no deadline is set. */
      armed: armed.await,
      /** Removes and returns the actors whose deadline has passed; all of them when the set of missing regions has changed. */
      due: Effect.map(Clock.currentTimeMillis, (now): ReadonlyArray<string> => {
        const changed = regions.changes() !== changes
        changes = regions.changes()
        const due: Array<string> = []
        for (const [id, deadline] of deadlines) if (changed || deadline <= now) due.push(id)
        for (const id of due) deadlines.delete(id)
        if (deadlines.size === 0) armed.unsafeClose()
        return due
      })
    }
  })
}) {}

/** Returns the function that sets an actor's deadline to the time when one of its open rounds must be closed. */
export const makeArmRound = Effect.gen(function*() {
  const regions = yield* RegionHealth
  const rounds = yield* RoundClock
  return (entityId: string, machine: Machine, now: number): void =>
    rounds.arm(entityId, nextDeadline(machine, regions.attention, now))
})
