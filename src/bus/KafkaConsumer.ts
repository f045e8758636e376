/** A member of a Kafka consumer group that is replaced whenever it ends, for as long as its fiber runs. */
import { Cause, Deferred, Duration, Effect, Exit, FiberSet, Option, Schedule } from "effect"
import { type Consumer, type EachBatchPayload, KafkaJSError } from "kafkajs"
import { makeOutage, reasonOf } from "../loops/Outage.ts"
import { BusUnavailable } from "./Bus.ts"
import { disconnect, type KafkaClient } from "./KafkaClient.ts"

/** A member without a heartbeat for this long loses its partitions. */
const sessionTimeout = Duration.toMillis("10 seconds")
const heartbeatInterval = Duration.toMillis("2.5 seconds")
/** How long the group waits for a member to finish its batch and come back when partitions move. */
const rebalanceTimeout = Duration.toMillis("15 seconds")
/** How long work in progress may continue once partitions move. */
const grace = Duration.seconds(3)
/** An idle fetch returns after this, so that closing and heartbeats need not wait. */
const maxWaitTimeInMs = 500
/** A member that neither fetches nor beats for this long has ended silently. */
const silence = Duration.seconds(30)
/** Committing each batch would cost more than the batch; uncommitted batches are delivered again after a crash. */
const commitEvery = Duration.millis(250)

/** About four seconds: a coordinator that is new or loads its state is not an outage. */
const toleratedFailures = 3

const backoff = Schedule.exponential("250 millis").pipe(
  Schedule.union(Schedule.spaced("5 seconds")),
  Schedule.jittered,
  Schedule.resetAfter("1 minute")
)

const unavailable = (cause: unknown) => new BusUnavailable({ cause })

/** A batch of one partition. */
export interface Delivery extends EachBatchPayload {
  /** Marks everything up to this offset as handled; it is committed within `commitEvery`. */
  readonly done: (offset: string) => void
}

export interface Subscription {
  readonly groupId: string
  readonly topic: string
  /** Where a group without committed offsets starts. */
  readonly from: "beginning" | "end"
  /** Partitions handled at the same time. */
  readonly concurrency: number
  /** Called after each join of the group, before anything is fetched. */
  readonly joined?: (partitions: ReadonlyArray<number>, consumer: Consumer) => void
  /** Open while messages sent now will be read. */
  readonly reading?: Effect.Latch
  /** Messages that it does not resolve are delivered again. */
  readonly handle: (delivery: Delivery) => Effect.Effect<void, BusUnavailable>
}

const makeConsumer = ({ kafka }: KafkaClient, groupId: string): Consumer =>
  kafka.consumer({
    groupId,
    sessionTimeout,
    heartbeatInterval,
    rebalanceTimeout,
    maxWaitTimeInMs,
    allowAutoTopicCreation: false,
    // This module replaces a consumer that kafkajs gives up on: one recovery path for every failure.
    retry: { initialRetryTime: 200, maxRetryTime: 2_000, retries: 4, restartOnFailure: () => Promise.resolve(false) }
  })

/** Translates a handler's exit for kafkajs, which needs its own errors unchanged to tell a rebalance from a failure. */
const settle = (exit: Exit.Exit<void, BusUnavailable>): Promise<void> => {
  if (Exit.isSuccess(exit)) return Promise.resolve()
  const error = Option.getOrUndefined(Cause.failureOption(exit.cause))?.cause
  return Promise.reject(error instanceof KafkaJSError ? error : new KafkaJSError("The batch was not finished"))
}

/** Fails when no sign of life was counted for `silence`. */
const watch = (signs: () => number): Effect.Effect<never, BusUnavailable> =>
  Effect.suspend(() => {
    const before = signs()
    return Effect.sleep(silence).pipe(
      Effect.andThen(Effect.suspend(() => (signs() === before ? unavailable("It sent no heartbeat for 30 s") : Effect.void)))
    )
  }).pipe(Effect.forever)

/** Gathers handled offsets and commits those of all partitions together. */
const makeCommits = (consumer: Consumer, topic: string) => {
  const handled = new Map<number, string>()
  const flush = Effect.suspend(() => {
    const offsets = Array.from(handled, ([partition, offset]) => ({ topic, partition, offset: String(BigInt(offset) + 1n) }))
    handled.clear()
    // Rejected while partitions move: their next owner then starts a little earlier.
    return offsets.length === 0 ? Effect.void : Effect.ignore(Effect.tryPromise(() => consumer.commitOffsets(offsets)))
  })
  const done = (delivery: EachBatchPayload) => (offset: string) => void handled.set(delivery.batch.partition, offset)
  return { flush, done, forget: () => handled.clear() }
}

