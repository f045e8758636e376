/** Takes check results off the bus: passes each to its monitor's actor, then has the rows written in bulk. */
import { Clock, DateTime, Effect, Fiber, Layer, Option } from "effect"
import { randomUUID } from "node:crypto"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { Bus } from "../../src/bus/Bus.ts"
import { observationOf } from "../../src/domain/check/history/CheckView.ts"
import { resultBytes } from "../../src/domain/check/history/ResultSize.ts"
import { resultRoom } from "../../src/domain/check/ResultRoom.ts"
import { repeatForever, restartForever } from "../../src/loops/RestartForever.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import { withEmptyContext } from "../../src/loops/WorkPriority.ts"
import { LiveChecks } from "../../src/services/check/LiveChecks.ts"
import { RegionHealth } from "../../src/services/check/RegionHealth.ts"
import { lastRestore } from "../../src/store/backup/Restores.ts"
import { ResultOffsets } from "../../src/store/check/ResultOffsets.ts"
import { makeHeldShards } from "../HeldShards.ts"
import { CheckWriter } from "./CheckWriter.ts"
import { makeCloseDueRounds } from "./CloseDueRounds.ts"
import { makeManifestQueue } from "./ManifestQueue.ts"
import { makeObserveBatch, type ResultSink, type ToStore } from "./ObserveBatch.ts"
import { makeRegionIsolation } from "./RegionIsolation.ts"

/** Bounds the results that a runner has taken in and not yet stored: those whose actors wait hold back all others only beyond this. */
export const makeOpenResults = (limits = resultRoom.open) => {
  const room = Effect.unsafeMakeLatch(true)
  let count = 0
  let bytes = 0

  const move = (results: ReadonlyArray<CheckResult>, sign: 1 | -1): void => {
    count += sign * results.length
    for (const result of results) bytes += sign * resultBytes(result)
    if (count >= limits.results || bytes >= limits.bytes) room.unsafeClose()
    else room.unsafeOpen()
  }

  return {
    /** Waits for room, then counts the results. */
    begin: (results: ReadonlyArray<CheckResult>) => Effect.map(room.await, () => move(results, 1)),
    /** Results that are stored, or left to another runner. */
    end: (results: ReadonlyArray<CheckResult>): void => move(results, -1),
    count: (): number => count
  }
}

/** This process as a reader of results, with an id of its own per start: results read before a restart are not its own. */
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
  // Results of a time that a restore lost were decided on before: to count them again would alert again on what is over.
  const countsFrom = Option.match(yield* lastRestore, {
    onNone: () => 0,
    onSome: ({ restoredAt }) => DateTime.toEpochMillis(restoredAt)
  })
  const observeBatch = yield* makeObserveBatch(
    heldShards,
    (result) => result.trusted && result.at >= countsFrom && !isolation.isIsolated(result.region)
  )
  const manifests = yield* makeManifestQueue
  const open = makeOpenResults()
  const closeDueRounds = yield* makeCloseDueRounds(heldShards)

  /** Hands results to the writer; the returned effect completes when their rows are stored. */
  const store = Effect.fnUntraced(function*({ counted, moved, snapshots }: ToStore) {
    yield* live.relay(
      counted,
      ({ result }) => result.workspaceId,
      ({ result }) => observationOf(result, result.trusted)
    )
    const written = yield* writer.add(counted, snapshots, moved)
    // Nothing waits for these: a component that somebody has locked delays no results.
    manifests.add(counted.flatMap((one) => one.counted ? [one.result] : []))
    // The bus may stop waiting for the write when a partition moves, so the end of the results needs a fiber of its own.
    const ended = Effect.ensuring(
      Effect.map(written, () => counted.forEach(({ result }) => isolation.stored(result))),
      Effect.sync(() => open.end(counted.map(({ result }) => result)))
    )
    return Effect.asVoid(Fiber.join(yield* Effect.forkIn(ended, scope)))
  })
  const sink: ResultSink = {
    store: (toStore) => retryForever("Recording check results", store(toStore)),
    leaveOut: (result) => open.end([result])
  }

  /** Returns once the batch is taken in: results that wait for actors hold back the next batch only when there are too many. */
  const handle = Effect.fnUntraced(function*(batch: ReadonlyArray<CheckResult>) {
    // A batch that waits for room waits for the database, which says nothing about a region that seems silent.
    const endBatch = health.beginBatch(batch, yield* Clock.currentTimeMillis)
    const ended = Effect.map(Clock.currentTimeMillis, endBatch)
    const taken = Effect.gen(function*() {
      yield* open.begin(batch)
      batch.forEach(isolation.note)
      return yield* observeBatch(batch, yield* Clock.currentTimeMillis, sink)
    })
    const takenIn = yield* Effect.onError(taken, () => ended)
    yield* Effect.forkIn(Effect.ensuring(takenIn.stored, ended), scope)
    return takenIn
  })

  yield* Effect.forkScoped(repeatForever("Judging the regions", "5 seconds", isolation.judge))
  const keepClosing = Effect.forever(Effect.zipRight(closeDueRounds.armed, Effect.delay(closeDueRounds.close, "500 millis")))
  yield* Effect.forkScoped(restartForever("Closing rounds that are due", keepClosing))
  const shards = { held: heldShards.all, ...(yield* makeReader) }
  yield* bus.results((batch) => withEmptyContext(handle(batch)), shards)
}))
