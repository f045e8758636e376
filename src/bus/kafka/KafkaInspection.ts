/** The brokers and topics as the brokers describe them, with the rights of this user (KIP-430). Nothing is changed. */
import { Effect, Option } from "effect"
import { ConfigResourceTypes } from "kafkajs"
import type { SeenPartition, SeenTopic } from "../../domain/health/KafkaDiagnosis.ts"
import { reasonOf } from "../../loops/Outage.ts"
import { callKafka, type KafkaClient } from "./KafkaClient.ts"
import { acquireCluster } from "./KafkaCluster.ts"
import { callController, type Cluster, type Decoder, type Encoder, makeEncoder } from "./KafkajsInternals.ts"
import { withAdmin } from "./KafkaTopics.ts"

/** The bits of the operations in what brokers call authorized operations. */
const bits = { read: 1 << 3, write: 1 << 4 }

const codes = { hidden: 29, none: 0 }

/** Arrays of the protocol begin with their length; a missing one is null. */
const each = <A>(body: Decoder, read: () => A): ReadonlyArray<A> => body.readUVarIntArray(read) ?? []

const numbers = (body: Decoder) => each(body, () => body.readInt32())

const readBroker = (body: Decoder) => {
  const [id, host, port] = [body.readInt32(), body.readUVarIntString(), body.readInt32()]
  body.readUVarIntString()
  body.readTaggedFields()
  return { id: String(id), address: `${host}:${port}` }
}

const readPartition = (body: Decoder): SeenPartition => {
  body.readInt16()
  body.readInt32()
  const leader = body.readInt32()
  body.readInt32()
  const [replicas, inSync] = [numbers(body).length, numbers(body).length]
  numbers(body)
  body.readTaggedFields()
  return { leader, replicas, inSync }
}

const readTopic = (body: Decoder): SeenTopic => {
  const [code, topic] = [body.readInt16(), body.readUVarIntString() ?? ""]
  body.readInt8()
  const partitions = each(body, () => readPartition(body))
  const rights = body.readInt32()
  body.readTaggedFields()
  return {
    topic,
    presence: code === codes.hidden ? "hidden" : partitions.length > 0 ? "there" : "missing",
    partitions,
    mayRead: (rights & bits.read) !== 0,
    mayWrite: (rights & bits.write) !== 0
  }
}

const endOf = (encoder: Encoder): Encoder => encoder.writeUVarIntBytes()

/** Version 9 of the request for metadata, which every broker since 2.4 answers. It makes no topic. */
const askMetadata = (cluster: Cluster, topics: ReadonlyArray<string>) =>
  callController(cluster, {
    apiKey: 3,
    apiVersion: 9,
    apiName: "Metadata",
    write: (body) =>
      endOf(
        body.writeUVarIntArray(topics.map((topic) => endOf(makeEncoder().writeUVarIntString(topic))))
          // No automatic creation, no rights of the cluster, but those of topics.
          .writeInt8(0).writeInt8(0).writeInt8(1)
      ),
    read: (body) => {
      const brokers = each(body, () => readBroker(body))
      body.readUVarIntString()
      body.readInt32()
      return { brokers, topics: each(body, () => readTopic(body)) }
    }
  })

/** The brokers, with why one cannot be reached from here (null if it can), and these topics. */
export const inspectKafka = Effect.fn("KafkaInspection.inspect")(function*(client: KafkaClient, topics: ReadonlyArray<string>) {
  const cluster = yield* acquireCluster(client)
  const { brokers, topics: seen } = yield* callKafka(() => askMetadata(cluster, topics))
  const reached = yield* Effect.forEach(
    brokers,
    ({ address, id }) =>
      callKafka(() => cluster.findBroker({ nodeId: id })).pipe(
        Effect.match({ onFailure: (error) => ({ address, fault: reasonOf(error) }), onSuccess: () => ({ address, fault: null }) })
      ),
    { concurrency: "unbounded" }
  )
  return { brokers: reached, topics: seen }
})

/** The settings of topics by their names; none if this user may not see them. */
export const topicSettings = Effect.fn("KafkaInspection.topicSettings")((client: KafkaClient, topics: ReadonlyArray<string>) =>
  withAdmin(client, (admin) =>
    admin.describeConfigs({
      includeSynonyms: false,
      resources: topics.map((name) => ({ type: ConfigResourceTypes.TOPIC, name }))
    })).pipe(
      Effect.map(({ resources }) =>
        new Map(resources.map(({ configEntries, resourceName }) => [
          resourceName,
          Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue]))
        ]))
      ),
      Effect.option,
      Effect.map(Option.filter((found) => found.size > 0))
    )
)
