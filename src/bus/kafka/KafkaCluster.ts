/** A connection to the brokers for requests that kafkajs has no client for. */
import { Effect } from "effect"
import { callKafka, disconnect, type KafkaClient } from "./KafkaClient.ts"
import { makeCluster } from "./KafkajsInternals.ts"
import { metadataMaxAgeMs } from "./KafkaSession.ts"

/** Disconnected when its scope closes. */
export const acquireCluster = ({ config, kafka }: KafkaClient) =>
  Effect.gen(function*() {
    const cluster = makeCluster(kafka, config, metadataMaxAgeMs)
    const connected = cluster.connect()
    yield* Effect.addFinalizer(() => disconnect(cluster, connected))
    yield* callKafka(() => connected)
    return cluster
  })
