/** Sends messages, one request at a time to keep the order; each request carries everything gathered since the last. */
import { Deferred, Duration, Effect, Queue, Schedule } from "effect"
import { CompressionTypes, type ICustomPartitioner, KafkaJSError, type Message, Partitioners, type Producer } from "kafkajs"
import { makeOutage, reasonOf } from "../../loops/Outage.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { retryingWith } from "../../loops/RetryingWith.ts"
import { busUnavailable } from "../Bus.ts"
import { maxMessageBytes, maxRequest } from "./KafkaBounds.ts"
import { callKafka, disconnect, type KafkaClient } from "./KafkaClient.ts"
import { compressionOf } from "./KafkaCompression.ts"

/** A sender learns within this time whether its messages were accepted. */
const acceptWithin = Duration.seconds(5)
/**
 * The same for senders that would only send the same again. It spans several requests to the slowest broker that works at all: a
 * shorter one would send the first messages over and over, and never the next.
 */
export const acceptPatiently = Duration.seconds(30)
/** How long a broker may wait for the others to have the messages, ms: below the time after which kafkajs gives a request up. */
const ackWithinMs = 8_000
/** The pause between requests under load, so that messages travel together; the first message after a lull does not wait. */
const linger = Duration.millis(20)
const pauseAfterFailure = Duration.millis(250)
/** About two seconds: a partition that is new or changes its leader rejects requests. */
const toleratedFailures = 8
/** Limits of what waits for the brokers; beyond them callers learn immediately that their messages were not accepted. */
const maxPending = { sends: 10_000, bytes: 64 * 1024 * 1024 }
/** This many waiting sends fill a request without a pause. */
const busySends = 100

export interface ProducerOptions {
  /** Requests with several messages for a partition are compressed; the messages must name their partitions. */
  readonly compresses?: boolean
  /** Senders learn within this time whether their messages were accepted. */
  readonly patience?: Duration.Duration
}

/** The messages of one caller, accepted or rejected as a whole. Empty once nobody waits for them. */
interface PendingSend {
  messages: ReadonlyArray<Message>
  readonly accepted: Deferred.Deferred<void>
}

/** In bytes, including the overhead of Kafka and of the headers. */
const sizeOf = ({ value }: Message): number => (value === null ? 0 : Buffer.byteLength(value)) + 200

/** Cuts messages into requests that a broker accepts; a message above the limit travels alone. */
const cut = (messages: ReadonlyArray<Message>): ReadonlyArray<Array<Message>> => {
  const requests: Array<Array<Message>> = []
  let current: Array<Message> = []
  let bytes = 0
  for (const message of messages) {
    const size = sizeOf(message)
    if (current.length > 0 && (bytes + size > maxRequest.bytes || current.length >= maxRequest.messages)) {
      requests.push(current)
      current = []
      bytes = 0
    }
    current.push(message)
    bytes += size
  }
  return current.length > 0 ? [...requests, current] : requests
}

/** The partitioner of kafkajs, except that messages for a partition that it does not know fail; kafkajs would drop them. */
const knownPartitions: ICustomPartitioner = () => {
  const partitionFor = Partitioners.DefaultPartitioner()
  return (args) => {
    const partition = partitionFor(args)
    if (args.partitionMetadata.some(({ partitionId }) => partitionId === partition)) return partition
    throw new KafkaJSError(`Partition ${partition} of ${args.topic} is not known yet`)
  }
}

