/** Types of modules inside kafkajs, which has none: what `KafkaReader.ts` uses to read without a consumer group. */
declare module "kafkajs/src/cluster/index.js" {
  import type { ISocketFactory, KafkaConfig, KafkaMessage, Logger } from "kafkajs"

  export interface FetchedPartition {
    readonly partition: number
    readonly messages: ReadonlyArray<KafkaMessage & { readonly isControlRecord?: boolean }>
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
    fetchTopicsOffset(
      topics: ReadonlyArray<{
        readonly topic: string
        readonly partitions: ReadonlyArray<{ readonly partition: number }>
        readonly fromBeginning: boolean
      }>
    ): Promise<ReadonlyArray<{ readonly partitions: ReadonlyArray<{ readonly partition: number; readonly offset: string }> }>>
  }
}

declare module "kafkajs/src/network/socketFactory.js" {
  import type { ISocketFactory } from "kafkajs"
  /** The sockets that a client of kafkajs has by default. */
  export default function createSocketFactory(): ISocketFactory
}