/** Runs one member; fails when it has ended or can no longer be trusted. */
const runMember = Effect.fn("KafkaConsumer.runMember")(function*(
  client: KafkaClient,
  { concurrency, from, groupId, handle, joined, reading, topic }: Subscription,
  onJoin: Effect.Effect<void>
) {
  const consumer = makeConsumer(client, groupId)
  const ended = yield* Deferred.make<never, BusUnavailable>()
  const end = (cause: unknown) => Deferred.unsafeDone(ended, unavailable(cause))
  let started: Promise<unknown> = Promise.resolve()
  yield* Effect.addFinalizer(() => Effect.suspend(() => disconnect(consumer, started)))
  const commits = makeCommits(consumer, topic)
  yield* Effect.addFinalizer(() => commits.flush.pipe(Effect.interruptible, Effect.timeoutOption("500 millis")))
  // Closes before the disconnect, which must not wait for a handler that still runs.
  const run = yield* FiberSet.makeRuntimePromise<never, Exit.Exit<void, BusUnavailable> | void, never>()
  yield* Effect.addFinalizer(() => Effect.sync(() => reading?.unsafeClose()))

  let signs = 0
  let announced = true
  const nodes = new Set<number>()
  const { CRASH, FETCH, FETCH_START, GROUP_JOIN, HEARTBEAT, REBALANCING } = consumer.events
  consumer.on(CRASH, ({ payload }) => end(payload.error))
  consumer.on(HEARTBEAT, () => void signs++)
  consumer.on(REBALANCING, () => void (announced = true))
  consumer.on(FETCH_START, ({ payload }) => {
    signs++
    nodes.add(payload.nodeId)
  })
  consumer.on(FETCH, () => reading?.unsafeOpen())
  consumer.on(GROUP_JOIN, ({ payload }) => {
    signs++
    // kafkajs may rejoin during a fetch from one broker while batches of another are in progress. Those would move the
    // offsets of the new assignment past unread messages, so such a member is replaced.
    if (!announced && nodes.size > 1) return end("It rejoined in the middle of a fetch")
    announced = false
    reading?.unsafeClose()
    commits.forget()
    joined?.(payload.memberAssignment[topic] ?? [], consumer)
    run(onJoin).catch(() => undefined)
  })

  const interrupted = Exit.interrupt(yield* Effect.fiberId)
  const eachBatch = (delivery: EachBatchPayload): Promise<void> =>
    run(Effect.exit(handle({ ...delivery, done: commits.done(delivery) })))
      .then((exit) => settle(exit ?? Exit.void), () => settle(interrupted))
  const running = { autoCommit: false, eachBatchAutoResolve: false, partitionsConsumedConcurrently: concurrency, eachBatch }
  started = consumer.connect()
    .then(() => consumer.subscribe({ topic, fromBeginning: from === "beginning" }))
    .then(() => consumer.run(running))
    .catch(end)
  yield* commits.flush.pipe(Effect.delay(commitEvery), Effect.forever, Effect.forkScoped)
  return yield* Effect.raceFirst(Deferred.await(ended), watch(() => signs))
}, Effect.scoped)

/** Reads for as long as its fiber runs; leaves the group when interrupted. */
export const consume = (client: KafkaClient, subscription: Subscription): Effect.Effect<never> =>
  Effect.suspend(() => {
    const outage = makeOutage(`Kafka consumer ${subscription.groupId}`, toleratedFailures)
    return runMember(client, subscription, outage.worked).pipe(
      Effect.sandbox,
      Effect.tapError((cause) => outage.failed(reasonOf(Cause.squash(cause)))),
      Effect.retry(backoff),
      Effect.orDie
    )
  })

/** Tells the group that the member lives, if that is due. */
export const beat = (delivery: EachBatchPayload): Effect.Effect<void, BusUnavailable> =>
  Effect.tryPromise({ try: () => delivery.heartbeat(), catch: unavailable })

/** Runs `work` while the member keeps beating; when its partitions move, `work` may continue for `grace`. */
export const whileBeating = <A>(delivery: EachBatchPayload, work: Effect.Effect<A>): Effect.Effect<A, BusUnavailable> => {
  const beats = beat(delivery).pipe(Effect.delay("1 second"), Effect.forever, Effect.tapError(() => Effect.sleep(grace)))
  return Effect.raceFirst(work, beats)
}

/** Commits everything up to `offset` of the delivery's partition. */
export const commit = (delivery: EachBatchPayload, offset: string): Effect.Effect<void, BusUnavailable> =>
  Effect.tryPromise({
    try: () => {
      const { partition, topic } = delivery.batch
      delivery.resolveOffset(offset)
      const next = String(BigInt(offset) + 1n)
      return delivery.commitOffsetsIfNecessary({ topics: [{ topic, partitions: [{ partition, offset: next }] }] })
    },
    catch: unavailable
  })
