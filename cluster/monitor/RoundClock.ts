/** Wakes monitor actors of this runner when a round that misses a region is out of time. */
import { Clock, Context, Effect, Layer } from "effect"
import { RegionHealth } from "../check/RegionHealth.ts"

export class RoundClock extends Context.Tag("belltower/RoundClock")<RoundClock, {
  /** Sets or moves (null: stops) the one deadline of an actor, ms since 1970. */
  readonly arm: (entityId: string, deadline: number | null) => void
  /** Takes out the actors whose deadline has passed, and all when other regions are away than before. */
  readonly due: Effect.Effect<ReadonlyArray<string>>
}>() {
  static readonly layer: Layer.Layer<RoundClock, never, RegionHealth> = Layer.effect(
    RoundClock,
    Effect.map(RegionHealth, (regions) => {
      const deadlines = new Map<string, number>()
      let changes = regions.changes()
      return {
        arm: (entityId, deadline) => {
          if (deadline === null) deadlines.delete(entityId)
          else deadlines.set(entityId, deadline)
        },
        due: Effect.map(Clock.currentTimeMillis, (now) => {
          const changed = regions.changes() !== changes
          changes = regions.changes()
          const due = [...deadlines].filter(([, deadline]) => changed || deadline <= now).map(([id]) => id)
          for (const id of due) deadlines.delete(id)
          return due
        })
      }
    })
  )
}
