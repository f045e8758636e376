/** Assignments over Kafka: a compacted topic that every worker of a region replays for its partitions. */
import { Chunk, Deferred, Effect, Option, Queue, Stream } from "effect"
import type { KafkaMessage, Message } from "kafkajs"
import type { AssignmentChange } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import { MonitorId } from "../../schema/Ids.ts"
import { retryForever } from "../loops/RetryForever.ts"
import { type Bus, changedIn, ShareSignal } from "./Bus.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { consume, type Subscription, whileBeating } from "./KafkaConsumer.ts"
import { partitionOf } from "./KafkajsInternals.ts"
import { makeKafkaProducer } from "./KafkaProducer.ts"
import { partitionsOf } from "./KafkaTopics.ts"
import { assignmentWire, skipUnreadable } from "./Wire.ts"

/** Signals on their way to the worker; `taken` completes when the worker has them. */
interface PendingSignals {
  readonly signals: Chunk.Chunk<ShareSignal>
  readonly taken: Deferred.Deferred<void> | null
}

/** None when the message cannot be decoded. The message of a deleted monitor has a key and no value. */
const readChange = ({ key, value }: KafkaMessage): Option.Option<AssignmentChange> => {
  if (key === null) return Option.none()
  const monitorId = MonitorId.make(key.toString())
  return value === null
    ? Option.some({ monitorId, assignment: null })
    : Option.map(assignmentWire.decode(value), (assignment) => ({ monitorId, assignment }))
}

/** The last change of each monitor in a batch; earlier ones are superseded. */
const readBatch = (messages: ReadonlyArray<KafkaMessage>) => {
  const changes = new Map<MonitorId, AssignmentChange>()
  const unreadable: Array<string> = []
  for (const message of messages) {
    const change = readChange(message)
    if (Option.isNone(change)) unreadable.push(message.offset)
    else changes.set(change.value.monitorId, change.value)
  }
  return { changes, unreadable }
}

/** The signals of one worker. It commits no offsets and joins at the beginning, so it knows every assignment of its partitions. */
const share = Effect.fn("KafkaAssignments.share")(function*(client: KafkaClient, region: RegionId) {
  const topic = client.topics.assignments
  const queue = yield* Queue.unbounded<PendingSignals>()
  let owned: ReadonlySet<number> = new Set()

  const joined = (total: number): NonNullable<Subscription["joined"]> => (partitions, consumer) => {
    owned = new Set(partitions)
    for (const partition of partitions) consumer.seek({ topic, partition, offset: "0" })
    queue.unsafeOffer({ signals: Chunk.of(ShareSignal.Owned({ partitions: owned, total })), taken: null })
  }

  const handle: Subscription["handle"] = Effect.fnUntraced(function*(delivery) {
    const { messages, partition } = delivery.batch
    if (delivery.isStale() || !owned.has(partition)) return
    const { changes, unreadable } = readBatch(messages)
    yield* skipUnreadable(topic, partition, unreadable)
    const signals = Chunk.map(Chunk.fromIterable(changes.values()), (change) => changedIn(region, partition, change))
    const taken = yield* Deferred.make<void>()
    yield* queue.offer({ signals, taken })
    yield* whileBeating(delivery, Deferred.await(taken))
    if (!delivery.isStale()) delivery.resolveOffset(delivery.batch.lastOffset())
  })

  const groupId = `${client.settings.topicPrefix}probe.${region}`
  yield* client.ready.pipe(
    Effect.andThen(retryForever("Counting the partitions of assignments", partitionsOf(client, topic))),
    Effect.flatMap((total) => consume(client, { groupId, topic, joined: joined(total), handle })),
    Effect.forkScoped
  )
  const take = queue.take.pipe(
    Effect.tap(({ taken }) => (taken === null ? Effect.void : Deferred.succeed(taken, undefined))),
    Effect.map(({ signals }) => signals)
  )
  return Stream.repeatEffectChunk(take)
})

/** The partitions that must hold nothing of a monitor: that of an earlier number, or any partition if it is gone. */
const emptyPlaces = (
  id: MonitorId,
  isGone: boolean,
  partitions: number,
  formerly: number | null
): ReadonlyArray<number> => {
  const now = partitionOf(id, partitions)
  const others = isGone ? Array.from({ length: partitions }, (_, n) => n) : formerly === null ? [] : [partitionOf(id, formerly)]
  return others.filter((other) => other !== now && other < partitions)
}

/** The messages that make a change the only thing kept about its monitor. */
const messagesOf =
  (partitions: number, formerly: number | null) => ({ assignment, monitorId }: AssignmentChange): Array<Message> => [
    {
      key: monitorId,
      value: assignment === null ? null : assignmentWire.encode(assignment),
      partition: partitionOf(monitorId, partitions)
    },
    ...emptyPlaces(monitorId, assignment === null, partitions, formerly).map((partition) => ({
      key: monitorId,
      value: null,
      partition
    }))
  ]

export const makeKafkaAssignments = Effect.fn("KafkaAssignments.make")(function*(client: KafkaClient) {
  const producer = yield* makeKafkaProducer(client, client.topics.assignments)
  let known: number | null = null
  const partitions = Effect.map(Effect.zipRight(client.ready, partitionsOf(client, client.topics.assignments)), (count) => {
    known = count
    return count
  })
  return {
    assign: (changes, formerly = null) =>
      Effect.flatMap(
        Effect.suspend(() => known === null ? partitions : Effect.succeed(known)),
        (count) => producer.send(changes.flatMap(messagesOf(count, formerly)))
      ),
    partitions,
    share: (region) => Stream.unwrapScoped(share(client, region))
  } satisfies Pick<Bus["Type"], "assign" | "partitions" | "share">
})
