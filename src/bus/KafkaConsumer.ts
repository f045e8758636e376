/** A member of a Kafka consumer group that is made anew whenever it ends, for as long as its fiber runs. */
import { Cause, Deferred, Duration, Effect, Exit, FiberSet, Option, Schedule } from "effect"
import { type Consumer, type EachBatchPayload, KafkaJSError } from "kafkajs"
import { makeOutage, reasonOf } from "../loops/Outage.ts"
import { BusUnavailable } from "./Bus.ts"
import { disconnect, type KafkaClient } from "./KafkaClient.ts"

/** Without a sign of life for so long, the others take a member's partitions. */
const sessionTimeout = Duration.toMillis("10 seconds")
const heartbeatInterval = Duration.toMillis("2.5 seconds")
/** How long the group waits for a member to finish its batch and come back when partitions move. */
const rebalanceTimeout = Duration.toMillis("15 seconds")
/** Work under way may go on for so long once partitions move. */
const grace = Duration.seconds(3)
/** An idle fetch returns after so long, so that closing and heartbeats need not wait. */
const maxWaitTimeInMs = 500
/** A member that neither fetches nor beats for so long has ended without saying so. */
const silence = Duration.seconds(30)
/** A commit for each batch would cost more than the batch; what a crash leaves uncommitted comes twice. */
const commitEvery = Duration.millis(250)

/** For about four seconds: a coordinator that is new, or loads what it was, is no outage. */
const toleratedFailures = 3

const backoff = Schedule.exponential("250 millis").pipe(
  Schedule.union(Schedule.spaced("5 seconds")),
  Schedule.jittered,
  Schedule.resetAfter("1 minute")
)

const unavailable = (cause: unknown) => new BusUnavailable({ cause })

/** A batch of one partition. */
export interface Delivery extends EachBatchPayload {
  /** Everything up to this offset has been handled; the group hears of it within `commitEvery`. */
  readonly done: (offset: string) => void
}

export interface Subscription {
  readonly groupId: string
  readonly topic: string
  /** Where a group without committed offsets begins. */
  readonly from: "beginning" | "end"
  /** Partitions handled at the same time. */
  readonly concurrency: number
  /** Called after each join of the group, before anything is fetched. */
  readonly joined?: (partitions: ReadonlyArray<number>, consumer: Consumer) => void
  /** Open while messages that are sent now would be read. */
  readonly reading?: Effect.Latch
  /** What it does not resolve comes again. */
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
    // A consumer that kafkajs gives up is made anew here: one way back, for every failure.
    retry: { initialRetryTime: 200, maxRetryTime: 2_000, retries: 4, restartOnFailure: () => Promise.resolve(false) }
  })

/** What kafkajs must see of a handler's end: its own errors as they are, so that it tells a rebalance from a failure. */
const settle = (exit: Exit.Exit<void, BusUnavailable>): Promise<void> => {
  if (Exit.isSuccess(exit)) return Promise.resolve()
  const error = Option.getOrUndefined(Cause.failureOption(exit.cause))?.cause
  return Promise.reject(error instanceof KafkaJSError ? error : new KafkaJSError("The batch was not finished"))
}

/** Fails when nothing has counted a sign of life for too long. */
const watch = (signs: () => number): Effect.Effect<never, BusUnavailable> =>
  Effect.suspend(() => {
    const before = signs()
    return Effect.sleep(silence).pipe(
      Effect.andThen(Effect.suspend(() => (signs() === before ? unavailable("It went silent") : Effect.void)))
    )
  }).pipe(Effect.forever)

/** Gathers what has been handled and tells the group of all its partitions at once. */
const makeCommits = (consumer: Consumer, topic: string) => {
  const handled = new Map<number, string>()
  const flush = Effect.suspend(() => {
    const offsets = Array.from(handled, ([partition, offset]) => ({ topic, partition, offset: String(BigInt(offset) + 1n) }))
    handled.clear()
    // Refused where partitions are moving: then their next owner begins a little earlier.
    return offsets.length === 0 ? Effect.void : Effect.ignore(Effect.tryPromise(() => consumer.commitOffsets(offsets)))
  })
  const done = (delivery: EachBatchPayload) => (offset: string) => void handled.set(delivery.batch.partition, offset)
  return { flush, done, forget: () => handled.clear() }
}

/** One life of the member: fails when it has ended, or when it can no longer be trusted. */
const live = Effect.fn("KafkaConsumer.live")(function*(
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
  // Closes before the disconnect: a handler that is still at work must not hold it up.
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
    // kafkajs may join again from within the fetch of one broker while batches of another are under way; those would
    // then move the offsets of the new assignment past what has not been read. Such a member is not to be trusted.
    if (!announced && nodes.size > 1) return end("It joined again in the middle of a fetch")
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

/** Reads for as long as its fiber runs; leaves the group at once when it is interrupted. */
export const consume = (client: KafkaClient, subscription: Subscription): Effect.Effect<never> =>
  Effect.suspend(() => {
    const outage = makeOutage(`Kafka consumer ${subscription.groupId}`, toleratedFailures)
    return live(client, subscription, outage.worked).pipe(
      Effect.sandbox,
      Effect.tapError((cause) => outage.failed(reasonOf(Cause.squash(cause)))),
      Effect.retry(backoff),
      Effect.orDie
    )
  })

/** Runs `work` while the member goes on beating; when its partitions move, `work` may go on for a moment. */
export const whileBeating = <A>(delivery: EachBatchPayload, work: Effect.Effect<A>): Effect.Effect<A, BusUnavailable> => {
  const beat = Effect.tryPromise({ try: () => delivery.heartbeat(), catch: unavailable })
  const beats = beat.pipe(Effect.delay("1 second"), Effect.forever, Effect.tapError(() => Effect.sleep(grace)))
  return Effect.raceFirst(work, beats)
}

/** Marks everything up to `offset` of the delivery's partition as done, here and in the group. */
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
