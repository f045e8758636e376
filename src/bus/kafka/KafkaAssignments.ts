/** Assignments over Kafka: a compacted topic for each region, which every worker of the region replays for its partitions. */
import { Array as Arr, Chunk, Deferred, Effect, FiberHandle, Option, Queue, Stream } from "effect"
import type { KafkaMessage, Message } from "kafkajs"
import type { AssignmentChange } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { MonitorId } from "../../../schema/Ids.ts"
import { retryForever } from "../../loops/RetryForever.ts"
import { type Bus, changedIn, type PartitionCounts, type Publication, ShareSignal } from "../Bus.ts"
import { type BusKeys, lacksKeys, type ProbeKeys, type ServerKeys } from "../BusKeys.ts"
import { newerKey, newestEpoch, openedBy, removalFor, removalOf, sealedFor, type Unopened } from "../RegionMessages.ts"
import { noteRefusals, type Refusal } from "../Signed.ts"
import { assignmentWire, skipUnreadable } from "../Wire.ts"
import { regionGroups } from "./KafkaAccess.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { consume, type Subscription, whileBeating } from "./KafkaConsumer.ts"
import { partitionOf } from "./KafkajsInternals.ts"
import { acceptPatiently } from "./KafkaProducer.ts"
import type { KafkaRegions } from "./KafkaRegions.ts"
import { partitionsOf } from "./KafkaTopics.ts"
import { makeRegionProducers } from "./RegionProducers.ts"
import { regionTopics } from "./TopicPlans.ts"

/** Signals on their way to the worker; `taken` completes when the worker has them. */
interface PendingSignals {
  readonly signals: Chunk.Chunk<ShareSignal>
  readonly taken: Deferred.Deferred<void> | null
}

/** The message of a deleted monitor has a key and no value. */
const readChange = (probe: ProbeKeys, { headers, key, value }: KafkaMessage): AssignmentChange | Unopened | "unreadable" => {
  if (key === null) return "forged"
  const monitorId = MonitorId.make(key.toString())
  if (value === null) return removalOf(probe, monitorId, headers) ?? { monitorId, assignment: null }
  const text = openedBy(probe, "assignment", monitorId, value)
  if (typeof text === "string") return text
  const assignment = Option.getOrNull(assignmentWire.decode(text))
  return assignment?.monitorId === monitorId ? { monitorId, assignment } : "unreadable"
}

/** The last change of each monitor in a batch; earlier ones are superseded. */
const readBatch = (probe: ProbeKeys, messages: ReadonlyArray<KafkaMessage>) => {
  const changes = new Map<MonitorId, AssignmentChange>()
  const unreadable: Array<string> = []
  const refused: Array<Refusal> = []
  let lacksKey = false
  for (const message of messages) {
    const change = readChange(probe, message)
    if (change === "unreadable") unreadable.push(message.offset)
    else if (change === "forged") refused.push(change)
    else if (change === "later") lacksKey = true
    else if (change !== "former") changes.set(change.monitorId, change)
  }
  return { changes, unreadable, refused, lacksKey }
}

/** The signals of one worker. It commits no offsets and joins at the beginning, so it knows every assignment of its partitions. */
const share = Effect.fn("KafkaAssignments.share")(function*(client: KafkaClient, region: RegionId, probe: ProbeKeys) {
  const topic = regionTopics(client.settings.topicPrefix, region).assignments
  const queue = yield* Queue.unbounded<PendingSignals>()
  let owned: ReadonlySet<number> = new Set()
  let rewind = () => {}
  const waiting = yield* FiberHandle.make<void>()

  const joined = (total: number): NonNullable<Subscription["joined"]> => (partitions, consumer) => {
    owned = new Set(partitions)
    rewind = () => partitions.forEach((partition) => consumer.seek({ topic, partition, offset: "0" }))
    rewind()
    queue.unsafeOffer({ signals: Chunk.of(ShareSignal.Owned({ partitions: owned, total })), taken: null })
  }

  /** Messages sealed with a key that has not come yet are read again once it has: none is held, and none is lost. */
  const readAgain = (newest: number) =>
    newerKey(probe, newest).pipe(
      // A member that has ended meanwhile reads from the beginning anyway.
      Effect.zipRight(Effect.ignore(Effect.try(() => rewind()))),
      FiberHandle.run(waiting, { onlyIfMissing: true })
    )

  const handle: Subscription["handle"] = Effect.fnUntraced(function*(delivery) {
    const { messages, partition } = delivery.batch
    if (delivery.isStale() || !owned.has(partition)) return
    const newest = newestEpoch(probe)
    const { changes, lacksKey, refused, unreadable } = readBatch(probe, messages)
    if (lacksKey) yield* readAgain(newest)
    yield* skipUnreadable(topic, partition, unreadable)
    yield* noteRefusals(topic, refused)
    const signals = Chunk.map(Chunk.fromIterable(changes.values()), (change) => changedIn(region, partition, change))
    const taken = yield* Deferred.make<void>()
    yield* queue.offer({ signals, taken })
    yield* whileBeating(delivery, Deferred.await(taken))
    if (!delivery.isStale()) delivery.resolveOffset(delivery.batch.lastOffset())
  })

  const groupId = regionGroups(client.settings.topicPrefix, region).share
  yield* client.ready.pipe(
    Effect.andThen(retryForever(`Looking for the assignments of the region ${region}`, partitionsOf(client, topic))),
    Effect.flatMap((total) => consume(client, { groupId, topic, joined: joined(total), handle })),
    Effect.forkScoped
  )
  const take = queue.take.pipe(
    Effect.tap(({ taken }) => (taken === null ? Effect.void : Deferred.succeed(taken, undefined))),
    Effect.map(({ signals }) => signals)
  )
  return Stream.repeatEffectChunk(take)
})

