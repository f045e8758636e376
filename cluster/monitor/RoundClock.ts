/** Finds the monitor actors of this runner whose open round has passed its deadline. */
import { Clock, Context, Effect, Layer } from "effect"
import type { Machine } from "../../schema/monitor/Machine.ts"
import { nextDeadline } from "../../src/domain/monitor/MonitorMachine.ts"
import { RegionHealth } from "../../src/services/check/RegionHealth.ts"

export class RoundClock extends Context.Tag("belltower/RoundClock")<RoundClock, {
  /** Sets, moves or (null) clears the one deadline of an actor, ms since 1970. */
  readonly arm: (entityId: string, deadline: number | null) => void
  /** Waits while no deadline is set. */
  readonly armed: Effect.Effect<void>
  /** Removes and returns the actors whose deadline has passed; all of them when the set of missing regions has changed. */
  readonly due: Effect.Effect<ReadonlyArray<string>>
}>() {
  static readonly layer: Layer.Layer<RoundClock, never, RegionHealth> = Layer.effect(
    RoundClock,
    Effect.map(RegionHealth, (regions) => {
      const deadlines = new Map<string, number>()
      const armed = Effect.unsafeMakeLatch(false)
      let changes = regions.changes()
      return {
        arm: (entityId, deadline) => {
          if (deadline === null) deadlines.delete(entityId)
          else {
            deadlines.set(entityId, deadline)
            armed.unsafeOpen()
          }
        },
        armed: armed.await,
        due: Effect.map(Clock.currentTimeMillis, (now) => {
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
  )
}

/** Returns the function that sets an actor's deadline to the time when one of its open rounds must be closed. */
export const makeArmRound = Effect.gen(function*() {
  const regions = yield* RegionHealth
  const rounds = yield* RoundClock
  return (entityId: string, machine: Machine, now: number): void =>
    rounds.arm(entityId, nextDeadline(machine, regions.attention, now))
})
