/** Types of the modules inside kafkajs that `KafkajsInternals.ts` and its test use; kafkajs has none of them. */
declare module "kafkajs/src/cluster/index.js" {
  import type { ISocketFactory, KafkaConfig, KafkaMessage, Logger } from "kafkajs"
  import type Encoder from "kafkajs/src/protocol/encoder.js"

  export interface FetchedPartition {
    readonly partition: number
    /** The offset behind the last message of the partition. */
    readonly highWatermark: string
    /** A skipped batch is one that could not be read, of which its last offset is left. */
    readonly messages: ReadonlyArray<
      KafkaMessage & {
        readonly isControlRecord?: boolean
        readonly isSkippedBatch?: boolean
        readonly batchContext: { readonly producerId: string; readonly inTransaction: boolean }
      }
    >
  }

  export interface Broker {
    /** Fails as a whole if any partition has an error. */
    fetch(request: {
      readonly maxWaitTime: number
      readonly minBytes: number
      readonly maxBytes: number
      readonly isolationLevel: number
      readonly topics: ReadonlyArray<{
        readonly topic: string
        readonly partitions: ReadonlyArray<
          { readonly partition: number; readonly fetchOffset: string; readonly maxBytes: number }
        >
      }>
    }): Promise<{ readonly responses: ReadonlyArray<{ readonly partitions: ReadonlyArray<FetchedPartition> }> }>
    /** Asks to join a consumer group, whose coordinator this broker must be. */
    joinGroup(request: {
      readonly groupId: string
      readonly sessionTimeout: number
      readonly rebalanceTimeout: number
      readonly groupProtocols: ReadonlyArray<{ readonly name: string; readonly metadata: Buffer }>
    }): Promise<unknown>
    readonly connectionPool: {
      send<A>(call: {
        readonly request: {
          readonly apiKey: number
          readonly apiVersion: number
          readonly apiName: string
          readonly encode: () => Promise<Encoder>
        }
        readonly response: {
          readonly decode: (bytes: Buffer) => Promise<A>
          readonly parse: (decoded: A) => Promise<A>
        }
      }): Promise<A>
    }
  }

  export default class Cluster {
    constructor(
      options: KafkaConfig & {
        readonly logger: Logger
        readonly socketFactory: ISocketFactory
        readonly enforceRequestTimeout: boolean
        readonly metadataMaxAge: number
        readonly allowAutoTopicCreation: boolean
        readonly maxInFlightRequests: number | null
      }
    )
    connect(): Promise<void>
    disconnect(): Promise<void>
    refreshMetadata(): Promise<void>
    addTargetTopic(topic: string): Promise<void>
    getNodeIds(): ReadonlyArray<string>
    findTopicPartitionMetadata(topic: string): ReadonlyArray<{ readonly partitionId: number; readonly leader: number }>
    findBroker(options: { readonly nodeId: string }): Promise<Broker>
    findControllerBroker(): Promise<Broker>
    fetchTopicsOffset(
      topics: ReadonlyArray<{
        readonly topic: string
        readonly partitions: ReadonlyArray<{ readonly partition: number }>
        readonly fromBeginning: boolean
      }>
    ): Promise<ReadonlyArray<{ readonly partitions: ReadonlyArray<{ readonly partition: number; readonly offset: string }> }>>
  }
}

declare module "kafkajs/src/network/connection.js" {
  import type { ISocketFactory } from "kafkajs"
  import type { Socket } from "node:net"

  export default class Connection {
    constructor(options: {
      readonly host: string
      readonly port: number
      readonly logger: { readonly namespace: () => { readonly debug: () => void; readonly error: () => void } }
      readonly socketFactory: ISocketFactory
      readonly requestTimeout: number
      readonly connectionTimeout: number
    })
    /** The newest socket. */
    readonly socket?: Socket
    readonly chunks: ReadonlyArray<Buffer>
    readonly bytesBuffered: number
    readonly bytesNeeded: number
    isConnected(): boolean
    connect(): Promise<boolean>
    disconnect(): Promise<boolean>
  }
}

declare module "kafkajs/src/network/socketFactory.js" {
  import type { ISocketFactory } from "kafkajs"
  /** The sockets that a client of kafkajs has by default. */
  export default function createSocketFactory(): ISocketFactory
}

declare module "kafkajs/src/producer/partitioners/default/murmur2.js" {
  /** A signed 32-bit hash. */
  export default function murmur2(key: string | Buffer): number
}

