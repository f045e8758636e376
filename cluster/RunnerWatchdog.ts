/** Stops a runner whose actors hang, or that holds no shard although it should, so that other runners take over. */
import { RunnerStorage, ShardingConfig } from "@effect/cluster"
import { Context, Deferred, Duration, Effect, Layer, Option } from "effect"
import { MonitorId, WorkspaceId } from "../schema/Ids.ts"
import { type Attempt, makeRunnerPatience, type MostInARow } from "../src/domain/health/RunnerPatience.ts"
import { shardCount, shardOf } from "../src/domain/tools/Shard.ts"
import { restartForever } from "../src/loops/RestartForever.ts"
import { sharingWakes } from "../src/loops/SharedWakes.ts"
import { withEmptyContext } from "../src/loops/WorkPriority.ts"
import { Database } from "../src/store/postgres/connections/Database.ts"
import { makeHeldShards } from "./HeldShards.ts"
import { entityId, MonitorEntity } from "./monitor/MonitorProtocol.ts"
import { RunnerStuck } from "./RunnerStuck.ts"

/** How often an actor is asked, how long it may take, and after how many failures in a row the runner gives up. */
export interface Pace {
  /** The pause after an attempt, and after an ask that hung. */
  readonly every: Duration.DurationInput
  readonly again: Duration.DurationInput
  readonly timeout: Duration.DurationInput
  readonly most: MostInARow
}
/**
 * A runner may be without shards for this time, or for three lock expiries if that is longer: the locks of a killed runner must expire,
 * and others release theirs.
 */
const shortestIdle = Duration.seconds(30)
const usualPace = (lockExpiry: Duration.Duration): Pace => ({
  every: "5 seconds",
  again: "2 seconds",
  timeout: "4 seconds",
  most: { hung: 4, idle: Math.ceil(Duration.toSeconds(Duration.max(shortestIdle, Duration.times(lockExpiry, 3))) / 5) }
})

const secondsOf = ({ again, every, most, timeout }: Pace, why: keyof MostInARow): number =>
  Math.round(
    most[why] * (why === "idle" ? Duration.toSeconds(every) : Duration.toSeconds(again) + Duration.toSeconds(timeout))
  )

/** The id of a monitor that does not exist, for each shard: its actor loads its row as any other, and changes nothing. */
const makeProbeIds = (): ReadonlyArray<string> => {
  const ids = new Map<number, string>()
  for (let n = 0; ids.size < shardCount; n++) {
    const id = entityId(WorkspaceId.make("ws_watchdog"), MonitorId.make(`mon_watchdog${n}`))
    if (!ids.has(shardOf(id))) ids.set(shardOf(id), id)
  }
  return Array.from({ length: shardCount }, (_, shard) => ids.get(shard) ?? "")
}

/** A healthy runner should hold shards. One that others cannot reach gets none; starting it again would not help. */
const makeShouldHold = Effect.gen(function*() {
  const storage = yield* RunnerStorage.RunnerStorage
  const { runnerAddress } = yield* ShardingConfig.ShardingConfig
  return Effect.map(storage.getRunners, (all) => {
    const healthy = all.filter(([, isHealthy]) => isHealthy)
    const isHealthy = healthy.some(([{ address }]) =>
      Option.exists(runnerAddress, (own) => own.toString() === address.toString())
    )
    return isHealthy && healthy.length <= shardCount
  })
})

export class RunnerWatchdog extends Context.Tag("belltower/RunnerWatchdog")<RunnerWatchdog, {
  /** Never completes while the runner serves its actors. */
  readonly gaveUp: Effect.Effect<never, RunnerStuck>
}>() {
  static readonly layer = (chosen?: Pace) =>
    Layer.scoped(
      RunnerWatchdog,
      Effect.gen(function*() {
        const { ping } = yield* Database
        const { shardLockExpiration } = yield* ShardingConfig.ShardingConfig
        const pace = chosen ?? usualPace(Duration.decode(shardLockExpiration))
        const shards = yield* makeHeldShards
        const shouldHold = yield* makeShouldHold
        const monitor = yield* MonitorEntity.client
        const gaveUp = yield* Deferred.make<never, RunnerStuck>()
        const mustGiveUp = makeRunnerPatience(pace.most)
        const ids = makeProbeIds()
        let turn = 0

        /** Asks an actor of one of this runner's shards, a different one each time. */
        const ask = Effect.suspend((): Effect.Effect<Attempt, unknown> => {
          const held = [...shards.all()]
          const id = ids[held[turn++ % Math.max(1, held.length)] ?? -1]
          return id === undefined
            ? Effect.map(shouldHold, (should) => should ? "idle" : "answered")
            : Effect.as(monitor(id).CloseDue(), "answered" as const)
        })
        const attempt: Effect.Effect<Attempt> = ask.pipe(
          Effect.disconnect,
          Effect.timeout(pace.timeout),
          // A defect is an answer: the actor works.
          Effect.catchAllDefect(() => Effect.succeed<Attempt>("answered")),
          Effect.catchAll(() => Effect.map(Effect.isSuccess(ping), (isWell): Attempt => isWell ? "hung" : "database away")),
          withEmptyContext
        )
        const loop = Effect.flatMap(attempt, (seen) => {
          const why = mustGiveUp(seen)
          if (why !== null) {
            Deferred.unsafeDone(gaveUp, Effect.fail(new RunnerStuck({ why, seconds: secondsOf(pace, why) })))
          }
          return Effect.sleep(seen === "hung" || seen === "database away" ? pace.again : pace.every)
        }).pipe(Effect.forever, Effect.delay(pace.every))
        yield* Effect.forkScoped(sharingWakes(restartForever("Watching the actors of this runner", loop)))
        return { gaveUp: Deferred.await(gaveUp) }
      })
    )
}
