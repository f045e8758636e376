/** The bus inside one process: nothing is serialised, nothing survives the process. */
import { Clock, Duration, Effect, Exit, Layer, PubSub, Queue, Stream } from "effect"
import { Counter } from "prom-client"
import type { Assignment, AssignmentChange, Beat, CheckResult } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import type { MonitorId } from "../../schema/Ids.ts"
import { restartForever } from "../loops/RestartForever.ts"
import { retryForever } from "../loops/RetryForever.ts"
import { Bus, NoProbe, openBatches, ShareSignal } from "./Bus.ts"
import { seenFrom } from "./RegionView.ts"
import { makeResultBuffer } from "./ResultBuffer.ts"

/** About 20 s at the highest rate of one process, or ten minutes of 10,000 monitors; about 100 MB without evidence. */
const waitingResults = 100_000
const batchSize = 500
/** How long results gather: a batch of one costs its consumer about as much as a batch of ten. */
const gather = Duration.millis(50)
const waitingBeats = 1_000
const dropLogEvery = Duration.toMillis("1 minute")
const partition = 0

const dropped = new Counter({
  name: "belltower_bus_dropped_results_total",
  help: "Results that the in-process bus dropped because they were not consumed in time"
})

/** Counts dropped results and logs their sum at most once a minute. */
const makeDropNotice = () => {
  let unlogged = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  return Effect.fn("LocalBus.noticeDrops")(function*(count: number) {
    if (count === 0) return
    dropped.inc(count)
    unlogged += count
    const now = yield* Clock.currentTimeMillis
    if (now - loggedAt < dropLogEvery) return
    yield* Effect.logError(`Dropped the ${unlogged} oldest check results: they arrive faster than they are recorded`)
    loggedAt = now
    unlogged = 0
  })
}

/** Gives each region's monitors to its first subscriber; the next one takes over when that one leaves. */
const makeShares = () => {
  const latest = new Map<MonitorId, Assignment>()
  const shares = new Map<RegionId, Array<Queue.Enqueue<ShareSignal>>>()

  const replay = (region: RegionId): ReadonlyArray<ShareSignal> => [
    ShareSignal.Owned({ partitions: new Set([partition]) }),
    ...Array.from(
      latest,
      ([monitorId, assignment]) => ShareSignal.Changed({ partition, change: seenFrom(region, { monitorId, assignment }) })
    )
  ]

  const send = (change: AssignmentChange) =>
    Effect.forEach(
      shares,
      ([region, [owner]]) =>
        owner === undefined ? Effect.void : owner.offer(ShareSignal.Changed({ partition, change: seenFrom(region, change) }))
    )

  const assign = (changes: ReadonlyArray<AssignmentChange>) =>
    Effect.forEach(changes, (change) => {
      if (change.assignment === null) latest.delete(change.monitorId)
      else latest.set(change.monitorId, change.assignment)
      return send(change)
    }, { discard: true }).pipe(Effect.withSpan("LocalBus.assign"))

  const join = (region: RegionId) =>
    Effect.gen(function*() {
      const queue = yield* Queue.unbounded<ShareSignal>()
      const others = shares.get(region) ?? []
      shares.set(region, [...others, queue])
      if (others.length === 0) yield* queue.offerAll(replay(region))
      else yield* queue.offer(ShareSignal.Owned({ partitions: new Set() }))
      return queue
    })

  const leave = (region: RegionId, queue: Queue.Queue<ShareSignal>) =>
    Effect.gen(function*() {
      const before = shares.get(region) ?? []
      const rest = before.filter((other) => other !== queue)
      shares.set(region, rest)
      const successor = rest[0]
      if (before[0] === queue && successor !== undefined) yield* successor.offerAll(replay(region))
      yield* queue.shutdown
    })

  const share = (region: RegionId) =>
    Stream.unwrapScoped(
      Effect.acquireRelease(join(region), (queue) => leave(region, queue)).pipe(
        Effect.map((queue) => Stream.fromQueue(queue))
      )
    )
  return { assign, share }
}

/** Results wait in a buffer until they are taken; a batch that was not recorded goes back. */
const makeResults = () => {
  const waiting = makeResultBuffer(waitingResults)
  const noticeDrops = makeDropNotice()

  // No span: this runs once per check.
  const report: Bus["Type"]["report"] = (reported) =>
    Effect.suspend(() => {
      const drops = waiting.offer(reported)
      return drops === 0 ? Effect.void : noticeDrops(drops)
    })

  const results: Bus["Type"]["results"] = (handle) =>
    Effect.gen(function*() {
      const room = yield* Effect.makeSemaphore(openBatches)
      const scope = yield* Effect.scope
      const gathered = Effect.flatMap(waiting.filled, () => waiting.size() < batchSize ? Effect.sleep(gather) : Effect.void)
      const step = Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          yield* restore(room.take(1))
          const batch = yield* restore(Effect.zipRight(gathered, waiting.take(batchSize))).pipe(
            Effect.onInterrupt(() => room.release(1))
          )
          const handled = yield* Effect.exit(restore(retryForever("Recording check results", handle(batch))))
          if (Exit.isSuccess(handled)) {
            yield* restore(handled.value).pipe(
              Effect.onInterrupt(() => noticeDrops(waiting.giveBack(batch))),
              Effect.tapDefect((cause) => Effect.logError(`${batch.length} check results were not recorded`, cause)),
              Effect.ensuring(room.release(1)),
              Effect.forkIn(scope)
            )
            return
          }
          yield* room.release(1)
          yield* noticeDrops(waiting.giveBack(batch))
          return yield* handled
        })
      )
      yield* Effect.forkScoped(restartForever("Taking in check results", Effect.forever(step)))
    })

  return { report, results }
}

/** Checks on demand go to the first worker of a region. */
const makeDemand = () => {
  const checkers = new Map<RegionId, Array<(assignment: Assignment) => Effect.Effect<CheckResult>>>()

  const ask: Bus["Type"]["ask"] = Effect.fn("LocalBus.ask")(function*(request) {
    const check = checkers.get(request.region)?.[0]
    const now = yield* Clock.currentTimeMillis
    const noProbe = () => new NoProbe({ region: request.region })
    if (check === undefined) return yield* noProbe()
    return yield* check(request.assignment).pipe(
      Effect.timeoutFail({ duration: Math.max(0, request.expiresAt - now), onTimeout: noProbe })
    )
  })

  const answer: Bus["Type"]["answer"] = Effect.fn("LocalBus.answer")(function*(region, check) {
    yield* Effect.acquireRelease(
      Effect.sync(() => checkers.set(region, [...(checkers.get(region) ?? []), check])),
      () => Effect.sync(() => checkers.set(region, (checkers.get(region) ?? []).filter((other) => other !== check)))
    )
  })

  return { ask, answer }
}

const make = Effect.gen(function*() {
  const beats = yield* PubSub.sliding<Beat>(waitingBeats)
  return Bus.of({
    ...makeShares(),
    ...makeResults(),
    ...makeDemand(),
    beat: Effect.fn("LocalBus.beat")((beat: Beat) => Effect.asVoid(PubSub.publish(beats, beat))),
    beats: Stream.fromPubSub(beats),
    ping: Effect.void
  })
})

/** Keeps everything in memory; up to 100,000 results wait for their consumer, then the oldest are dropped. */
export const LocalBus: { readonly layer: Layer.Layer<Bus> } = { layer: Layer.effect(Bus, make) }
