/** Sends to one topic: one request at a time, so that order holds, with all that has gathered since the last one. */
import { Deferred, Duration, Effect, Queue, Schedule } from "effect"
import { type Message, Partitioners, type Producer } from "kafkajs"
import { makeOutage, reasonOf } from "../loops/Outage.ts"
import { unending } from "../loops/Unending.ts"
import { BusUnavailable } from "./Bus.ts"
import { disconnect, type KafkaClient, maxMessageBytes } from "./KafkaClient.ts"

/** Who sends hears within this time whether it was accepted. */
const acceptWithin = Duration.seconds(5)
/** Between two requests when messages keep coming, so that they travel together; the first of a lull goes at once. */
const linger = Duration.millis(20)
const pauseAfterFailure = Duration.millis(250)
/** For about two seconds: a partition that is new, or changes its leader, refuses requests. */
const toleratedFailures = 8
/** What one request carries at most; a broker takes 1 MiB a partition by default. */
const maxRequestMessages = 2_000
const maxRequestBytes = 900_000
const waitingParcels = 10_000
/** So many waiting calls fill a request without any pause. */
const busyParcels = 100

/** What one caller sends, accepted or refused as a whole. */
interface Parcel {
  readonly messages: ReadonlyArray<Message>
  readonly accepted: Deferred.Deferred<void>
}

export interface KafkaProducer {
  /** Accepted by every replica in sync when it returns; in the order of the calls. */
  readonly send: (messages: ReadonlyArray<Message>) => Effect.Effect<void, BusUnavailable>
}

/** In bytes, with what Kafka adds. */
const sizeOf = ({ value }: Message): number => (value === null ? 0 : Buffer.byteLength(value)) + 100

/** Cuts messages into requests that a broker takes; a message that is too large by itself travels alone. */
const cut = (messages: ReadonlyArray<Message>): ReadonlyArray<Array<Message>> => {
  const requests: Array<Array<Message>> = []
  let current: Array<Message> = []
  let bytes = 0
  for (const message of messages) {
    const size = sizeOf(message)
    if (current.length > 0 && (bytes + size > maxRequestBytes || current.length >= maxRequestMessages)) {
      requests.push(current)
      current = []
      bytes = 0
    }
    current.push(message)
    bytes += size
  }
  return current.length > 0 ? [...requests, current] : requests
}

/** A producer that is connected when it is first needed and replaced when it has failed. */
const makeConnection = ({ kafka }: KafkaClient, topic: string) => {
  let current: { readonly producer: Producer; readonly connected: Promise<void> } | null = null

  const connected = () => {
    if (current !== null) return current
    const producer = kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      // A request that kafkajs repeated behind our back could arrive after a newer one and outlive it.
      retry: { retries: 0 }
    })
    current = { producer, connected: producer.connect() }
    return current
  }
  const send = (messages: Array<Message>) =>
    Effect.tryPromise({
      try: () => {
        const { connected: ready, producer } = connected()
        return ready.then(() => producer.send({ topic, messages, acks: -1, timeout: 4_000 }))
      },
      catch: (cause) => new BusUnavailable({ cause })
    })
  const drop = Effect.suspend(() => {
    const last = current
    current = null
    return last === null ? Effect.void : disconnect(last.producer, last.connected)
  })
  return { send, drop }
}

/** Lives as long as its scope; what was not accepted by then was not sent or is not known to have been. */
export const makeKafkaProducer = Effect.fn("KafkaProducer.make")(function*(
  client: KafkaClient,
  topic: string,
  ready: Effect.Effect<void>
) {
  const parcels = yield* Queue.dropping<Parcel>(waitingParcels)
  const connection = makeConnection(client, topic)
  yield* Effect.addFinalizer(() => connection.drop)
  const outage = makeOutage(`Sending to Kafka topic ${topic}`, toleratedFailures)

  /** Sends what callers still wait for; fails when it was not accepted. */
  const attempt = (batch: Iterable<Parcel>) =>
    Effect.gen(function*() {
      const wanted = yield* Effect.filter(batch, ({ accepted }) => Deferred.isDone(accepted), { negate: true })
      if (wanted.length === 0) return
      yield* Effect.forEach(cut(wanted.flatMap(({ messages }) => messages)), connection.send, { discard: true })
      yield* outage.worked
      yield* Effect.forEach(wanted, ({ accepted }) => Deferred.succeed(accepted, undefined), { discard: true })
    }).pipe(Effect.tapError((error) => Effect.zipRight(outage.failed(reasonOf(error.cause)), connection.drop)))

  const work = Effect.gen(function*() {
    const batch = yield* Queue.takeBetween(parcels, 1, maxRequestMessages)
    yield* Effect.retry(attempt(batch), Schedule.spaced(pauseAfterFailure))
    const busy = (yield* Queue.size(parcels)) >= busyParcels
    if (!busy) yield* Effect.sleep(linger)
  })
  yield* ready.pipe(Effect.andThen(unending(`Sending to Kafka topic ${topic}`, Effect.forever(work))), Effect.forkScoped)

  const unavailable = (cause: unknown) => new BusUnavailable({ cause })
  const send: KafkaProducer["send"] = Effect.fn("KafkaProducer.send")(function*(messages: ReadonlyArray<Message>) {
    if (messages.length === 0) return
    // Alone it would be refused forever, and with it all that travels along.
    if (messages.some((message) => sizeOf(message) > maxMessageBytes)) {
      return yield* unavailable(`A message for ${topic} is larger than ${maxMessageBytes} bytes`)
    }
    const accepted = yield* Deferred.make<void>()
    if (!(yield* Queue.offer(parcels, { messages, accepted }))) return yield* unavailable(`Too much waits for ${topic}`)
    yield* Deferred.await(accepted).pipe(
      Effect.timeoutFail({
        duration: acceptWithin,
        onTimeout: () => unavailable(`Kafka did not accept messages for ${topic}`)
      }),
      // Whoever no longer waits must not be sent for: it may send again.
      Effect.ensuring(Deferred.succeed(accepted, undefined))
    )
  })
  const producer: KafkaProducer = { send }
  return producer
})
