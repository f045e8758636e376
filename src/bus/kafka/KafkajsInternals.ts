/**
 * All use of what kafkajs 2.2.4 does not export. Its request queue is mended: it woke the process 1,000 times a second per idle
 * connection. So are its connections: they read the bytes of an earlier socket between those of the current one. Its timeouts and
 * heartbeats follow the steady clock.
 */
import type { Kafka, KafkaConfig } from "kafkajs"
import Cluster from "kafkajs/src/cluster/index.js"
import ConsumerGroup from "kafkajs/src/consumer/consumerGroup.js"
import Connection from "kafkajs/src/network/connection.js"
import RequestQueue, { type SentRequest } from "kafkajs/src/network/requestQueue/index.js"
import createSocketFactory from "kafkajs/src/network/socketFactory.js"
import murmur2 from "kafkajs/src/producer/partitioners/default/murmur2.js"
import Decoder from "kafkajs/src/protocol/decoder.js"
import Encoder from "kafkajs/src/protocol/encoder.js"

export type { Decoder, Encoder }
export type { default as Cluster, FetchedPartition } from "kafkajs/src/cluster/index.js"

/** A cluster fetches partitions without a consumer group. */
export const makeCluster = (kafka: Kafka, config: KafkaConfig, metadataMaxAge: number): Cluster =>
  new Cluster({
    ...config,
    logger: kafka.logger(),
    socketFactory: createSocketFactory(),
    enforceRequestTimeout: true,
    metadataMaxAge,
    allowAutoTopicCreation: false,
    maxInFlightRequests: null
  })

export const makeEncoder = (): Encoder => new Encoder()

/** A request that kafkajs has no code for, in a version with the flexible format of KIP-482. */
interface ControllerCall<A> {
  readonly apiKey: number
  /** 0 by default. */
  readonly apiVersion?: number
  readonly apiName: string
  readonly write: (body: Encoder) => Encoder
  /** Reads what follows the throttle time. */
  readonly read: (body: Decoder) => A
}

/** Sends a request to the controller, or in KRaft to a broker that passes it on. */
export const callController = async <A>(
  cluster: Cluster,
  { apiKey, apiName, apiVersion = 0, read, write }: ControllerCall<A>
): Promise<A> => {
  await cluster.refreshMetadata()
  const { connectionPool } = await cluster.findControllerBroker()
  const { answer } = await connectionPool.send({
    // kafkajs writes the header of older formats, which lacks the tagged fields at its end.
    request: { apiKey, apiVersion, apiName, encode: () => Promise.resolve(write(new Encoder().writeUVarIntBytes())) },
    response: {
      decode: (bytes) => {
        const body = new Decoder(bytes)
        body.readTaggedFields()
        body.readInt32()
        return Promise.resolve({ answer: read(body) })
      },
      parse: (decoded) => Promise.resolve(decoded)
    }
  })
  return answer
}

/** The partition to which kafkajs sends messages with this key. */
export const partitionOf = (key: string, partitions: number): number => (murmur2(key) & 0x7fffffff) % partitions

/** Interval of the checks for requests without an answer, ms. kafkajs checks every 100 ms; the limits are 10 s. */
const timeoutCheckEvery = 2_500

const { destroy, scheduleCheckPendingRequests, sendSocketRequest } = RequestQueue.prototype

/** Each check of pending requests would schedule the next one after 1 ms; it is needed only while requests are pending. */
RequestQueue.prototype.scheduleCheckPendingRequests = function(this: RequestQueue) {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this)
}

/**
 * When requests left, by the steady clock, ms. kafkajs notes the wall clock: once that is set back, each request would look too old
 * at once and no group could be joined; once it is set forward, a request without an answer would wait for as long.
 */
const sentAt = new WeakMap<SentRequest, number>()

RequestQueue.prototype.sendSocketRequest = function(this: RequestQueue, request: SentRequest) {
  sentAt.set(request, performance.now())
  sendSocketRequest.call(this, request)
}

/** The queues of all connections share a timer, because each timer wakes an idle process. */
const watched = new Set<RequestQueue>()
let timer: NodeJS.Timeout | undefined

const unwatch = (queue: RequestQueue): void => {
  watched.delete(queue)
  if (watched.size > 0) return
  clearInterval(timer)
  timer = undefined
}

const expireRequests = (): void => {
  for (const queue of watched) {
    for (const request of queue.inflight.values()) {
      if (performance.now() - (sentAt.get(request) ?? 0) > request.requestTimeout) request.timeoutRequest()
    }
    if (!queue.isConnected()) unwatch(queue)
  }
}

RequestQueue.prototype.scheduleRequestTimeoutCheck = function(this: RequestQueue) {
  if (!this.enforceRequestTimeout) return
  watched.add(this)
  // eslint-disable-next-line no-restricted-syntax -- kafkajs has no fiber that could sleep.
  timer ??= setInterval(expireRequests, timeoutCheckEvery)
}

RequestQueue.prototype.destroy = function(this: RequestQueue) {
  unwatch(this)
  destroy.call(this)
}

const { heartbeat } = ConsumerGroup.prototype
const askedAt = new WeakMap<ConsumerGroup, number>()

/**
 * Whether a heartbeat is due is decided by the steady clock. By the wall clock none would be sent for as long as that was set back,
 * and the group would give the member's partitions to others while it still reads them.
 */
ConsumerGroup.prototype.heartbeat = function(this: ConsumerGroup, options) {
  const now = performance.now()
  if (now - (askedAt.get(this) ?? 0) >= options.interval) {
    askedAt.set(this, now)
    this.lastRequest = 0
  }
  return heartbeat.call(this, options)
}

const { connect } = Connection.prototype
const connecting = new WeakMap<Connection, Promise<boolean>>()

/**
 * A connection has one socket after another, and kafkajs leaves the earlier one open: what a stalled network delivers later, or half
 * a response that came before, would make garbage of the responses that follow. Two callers of `connect` would make two sockets.
 */
Connection.prototype.connect = function(this: Connection) {
  if (this.isConnected()) return connect.call(this)
  const begun = connecting.get(this)
  if (begun !== undefined) return begun
  this.socket?.removeAllListeners("data").destroy()
  Object.assign(this, { chunks: [], bytesBuffered: 0, bytesNeeded: 4 })
  const connected = connect.call(this).finally(() => connecting.delete(this))
  connecting.set(this, connected)
  return connected
}
