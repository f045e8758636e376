/** Takes check results off the bus: passes each to its monitor's actor, then has the rows written in bulk. */
import { Clock, Effect, Layer, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { Bus, Unhandled } from "../../src/bus/Bus.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import { ResultOffsets } from "../../src/store/check/ResultOffsets.ts"
import { makeHeldShards } from "../HeldShards.ts"
import { withEmptyContext } from "../MinimalContext.ts"
import { CheckWriter } from "./CheckWriter.ts"
import { makeCloseDueRounds } from "./CloseDueRounds.ts"
import { LiveChecks } from "./LiveChecks.ts"
import { makeObserveBatch } from "./ObserveBatch.ts"
import { RegionHealth } from "./RegionHealth.ts"
import { makeRegionIsolation } from "./RegionIsolation.ts"

/** This process as a reader of results. An id of its own per start: what it read before it ended is not its own any more. */
const makeReader = Effect.map(ResultOffsets, (offsets) => {
  const reader = randomUUID()
  return {
    claim: (topic: string, partitions: ReadonlyArray<number>) => offsets.claim(reader, topic, partitions),
    keep: (topic: string, next: ReadonlyMap<number, string>) => offsets.keep(reader, topic, next)
  }
})

export const CheckConsumer = Layer.scopedDiscard(Effect.gen(function*() {
  const bus = yield* Bus
  const writer = yield* CheckWriter
  const live = yield* LiveChecks
  const health = yield* RegionHealth
  const heldShards = yield* makeHeldShards
  const scope = yield* Effect.scope
  const isolation = yield* makeRegionIsolation
  const observeBatch = yield* makeObserveBatch(heldShards, (result) => result.trusted && !isolation.isIsolated(result.region))
  const closeDueRounds = yield* makeCloseDueRounds(heldShards)

  /** Returns an effect that completes when the rows of the batch are stored, and fails if it must be delivered again. */
  const record = Effect.fnUntraced(function*(batch: ReadonlyArray<CheckResult>, now: number) {
    batch.forEach(isolation.note)
    const { counted, isComplete, moved, snapshots } = yield* observeBatch(batch, now)
    yield* live.relay(counted)
    const written = yield* writer.add(counted, snapshots, moved())
    return isComplete() ? written : Effect.zipRight(written, new Unhandled())
  })

  const handle = Effect.fnUntraced(function*(batch: ReadonlyArray<CheckResult>) {
    const now = yield* Clock.currentTimeMillis
    const endBatch = health.beginBatch(batch, now)
    const ended = Effect.map(Clock.currentTimeMillis, endBatch)
    const written = yield* Effect.onError(record(batch, now), () => ended)
    // The bus may stop waiting for the write when the partition moves, so the end of the batch needs a fiber of its own.
    return yield* Effect.as(Effect.forkIn(Effect.ensuring(written, ended), scope), written)
  })

  const keepJudging = Effect.repeat(retryForever("Judging the regions", isolation.judge), Schedule.spaced("5 seconds"))
  yield* Effect.forkScoped(restartForever("Judging the regions", keepJudging))
  const keepClosing = Effect.forever(Effect.delay(closeDueRounds, "500 millis"))
  yield* Effect.forkScoped(restartForever("Closing rounds that are due", keepClosing))
  const shards = { held: heldShards.all, ...(yield* makeReader) }
  yield* bus.results((batch) => withEmptyContext(handle(batch)), shards)
}))
