/**
 * Watches whether the actors of this runner answer. A runner that refreshes its shard locks but cannot serve its actors would
 * keep its monitors undecided for ever; it gives up instead, so that other runners take its shards over.
 */
import { Context, Data, Deferred, Duration, Effect, Layer } from "effect"
import { MonitorId, WorkspaceId } from "../schema/Ids.ts"
import { type Attempt, makeRunnerPatience } from "../src/domain/RunnerPatience.ts"
import { shardCount, shardOf } from "../src/domain/Shard.ts"
import { restartForever } from "../src/loops/RestartForever.ts"
import { Database } from "../src/store/postgres/Database.ts"
import { makeHeldShards } from "./HeldShards.ts"
import { withEmptyContext } from "./MinimalContext.ts"
import { entityId, MonitorEntity } from "./monitor/MonitorProtocol.ts"

/** The runner's actors hang although the database answers. */
export class ActorsHang extends Data.TaggedError("ActorsHang")<{ readonly seconds: number }> {
  override get message() {
    return `The actors of this runner have not answered for ${this.seconds} s although the database does. ` +
      "The runner stops, so that other runners take over its shards; start it again."
  }
}

/** How often an actor is asked, how long it may take, and after how many hung asks in a row the runner gives up. */
export interface Pace {
  /** The pause after an answer, and after an ask that hung. */
  readonly every: Duration.DurationInput
  readonly again: Duration.DurationInput
  readonly timeout: Duration.DurationInput
  readonly most: number
}
const usualPace: Pace = { every: "5 seconds", again: "2 seconds", timeout: "4 seconds", most: 4 }

/** The id of a monitor that does not exist, for each shard: its actor loads its row as any other, and changes nothing. */
const makeProbeIds = (): ReadonlyArray<string> => {
  const ids = new Map<number, string>()
  for (let n = 0; ids.size < shardCount; n++) {
    const id = entityId(WorkspaceId.make("ws_watchdog"), MonitorId.make(`mon_watchdog${n}`))
    if (!ids.has(shardOf(id))) ids.set(shardOf(id), id)
  }
  return Array.from({ length: shardCount }, (_, shard) => ids.get(shard) ?? "")
}

export class RunnerWatchdog extends Context.Tag("belltower/RunnerWatchdog")<RunnerWatchdog, {
  /** Never completes while the actors answer. */
  readonly gaveUp: Effect.Effect<never, ActorsHang>
}>() {
  static readonly layer = (pace: Pace = usualPace) =>
    Layer.scoped(
      RunnerWatchdog,
      Effect.gen(function*() {
        const { ping } = yield* Database
        const shards = yield* makeHeldShards
        const monitor = yield* MonitorEntity.client
        const gaveUp = yield* Deferred.make<never, ActorsHang>()
        const mustGiveUp = makeRunnerPatience(pace.most)
        const ids = makeProbeIds()
        let turn = 0

        /** Asks an actor of one of this runner's shards, a different one each time; null while it holds none. */
        const ask = Effect.suspend(() => {
          const held = [...shards.all()]
          const id = ids[held[turn++ % Math.max(1, held.length)] ?? -1]
          return id === undefined ? Effect.succeed(null) : Effect.as(monitor(id).CloseDue(), id)
        })
        const attempt: Effect.Effect<Attempt> = withEmptyContext(ask).pipe(
          Effect.disconnect,
          Effect.timeout(pace.timeout),
          Effect.as<Attempt>("answered"),
          // A defect is an answer: the actor works.
          Effect.catchAllDefect(() => Effect.succeed<Attempt>("answered")),
          Effect.catchAll(() => Effect.map(Effect.isSuccess(ping), (isWell): Attempt => isWell ? "hung" : "database away"))
        )
        const seconds = Math.round(pace.most * (Duration.toSeconds(pace.again) + Duration.toSeconds(pace.timeout)))
        const loop = Effect.flatMap(attempt, (seen) => {
          if (mustGiveUp(seen)) Deferred.unsafeDone(gaveUp, Effect.fail(new ActorsHang({ seconds })))
          return Effect.sleep(seen === "answered" ? pace.every : pace.again)
        }).pipe(Effect.forever, Effect.delay(pace.every))
        yield* Effect.forkScoped(restartForever("Watching the actors of this runner", loop))
        return { gaveUp: Deferred.await(gaveUp) }
      })
    )
}
