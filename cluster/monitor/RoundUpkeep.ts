/** Finds rounds that nobody closes: their runner is gone, and the clock that would have closed them with it. */
import { Singleton } from "@effect/cluster"
import { Clock, Effect, Schedule } from "effect"
import { persevere } from "../../src/loops/Persevere.ts"
import { unending } from "../../src/loops/Unending.ts"
import { MonitorStates } from "../../src/store/monitor/MonitorStates.ts"
import { entityId, MonitorEntity } from "./MonitorProtocol.ts"

/** Whoever has a round in mind has decided it by then, ms after its deadline. */
const forgottenAfter = 90_000
/** As many are woken at once; a burst beyond that waits for the next minute. */
const most = 1000

/** Has the actors of forgotten rounds wake: they then have their clocks set again. */
export const wakeForgotten = Effect.gen(function*() {
  const states = yield* MonitorStates
  const monitor = yield* MonitorEntity.client
  const now = yield* Clock.currentTimeMillis
  const forgotten = yield* states.withRoundsOpenSince(now - forgottenAfter, most)
  yield* Effect.forEach(
    forgotten,
    (key) => Effect.ignoreLogged(Effect.timeout(monitor(entityId(key.workspaceId, key.monitorId)).Reload(), "10 seconds")),
    { concurrency: 8, discard: true }
  )
}).pipe(Effect.withSpan("RoundUpkeep.wakeForgotten"))

export const RoundUpkeep = Singleton.make(
  "RoundUpkeep",
  Effect.gen(function*() {
    const context = yield* Effect.context<Effect.Effect.Context<typeof wakeForgotten>>()
    const look = persevere("Looking for rounds that nobody closes", Effect.provide(wakeForgotten, context))
    return yield* unending("The upkeep of rounds", Effect.repeat(look, Schedule.spaced("1 minute")))
  })
)