/** A producer that connects on first use and is replaced after a failure. */
const makeConnection = ({ kafka }: KafkaClient, topic: string, compresses: boolean) => {
  let current: { readonly producer: Producer; readonly connected: Promise<void> } | null = null

  const connected = () => {
    if (current !== null) return current
    const producer = kafka.producer({
      createPartitioner: knownPartitions,
      allowAutoTopicCreation: false,
      // A request that kafkajs repeats by itself could arrive after a newer one and supersede it.
      retry: { retries: 0 }
    })
    current = { producer, connected: producer.connect() }
    return current
  }
  const send = (messages: Array<Message>) =>
    callKafka(() => {
      const { connected: ready, producer } = connected()
      const compression = compresses ? compressionOf(messages) : CompressionTypes.None
      const request = { topicMessages: [{ topic, messages }], acks: -1, timeout: ackWithinMs, compression }
      return ready.then(() => producer.sendBatch(request))
    })
  const drop = Effect.suspend(() => {
    const last = current
    current = null
    return last === null ? Effect.void : disconnect(last.producer, last.connected)
  })
  return { send, drop }
}

/** Lives as long as its scope; messages not accepted by then may or may not have been sent. */
export const makeKafkaProducer = Effect.fn("KafkaProducer.make")(function*(
  client: KafkaClient,
  topic: string,
  { compresses = false, patience = acceptWithin }: ProducerOptions = {}
) {
  const pending = yield* Queue.dropping<PendingSend>(maxPending.sends)
  let pendingBytes = 0
  const connection = makeConnection(client, topic, compresses)
  yield* Effect.addFinalizer(() => connection.drop)
  const outage = makeOutage(`Sending to Kafka topic ${topic}`, toleratedFailures)

  /** Sends what callers still wait for; fails when Kafka does not accept it. */
  const attempt = (batch: Iterable<PendingSend>) =>
    Effect.gen(function*() {
      const wanted = yield* Effect.filter(batch, ({ accepted }) => Deferred.isDone(accepted), { negate: true })
      if (wanted.length === 0) return
      yield* Effect.forEach(cut(wanted.flatMap(({ messages }) => messages)), connection.send, { discard: true })
      yield* outage.worked
      yield* Effect.forEach(wanted, ({ accepted }) => Deferred.succeed(accepted, undefined), { discard: true })
    }).pipe(Effect.tapError((error) => Effect.zipRight(outage.failed(reasonOf(error.cause)), connection.drop)))

  const work = Effect.gen(function*() {
    const batch = yield* Queue.takeBetween(pending, 1, maxRequest.messages)
    yield* retryingWith(Schedule.spaced(pauseAfterFailure))(attempt(batch))
    const busy = (yield* Queue.size(pending)) >= busySends
    if (!busy) yield* Effect.sleep(linger)
  })
  yield* client.ready.pipe(
    Effect.andThen(restartForever(`Sending to Kafka topic ${topic}`, Effect.forever(work))),
    Effect.forkScoped
  )

  /** Returns once every in-sync replica has accepted the messages; keeps the order of the calls. */
  const send = Effect.fn("KafkaProducer.send")(function*(messages: ReadonlyArray<Message>) {
    if (messages.length === 0) return
    // Kafka would reject it on every retry, together with everything in the same request.
    const sizes = messages.map(sizeOf)
    if (sizes.some((size) => size > maxMessageBytes)) {
      return yield* busUnavailable(`A message for ${topic} is larger than ${maxMessageBytes} bytes`)
    }
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    const waiting: PendingSend = { messages, accepted: yield* Deferred.make<void>() }
    const isFull = pendingBytes > 0 && pendingBytes + bytes > maxPending.bytes
    if (isFull || !Queue.unsafeOffer(pending, waiting)) return yield* busUnavailable(`Too many messages wait for ${topic}`)
    pendingBytes += bytes
    yield* Deferred.await(waiting.accepted).pipe(
      Effect.timeoutFail({
        duration: patience,
        onTimeout: () => busUnavailable(`Kafka did not accept messages for ${topic}`)
      }),
      // A caller that stopped waiting may send again, so its messages must not be sent later.
      Effect.ensuring(Effect.suspend(() => {
        pendingBytes -= bytes
        waiting.messages = []
        return Deferred.succeed(waiting.accepted, undefined)
      }))
    )
  })
  return { send }
})
export type KafkaProducer = Effect.Effect.Success<ReturnType<typeof makeKafkaProducer>>
