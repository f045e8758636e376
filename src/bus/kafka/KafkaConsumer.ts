/** A member of a Kafka consumer group that is replaced whenever it ends, for as long as its fiber runs. */
import { Cause, Deferred, Duration, Effect, Exit, FiberSet, Option } from "effect"
import { type Consumer, type EachBatchPayload, KafkaJSError } from "kafkajs"
import { type BusUnavailable, busUnavailable } from "../Bus.ts"
import { callKafka, disconnect, type KafkaClient } from "./KafkaClient.ts"
import { keepReading, metadataMaxAgeMs, promptly } from "./KafkaSession.ts"

/** A member without a heartbeat for this long loses its partitions. */
const sessionTimeout = Duration.toMillis("10 seconds")
const heartbeatInterval = Duration.toMillis("2.5 seconds")
/** How long the group waits for a member to finish its batch and come back when partitions move. */
const rebalanceTimeout = Duration.toMillis("15 seconds")
/** How long work in progress may continue once partitions move. */
const grace = Duration.seconds(3)
/** A member that neither fetches nor beats for this long has ended silently. */
const silence = Duration.seconds(30)

export interface Subscription {
  readonly groupId: string
  readonly topic: string
  /** Called after each join of the group, before anything is fetched. */
  readonly joined?: (partitions: ReadonlyArray<number>, consumer: Consumer) => void
  /** Messages that it does not resolve are delivered again. */
  readonly handle: (delivery: EachBatchPayload) => Effect.Effect<void, BusUnavailable>
}

const makeConsumer = ({ kafka }: KafkaClient, groupId: string): Consumer =>
  kafka.consumer({
    groupId,
    sessionTimeout,
    heartbeatInterval,
    rebalanceTimeout,
    metadataMaxAge: metadataMaxAgeMs,
    ...promptly,
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
      Effect.andThen(Effect.suspend(() => (signs() === before ? busUnavailable("It sent no heartbeat for 30 s") : Effect.void)))
    )
  }).pipe(Effect.forever)

/** Runs one member; fails when it has ended or can no longer be trusted. */
const runMember = Effect.fn("KafkaConsumer.runMember")(function*(
  client: KafkaClient,
  { groupId, handle, joined, topic }: Subscription,
  onJoin: Effect.Effect<void>
) {
  const consumer = makeConsumer(client, groupId)
  const ended = yield* Deferred.make<never, BusUnavailable>()
  const end = (cause: unknown) => Deferred.unsafeDone(ended, busUnavailable(cause))
  let started: Promise<unknown> = Promise.resolve()
  yield* Effect.addFinalizer(() => Effect.suspend(() => disconnect(consumer, started)))
  // Closes before the disconnect, which must not wait for a handler that still runs.
  const run = yield* FiberSet.makeRuntimePromise<never, Exit.Exit<void, BusUnavailable> | void, never>()

  let signs = 0
  let announced = true
  const nodes = new Set<number>()
  const { CRASH, FETCH_START, GROUP_JOIN, HEARTBEAT, REBALANCING, REQUEST_TIMEOUT } = consumer.events
  consumer.on(CRASH, ({ payload }) => end(payload.error))
  // kafkajs would repeat the request over the same connection, which may be frozen. A new member has new connections.
  consumer.on(REQUEST_TIMEOUT, ({ payload }) => end(`${payload.apiName} was not answered`))
  consumer.on(HEARTBEAT, () => void signs++)
  consumer.on(REBALANCING, () => void (announced = true))
  consumer.on(FETCH_START, ({ payload }) => {
    signs++
    nodes.add(payload.nodeId)
  })
  consumer.on(GROUP_JOIN, ({ payload }) => {
    signs++
    // kafkajs may rejoin during a fetch from one broker while batches of another are in progress. Those would move the
    // offsets of the new assignment past unread messages, so such a member is replaced.
    if (!announced && nodes.size > 1) return end("It rejoined in the middle of a fetch")
    announced = false
    joined?.(payload.memberAssignment[topic] ?? [], consumer)
    run(onJoin).catch(() => undefined)
  })

  const interrupted = Exit.interrupt(yield* Effect.fiberId)
  const eachBatch = (delivery: EachBatchPayload): Promise<void> =>
    run(Effect.exit(handle(delivery))).then((exit) => settle(exit ?? Exit.void), () => settle(interrupted))
  const running = { autoCommit: false, eachBatchAutoResolve: false, eachBatch }
  started = consumer.connect()
    .then(() => consumer.subscribe({ topic, fromBeginning: true }))
    .then(() => consumer.run(running))
    .catch(end)
  return yield* Effect.raceFirst(Deferred.await(ended), watch(() => signs))
}, Effect.scoped)

/** Reads for as long as its fiber runs; leaves the group when interrupted. */
export const consume = (client: KafkaClient, subscription: Subscription): Effect.Effect<never> =>
  keepReading(client, `Kafka consumer ${subscription.groupId}`, (worked) => runMember(client, subscription, worked))

/** Runs `work` while the member keeps beating; when its partitions move, `work` may continue for `grace`. */
export const whileBeating = <A>(delivery: EachBatchPayload, work: Effect.Effect<A>): Effect.Effect<A, BusUnavailable> => {
  const beats = callKafka(() => delivery.heartbeat()).pipe(
    Effect.delay("1 second"),
    Effect.forever,
    Effect.tapError(() => Effect.sleep(grace))
  )
  return Effect.raceFirst(work, beats)
}

/** Commits everything up to `offset` of the delivery's partition. */
export const commit = (delivery: EachBatchPayload, offset: string): Effect.Effect<void, BusUnavailable> =>
  callKafka(() => {
    const { partition, topic } = delivery.batch
    delivery.resolveOffset(offset)
    const next = String(BigInt(offset) + 1n)
    return delivery.commitOffsetsIfNecessary({ topics: [{ topic, partitions: [{ partition, offset: next }] }] })
  })