declare module "kafkajs/src/protocol/encoder.js" {
  /** Appends to a buffer of its own; each method returns the encoder. The names with `UVarInt` are of the compact formats. */
  export default class Encoder {
    /** The bytes that were appended. */
    readonly buffer: Buffer
    writeInt8(value: number): this
    writeInt32(value: number): this
    writeUVarIntString(value: string | null): this
    /** Without bytes it writes 0: null, or no tagged fields. */
    writeUVarIntBytes(value?: Buffer): this
    writeUVarIntArray(items: ReadonlyArray<Encoder>): this
  }
}

declare module "kafkajs/src/protocol/decoder.js" {
  export default class Decoder {
    constructor(bytes: Buffer)
    readInt8(): number
    readInt16(): number
    readInt32(): number
    readInt64(): bigint
    readString(): string | null
    readBytes(): Buffer | null
    readArray<A>(read: (decoder: Decoder) => A): ReadonlyArray<A>
    readArrayAsync<A>(read: (decoder: Decoder) => Promise<A>): Promise<ReadonlyArray<A>>
    readUVarIntString(): string | null
    readUVarIntArray<A>(read: (decoder: Decoder) => A): ReadonlyArray<A> | null
    readTaggedFields(): unknown
  }
}

declare module "kafkajs/src/consumer/consumerGroup.js" {
  export default class ConsumerGroup {
    constructor(options: {
      readonly cluster: object
      readonly groupId: string
      readonly topics: ReadonlyArray<string>
      readonly topicConfigurations: object
      readonly logger: { readonly namespace: () => object }
      readonly instrumentationEmitter: { readonly emit: () => void }
    })
    memberId: string | null
    coordinator: { readonly heartbeat: () => Promise<void> } | null
    /** ms since 1970. */
    lastRequest: number
    /** Asks the coordinator if `interval` (ms) has passed since the last time. */
    heartbeat(options: { readonly interval: number }): Promise<void>
  }
}

declare module "kafkajs/src/network/requestQueue/index.js" {
  export interface SentRequest {
    readonly requestTimeout: number
    readonly timeoutRequest: () => void
  }

  export default class RequestQueue {
    constructor(options: {
      readonly maxInFlightRequests: number | null
      readonly requestTimeout: number
      readonly enforceRequestTimeout: boolean
      readonly clientId: string
      readonly broker: string
      readonly logger: { readonly debug: () => void; readonly warn: () => void }
      readonly isConnected?: () => boolean
    })
    readonly pending: ReadonlyArray<unknown>
    readonly inflight: ReadonlyMap<number, SentRequest>
    readonly enforceRequestTimeout: boolean
    readonly isConnected: () => boolean
    readonly throttleCheckTimeoutId: NodeJS.Timeout | null
    push(request: {
      readonly entry: { readonly correlationId: number; readonly resolve: () => void; readonly reject: () => void }
      readonly expectResponse: boolean
      readonly sendRequest: () => void
    }): void
    fulfillRequest(response: { readonly correlationId: number; readonly payload: null; readonly size: number }): void
    maybeThrottle(ms: number): void
    sendSocketRequest(request: SentRequest): void
    scheduleCheckPendingRequests(): void
    scheduleRequestTimeoutCheck(): void
    destroy(): void
  }
}

declare module "kafkajs/src/protocol/recordBatch/v0/decoder.js" {
  import type { FetchedPartition } from "kafkajs/src/cluster/index.js"
  import type Decoder from "kafkajs/src/protocol/decoder.js"
  /** Reads one batch (message format 2) and moves behind it. */
  export default function readBatch(batches: Decoder): Promise<{ readonly records: FetchedPartition["messages"] }>
}

declare module "kafkajs/src/protocol/requests/fetch/v11/response.js" {
  import type { FetchedPartition } from "kafkajs/src/cluster/index.js"

  export interface DecodedPartition extends FetchedPartition {
    readonly errorCode: number
    readonly lastStableOffset: string
    readonly lastStartOffset: string
    readonly abortedTransactions: ReadonlyArray<{ readonly producerId: string; readonly firstOffset: string }>
    readonly preferredReadReplica: number
  }

  export interface DecodedFetch {
    readonly throttleTime: number
    readonly clientSideThrottleTime: number
    readonly errorCode: number
    readonly sessionId: number
    readonly responses: ReadonlyArray<{ readonly topicName: string; readonly partitions: ReadonlyArray<DecodedPartition> }>
  }

  /** kafkajs takes `decode` from here for each answer. */
  const response: { decode: (bytes: Buffer) => Promise<DecodedFetch> }
  export default response
}