/** The partitions of one region in which nothing of a monitor may be left: that of an earlier number, or all others if it left. */
const emptyPartitions = (
  id: MonitorId,
  hasLeft: boolean,
  partitions: number,
  formerly: number | undefined
): ReadonlyArray<number> => {
  if (hasLeft) return Array.from({ length: partitions }, (_, n) => n)
  const old = formerly === undefined ? null : partitionOf(id, formerly)
  return old === null || old >= partitions || old === partitionOf(id, partitions) ? [] : [old]
}

interface RegionMessage {
  readonly region: RegionId
  readonly message: Message
}

/**
 * The messages that make a publication the only thing kept about its monitor. A region without topics gets none: when its topics
 * come, everything is published again.
 */
const messagesOf =
  (servers: ServerKeys, counts: PartitionCounts, formerly: number | undefined) =>
  ({ assignment, left, monitorId }: Publication): Array<RegionMessage> => {
    const here = new Set(assignment?.regions ?? [])
    const text = assignment === null ? "" : assignmentWire.encode(assignment)
    const sealed = (region: RegionId) => sealedFor(servers, "assignment", region, monitorId, text)
    return [...new Set([...here, ...(left ?? counts.keys())])].flatMap((region): Array<RegionMessage> => {
      const partitions = counts.get(region)
      if (partitions === undefined) return []
      const isHere = here.has(region)
      const empty = emptyPartitions(monitorId, !isHere, partitions, formerly)
      return [
        ...(isHere
          ? [{ region, message: { key: monitorId, value: sealed(region), partition: partitionOf(monitorId, partitions) } }]
          : []),
        ...empty.map((partition) => ({ region, message: { ...removalFor(servers, region, monitorId), partition } }))
      ]
    })
  }

export const makeKafkaAssignments = Effect.fn("KafkaAssignments.make")(function*(
  client: KafkaClient,
  regions: KafkaRegions,
  { probe, servers }: BusKeys["Type"]
) {
  const producers = yield* makeRegionProducers(client, "assignments", { patience: acceptPatiently })
  return {
    assign: Effect.fnUntraced(function*(publications, only) {
      if (servers === null) return yield* lacksKeys("assign monitors")
      const takes = (region: RegionId): boolean => only === undefined || region === only.region
      const named = new Set(publications.flatMap(({ assignment }) => assignment?.regions ?? []).filter(takes))
      const left = new Set(publications.flatMap((one) => one.left ?? []).filter(takes))
      yield* Effect.forEach(named, regions.open, { discard: true })
      yield* Effect.forEach(left, regions.isOpen, { discard: true })
      const counts = new Map([...regions.known()].filter(([region]) => takes(region)))
      const messages = publications.flatMap(messagesOf(servers, counts, only?.formerly))
      const send = ([region, theirs]: [string, ReadonlyArray<RegionMessage>]) =>
        producers.send(RegionId.make(region), theirs.map(({ message }) => message))
      const byRegion = Object.entries(Arr.groupBy(messages, ({ region }) => region))
      yield* Effect.forEach(byRegion, send, { concurrency: "unbounded", discard: true })
    }),
    partitions: regions.look,
    share: (region) =>
      probe === null ? Stream.fromEffect(lacksKeys("check monitors")) : Stream.unwrapScoped(share(client, region, probe))
  } satisfies Pick<Bus["Type"], "assign" | "partitions" | "share">
})
