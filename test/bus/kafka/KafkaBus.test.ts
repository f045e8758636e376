import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Layer, Queue, Scope, Stream } from "effect"
import { CompressionCodecs, CompressionTypes, ConfigResourceTypes, Kafka, logLevel } from "kafkajs"
import { randomUUID } from "node:crypto"
import type { Beat, CheckResult } from "../../../schema/check/Bus.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorId } from "../../../schema/Ids.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { BusKeys } from "../../../src/bus/BusKeys.ts"
import { KafkaBus } from "../../../src/bus/kafka/KafkaBus.ts"
import type { KafkaSettings } from "../../../src/bus/kafka/KafkaClient.ts"
import { openedBy } from "../../../src/bus/RegionMessages.ts"
import { signed } from "../../../src/bus/Signed.ts"
import { monitorShard } from "../../../src/domain/monitor/MonitorShard.ts"
import { shardCount } from "../../../src/domain/tools/Shard.ts"
import { canRunKafka, type LocalKafka, makeLocalKafka } from "../../support/kafka/LocalKafka.ts"
import { probeKeys, testProbe } from "../../support/kafka/TestProbes.ts"
import { makeBeat } from "../../support/probe/Beats.ts"
import { until as poll } from "../../support/time/Until.ts"
import { busContract } from "../BusContract.ts"
import {
  assigned,
  elsewhere,
  gone,
  insist,
  keptOffsets,
  main,
  monitor,
  reader,
  record,
  request,
  result,
  takenIn,
  until,
  work
} from "../Fixtures.ts"

const shardsWhere = (isHeld: (shard: number) => boolean): ReadonlySet<number> =>
  new Set(Array.from({ length: shardCount }, (_, shard) => shard).filter(isHeld))

interface Codec {
  readonly compress: (encoder: unknown) => Promise<Buffer>
  readonly decompress: (bytes: Buffer) => Promise<Buffer>
}

const canRun = await canRunKafka()
const partitions = 4

describe.skipIf(!canRun)("KafkaBus", () => {
  const scope = Effect.runSync(Scope.make())
  let kafka: LocalKafka
  beforeAll(async () => {
    kafka = await Effect.runPromise(makeLocalKafka.pipe(Scope.extend(scope)))
    await Effect.runPromise(kafka.start)
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  /** One process; processes with the same prefix share a bus. */
  const process = (topicPrefix: string, region: string = main, more: Partial<KafkaSettings> = {}) =>
    Effect.suspend(() =>
      Layer.build(
        Layer.provide(KafkaBus.layer({ brokers: [kafka.address], topicPrefix, partitions, ...more }), probeKeys(region))
      ).pipe(
        Effect.flatMap((context) => Effect.provide(Bus, context))
      )
    )
  /** One probe, which creates no topics. */
  const probeProcess = (topicPrefix: string) =>
    Layer.build(
      Layer.provide(
        KafkaBus.layer({ brokers: [kafka.address], topicPrefix, partitions, createTopics: false }),
        Layer.succeed(BusKeys, { servers: null, probe: testProbe() })
      )
    ).pipe(
      Effect.flatMap((context) => Effect.provide(Bus, context))
    )
  const freshPrefix = Effect.sync(() => `${randomUUID()}.`)
  const processesWith = (more: Partial<KafkaSettings>) =>
    Effect.gen(function*() {
      const prefix = yield* freshPrefix
      const one = yield* process(prefix, main, more)
      // As the first beats of their probes do.
      yield* Effect.forEach([main, elsewhere], (region) => insist(one.open(region)), { discard: true })
      return { one, two: yield* process(prefix, main, more), other: yield* process(prefix, elsewhere, more) }
    })
  const processes = processesWith({})

  // Each waits for most of a minute until its own broker is given up, and found again.
  describe.concurrent("whose broker is away", () => {
    it.scopedLive("loses no accepted message when the broker is killed and restarted", () =>
      Effect.gen(function*() {
        const broker = yield* makeLocalKafka
        yield* broker.start
        const { one, two } = yield* processesWith({ brokers: [broker.address] })
        const seen = yield* record(two)
        const share = yield* work(two)
        yield* one.assign([assigned(monitor(1))])
        yield* one.report([result(monitor(1), 1)])
        yield* until(seen, (results) => results.length > 0)
        yield* until(share, (now) => now?.size === 1)

        // Reports continue during the outage: each is accepted, or refused and retried.
        const reporting = yield* Effect.forEach(
          Array.from({ length: 400 }, (_, n) => result(monitor(n % 10), n + 2)),
          (next) => insist(one.report([next])),
          { discard: true }
        ).pipe(Effect.fork)
        yield* broker.kill
        const refused = yield* Effect.flip(one.report([result(monitor(11), 1)]))
        expect(refused._tag).toBe("BusUnavailable")
        expect((yield* Effect.flip(one.ping))._tag).toBe("BusUnavailable")
        yield* broker.start

        yield* reporting
        const all = yield* until(seen, (results) => new Set(results.map(({ slot }) => slot)).size >= 401)
        for (let n = 0; n < 10; n++) {
          const firsts = [...new Set(all.filter(({ monitorId }) => monitorId === monitor(n)).map(({ slot }) => slot))]
          expect(firsts).toEqual([...firsts].sort((a, b) => a - b))
        }
        yield* insist(one.assign([assigned(monitor(1), [main], 2)]))
        yield* until(share, (now) => now?.get(monitor(1))?.revision === 2)
        yield* insist(one.ping)
      }), 120_000)

    it.scopedLive("may start before its broker", () =>
      Effect.gen(function*() {
        const broker = yield* makeLocalKafka
        const bus = yield* process(yield* freshPrefix, main, { brokers: [broker.address] })
        const seen = yield* record(bus)
        expect((yield* Effect.flip(bus.report([result(monitor(1), 1)])))._tag).toBe("BusUnavailable")
        yield* broker.start
        yield* insist(bus.report([result(monitor(1), 2)]))
        const all = yield* until(seen, (results) => results.length > 0)
        expect(all.at(-1)?.slot).toBe(2)
      }), 120_000)
  })

  it.scopedLive("tells every process the time, and passes it to none that reads beats", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
      const heard = yield* Queue.unbounded<number>()
      const beaten = yield* Queue.unbounded<Beat>()
      yield* Effect.forkScoped(Stream.runForEach(two.times ?? Stream.empty, (time) => Queue.offer(heard, time)))
      yield* Effect.forkScoped(Stream.runForEach(two.beats, (beat) => Queue.offer(beaten, beat)))
      const beat = makeBeat({ region: main, at: yield* Clock.currentTimeMillis })
      // A reader begins at the end, whenever that is.
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.zipRight(Effect.all([one.publishTime(Effect.succeed(42)), one.beat(beat)]), Effect.sleep("100 millis"))
        )
      )
      expect([...yield* Queue.takeBetween(heard, 3, 3)]).toEqual([42, 42, 42])
      expect([...yield* Queue.takeBetween(beaten, 3, 3)]).toEqual([beat, beat, beat])
    }))

  const client = () => new Kafka({ brokers: [kafka.address], logLevel: logLevel.NOTHING })
  const admin = Effect.acquireRelease(
    Effect.promise(async () => {
      const admin = client().admin()
      await admin.connect()
      return admin
    }),
    (admin) => Effect.promise(() => admin.disconnect())
  )

  /** The content of a compacted topic: the last value of each key in each partition. */
  const readAll = async (topic: string) => {
    const kafka = client()
    const [operator, consumer] = [kafka.admin(), kafka.consumer({ groupId: randomUUID() })]
    await operator.connect()
    const ends = new Map((await operator.fetchTopicOffsets(topic)).map(({ high, partition }) => [partition, Number(high)]))
    await operator.disconnect()
    const kept = new Map<string, { readonly key: string; readonly partition: number; readonly value: string }>()
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await new Promise<void>((resolve) => {
      const left = new Set([...ends].flatMap(([partition, end]) => end > 0 ? [partition] : []))
      void consumer.run({
        eachMessage: ({ message: { key, offset, value }, partition }) => {
          const id = String(key)
          if (value === null) kept.delete(`${partition}/${id}`)
          else {
            const region = topic.slice(topic.lastIndexOf(".") + 1)
            const text = openedBy(testProbe(region), "assignment", id, value).toString()
            kept.set(`${partition}/${id}`, { key: id, partition, value: text })
          }
          if (Number(offset) + 1 === ends.get(partition)) left.delete(partition)
          if (left.size === 0) resolve()
          return Promise.resolve()
        }
      })
    })
    await consumer.disconnect()
    return [...kept.values()]
  }

  busContract(processes)

  it.scopedLive("compresses results that travel together, and each keeps its signature and its place", () =>
    Effect.gen(function*() {
      const bus = yield* process(yield* freshPrefix)
      const codec: Codec = CompressionCodecs[CompressionTypes.GZIP]()
      const used = { compress: 0, decompress: 0 }
      CompressionCodecs[CompressionTypes.GZIP] = (): Codec => ({
        compress: (encoder) => {
          used.compress++
          return codec.compress(encoder)
        },
        decompress: (bytes) => {
          used.decompress++
          return codec.decompress(bytes)
        }
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => void (CompressionCodecs[CompressionTypes.GZIP] = () => codec)))

      yield* insist(bus.report([result(monitor(1), 0), result(monitor(2), 0)]))
      expect(used).toEqual({ compress: 0, decompress: 0 })
      yield* insist(bus.report(Array.from({ length: 60 }, (_, n) => result(monitor(n % 3), n + 1))))
      const seen = yield* record(bus)
      // A producer that got no answer in time sends again, so some may come twice.
      const distinct = (results: ReadonlyArray<CheckResult>) => [
        ...new Map(results.map((one) => [`${one.monitorId} ${one.slot}`, one])).values()
      ]
      const all = distinct(yield* until(seen, (results) => distinct(results).length === 62))
      const slotsOf = (id: MonitorId) => all.filter(({ monitorId }) => monitorId === id).map(({ slot }) => slot)
      expect(slotsOf(monitor(1))).toEqual([0, ...Array.from({ length: 20 }, (_, n) => 3 * n + 2)])
      expect(Math.min(used.compress, used.decompress)).toBeGreaterThan(0)
    }))

  it.scopedLive("skips unreadable messages and continues", () =>
    Effect.gen(function*() {
      const prefix = yield* freshPrefix
      const bus = yield* process(prefix)
      yield* bus.report([result(monitor(1), 1)])
      yield* bus.open(main)
      yield* Effect.promise(async () => {
        const producer = client().producer()
        await producer.connect()
        const texts = ["nonsense", "{}", JSON.stringify({ ...result(monitor(1), 2), outcome: "sideways" })]
        const messages = texts.map((value) => signed(testProbe(), "result", { key: monitor(1), value }))
        await producer.send({ topic: `${prefix}check-results`, messages: [...messages, { key: monitor(1), value: null }] })
        await producer.send({ topic: `${prefix}monitor-assignments.main`, messages: [{ key: monitor(1), value: "nonsense" }] })
        await producer.disconnect()
      })
      yield* bus.report([result(monitor(1), 3)])
      yield* bus.assign([assigned(monitor(1), [main], 2)])
      const seen = yield* record(bus)
      expect((yield* until(seen, (results) => results.length === 2)).map(({ slot }) => slot)).toEqual([1, 3])
      yield* until(yield* work(bus), (share) => share?.get(monitor(1))?.revision === 2)
    }))

  it.scopedLive("replays every assignment even if offsets were committed for the group", () =>
    Effect.gen(function*() {
      const prefix = yield* freshPrefix
      const bus = yield* process(prefix)
      const monitors = Array.from({ length: 20 }, (_, n) => monitor(n))
      yield* bus.assign(monitors.map((id) => assigned(id)))
      const topic = `${prefix}monitor-assignments.main`
      yield* Effect.flatMap(admin, (admin) =>
        Effect.promise(() => admin.resetOffsets({ groupId: `${prefix}probe.main`, topic, earliest: false })))
      yield* until(yield* work(bus), (share) =>
        share?.size === monitors.length)
    }))

  it.scopedLive("leaves its only consumer group, that of assignments, when it closes, so that no member remains", () =>
    Effect.gen(function*() {
      const prefix = yield* freshPrefix
      const bus = yield* process(prefix)
      yield* bus.open(main)
      const inner = yield* Scope.make()
      const seen = yield* record(bus).pipe(Scope.extend(inner))
      const share = yield* work(bus).pipe(Scope.extend(inner))
      yield* bus.report([result(monitor(1), 1)])
      yield* until(seen, (results) => results.length === 1)
      yield* until(share, (now) => now !== null)
      yield* Scope.close(inner, Exit.void)
      const { groups } = yield* Effect.flatMap(admin, (admin) =>
        Effect.promise(async () => {
          const { groups: all } = await admin.listGroups()
          return admin.describeGroups(all.flatMap(({ groupId }) => groupId.startsWith(prefix) ? [groupId] : []))
        }))
      expect(groups.map(({ members }) => members.length)).toEqual([0])
    }))

  it.scopedLive(
    "delivers the results of a shard to the process that holds it, and continues with the next holder",
    () =>
      Effect.gen(function*() {
        const prefix = yield* freshPrefix
        const [one, two] = [yield* process(prefix), yield* process(prefix)]
        const monitors = Array.from({ length: 100 }, (_, n) => monitor(n))
        const isOdd = (id: MonitorId) => monitorShard(result(id, 0)) % 2 === 1
        const half = (odd: boolean) => shardsWhere((shard) => shard % 2 === (odd ? 1 : 0))
        let held = [half(false), half(true)] as const
        const seenByOne = yield* record(one, reader(() => held[0]))
        const seenByTwo = yield* record(two, reader(() => held[1]))

        const idsOf = (results: ReadonlyArray<CheckResult>) => new Set(results.map(({ monitorId }) => monitorId))
        yield* insist(one.report(monitors.map((id) => result(id, 1))))
        yield* until(seenByOne, (results) => idsOf(results).size === monitors.filter((id) => !isOdd(id)).length)
        yield* until(seenByTwo, (results) => idsOf(results).size === monitors.filter(isOdd).length)
        expect(yield* Effect.map(seenByOne.get, (results) => results.some(({ monitorId }) => isOdd(monitorId)))).toBe(false)
        const total = (offsets: ReadonlyArray<string>) => offsets.reduce((sum, next) => sum + Number(next), 0)
        const topic = `${prefix}check-results`
        const ends = yield* Effect.flatMap(admin, (admin) => Effect.promise(() => admin.fetchTopicOffsets(topic)))
        yield* poll(
          Effect.sync(() => total(keptOffsets(topic))),
          (kept) => kept === total(ends.map(({ high }) => high))
        )

        held = [half(true), half(false)]
        yield* insist(one.report(monitors.map((id) => result(id, 2))))
        const ofOne = yield* until(seenByOne, (results) => results.some(({ monitorId, slot }) => isOdd(monitorId) && slot === 2))
        yield* until(seenByTwo, (results) => results.some(({ monitorId, slot }) => !isOdd(monitorId) && slot === 2))
        // What the other one had done is not done again.
        expect(ofOne.filter(({ monitorId, slot }) => isOdd(monitorId) && slot === 1)).toEqual([])
      }),
    120_000
  )

  it.scopedLive(
    "stops reading a partition that another process has claimed, and loses none of its results",
    () =>
      Effect.gen(function*() {
        const prefix = yield* freshPrefix
        const [one, two] = [yield* process(prefix), yield* process(prefix)]
        const begun = yield* Deferred.make<void>()
        const release = yield* Deferred.make<void>()
        let oneHolds = shardsWhere(() => true)
        // The first process holds results whose rows are not written when the second one claims their partition.
        yield* one.results(
          () => Effect.as(Deferred.succeed(begun, undefined), takenIn(Deferred.await(release))),
          reader(() => oneHolds)
        )
        yield* insist(one.report([result(monitor(1), 1), result(monitor(1), 2)]))
        yield* Deferred.await(begun)
        const seen = yield* record(two, reader(() => shardsWhere((shard) => shard === monitorShard(result(monitor(1), 1)))))
        yield* until(seen, (results) => results.length >= 2)
        yield* insist(one.report([result(monitor(1), 3)]))
        yield* Deferred.succeed(release, undefined)
        oneHolds = new Set()
        const all = yield* until(seen, (results) => results.some(({ slot }) => slot === 3))
        expect([...new Set(all.map(({ slot }) => slot))]).toEqual([1, 2, 3])
        yield* poll(Effect.sync(() => keptOffsets(`${prefix}check-results`)), (kept) => kept.some((next) => Number(next) >= 3))
      }),
    120_000
  )

  it.scopedLive("makes topics again that are deleted while it runs, and goes on with them", () =>
    Effect.gen(function*() {
      const prefix = yield* freshPrefix
      const bus = yield* process(prefix, main, { lookEvery: "500 millis" })
      const seen = yield* record(bus)
      const heard = yield* Queue.unbounded<number>()
      yield* Effect.forkScoped(Stream.runForEach(bus.times ?? Stream.empty, (time) => Queue.offer(heard, time)))
      yield* insist(bus.report([result(monitor(1), 1), result(monitor(1), 2)]))
      yield* until(seen, (results) => results.length >= 2)
      yield* Effect.flatMap(
        admin,
        (admin) => Effect.promise(() => admin.deleteTopics({ topics: [`${prefix}check-results`, `${prefix}probe-control`] }))
      )
      // Again and again: brokers take what comes while they delete a topic, and delete it, too.
      const report = Effect.zipRight(insist(bus.report([result(monitor(1), 3)])), Effect.sleep("500 millis"))
      yield* Effect.forkScoped(Effect.forever(report))
      // Its offset is before those of the deleted topic.
      yield* until(seen, (results) => results.some(({ slot }) => slot === 3))
      yield* Effect.forkScoped(
        Effect.forever(Effect.zipRight(Effect.ignore(bus.publishTime(Effect.succeed(7))), Effect.sleep("100 millis")))
      )
      expect(yield* Queue.take(heard)).toBe(7)
    }), 60_000)

  it.scopedLive(
    "begins anew where the kept offsets lie behind the end, as after a restore beside other brokers",
    () =>
      Effect.gen(function*() {
        const bus = yield* process(yield* freshPrefix)
        yield* insist(bus.report([result(monitor(1), 1), result(monitor(2), 2)]))
        const own = reader(() => shardsWhere(() => true))
        const seen = yield* record(bus, {
          ...own,
          claim: (topic, partitions) =>
            Effect.as(own.claim(topic, partitions), new Map(partitions.map((partition) => [partition, "1000000"])))
        })
        yield* until(seen, (results) => new Set(results.map(({ slot }) => slot)).size === 2)
      }),
    60_000
  )

  it.scopedLive("gives a topic of results with too few partitions more", () =>
    Effect.gen(function*() {
      const prefix = yield* freshPrefix
      const topic = `${prefix}check-results`
      yield* Effect.flatMap(
        admin,
        (admin) =>
          Effect.promise(() => admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: partitions }] }))
      )
      const bus = yield* process(prefix)
      const seen = yield* record(bus)
      yield* bus.report(Array.from({ length: 20 }, (_, n) => result(monitor(n), 1)))
      // Some come twice when a broker refuses a part of a request: the partitions are new.
      yield* until(seen, (results) => new Set(results.map(({ monitorId }) => monitorId)).size === 20)
      const { topics: [found] } = yield* Effect.flatMap(
        admin,
        (admin) => Effect.promise(() => admin.fetchTopicMetadata({ topics: [topic] }))
      )
      expect(found?.partitions).toHaveLength(shardCount)
    }))

  it.scopedLive(
    "keeps the offsets of all partitions but that of a late result, which is delivered again",
    () =>
      Effect.gen(function*() {
        const prefix = yield* freshPrefix
        const [one, two] = [yield* process(prefix), yield* process(prefix)]
        const scope = yield* Scope.make()
        const isLate = ({ monitorId }: CheckResult) => monitorShard(result(monitorId, 1)) === monitorShard(result(monitor(1), 1))
        yield* one.results((batch) => {
          const late = batch.filter(isLate)
          return Effect.succeed({
            stored: Effect.void,
            late: late.length === 0 ? null : { results: new Set(late), stored: Effect.never }
          })
        }, reader()).pipe(Scope.extend(scope))
        const results = Array.from({ length: 8 }, (_, n) => result(monitor(n + 1), 1))
        yield* insist(one.report(results))
        const prompt = new Set(results.filter((one) => !isLate(one)).map(monitorShard))
        yield* poll(Effect.sync(() => keptOffsets(`${prefix}check-results`)), (kept) => kept.length === prompt.size)
        yield* Scope.close(scope, Exit.void)
        const seen = yield* record(two)
        const all = yield* until(seen, (found) => found.some(isLate))
        expect(all.every(isLate)).toBe(true)
      }),
    120_000
  )

  it.scopedLive("keeps nothing of a monitor in its old place once the assignments have more partitions", () =>
    Effect.gen(function*() {
      const prefix = yield* freshPrefix
      const topic = `${prefix}monitor-assignments.main`
      const bus = yield* process(prefix)
      const monitors = Array.from({ length: 40 }, (_, n) => monitor(n))
      yield* bus.assign(monitors.map((id) => assigned(id)))
      const operator = yield* admin
      yield* Effect.promise(() => operator.createPartitions({ topicPartitions: [{ topic, count: 7 }] }))
      yield* poll(bus.partitions, (places) => places.get(main) === 7)
      // The bus's own producer does not know the new partitions yet.
      yield* insist(
        bus.assign(monitors.slice(0, 30).map((id) => assigned(id, [main], 2)), { region: main, formerly: partitions })
      )
      yield* insist(bus.assign(monitors.slice(30).map(gone)))
      const kept = yield* Effect.promise(() => readAll(topic))
      expect(kept.map(({ key }) => key).toSorted()).toEqual(monitors.slice(0, 30))
      expect(kept.every(({ value }) => value.includes("\"revision\":2"))).toBe(true)
      expect(kept.some(({ partition }) => partition >= partitions)).toBe(true)
      const share = yield* work(yield* process(prefix))
      yield* until(share, (all) => all?.size === 30 && [...all.values()].every(({ revision }) => revision === 2))
    }))

  it.scopedLive("keeps an assignment in the topics of its regions only, also when it moves or a region comes later", () =>
    Effect.gen(function*() {
      const prefix = yield* freshPrefix
      const bus = yield* process(prefix)
      const kept = (region: RegionId) => Effect.promise(() => readAll(`${prefix}monitor-assignments.${region}`))
      const idsIn = (region: RegionId) => Effect.map(kept(region), (all) => all.map(({ key }) => key).toSorted())
      yield* bus.assign([assigned(monitor(1)), assigned(monitor(2), [main, elsewhere]), assigned(monitor(3), [elsewhere])])
      expect([yield* idsIn(main), yield* idsIn(elsewhere)]).toEqual([[monitor(1), monitor(2)], [monitor(2), monitor(3)]])
      const moved = { ...assigned(monitor(1), [elsewhere], 2), left: [main] }
      yield* bus.assign([moved, { ...gone(monitor(2)), left: [main, elsewhere] }, gone(monitor(3))])
      expect([yield* idsIn(main), yield* idsIn(elsewhere)]).toEqual([[], [monitor(1)]])
      expect(yield* bus.partitions).toEqual(new Map([[main, partitions], [elsewhere, partitions]]))
    }))

  it.scopedLive("a region whose topics take no messages holds up no other", () =>
    Effect.gen(function*() {
      const prefix = yield* freshPrefix
      const bus = yield* process(prefix)
      yield* Effect.forEach([main, elsewhere], (region) => insist(bus.open(region)), { discard: true })
      const topics = ["monitor-assignments", "check-requests"].map((name) => `${prefix}${name}.${elsewhere}`)
      const configEntries = [{ name: "max.message.bytes", value: "1" }]
      const resources = topics.map((name) => ({ type: ConfigResourceTypes.TOPIC, name, configEntries }))
      yield* Effect.flatMap(admin, (admin) => Effect.promise(() => admin.alterConfigs({ validateOnly: false, resources })))
      yield* bus.answer(main, ({ monitorId }) => Effect.succeed(result(monitorId, 7)))

      yield* Effect.forkScoped(Effect.forever(Effect.ignore(bus.assign([assigned(monitor(1), [elsewhere])]))))
      yield* Effect.forkScoped(
        Effect.forever(Effect.ignore(Effect.scoped(Effect.flatMap(request(elsewhere, 20_000), bus.ask))))
      )
      yield* Effect.repeatN(bus.assign([{ ...assigned(monitor(2), [main]), left: [] }]), 9)
      yield* Effect.repeatN(Effect.scoped(Effect.flatMap(request(main, 20_000), bus.ask)), 9)
    }), 60_000)

  it.scopedLive("a replay sends nothing to the regions that a monitor does not name", () =>
    Effect.gen(function*() {
      const prefix = yield* freshPrefix
      const bus = yield* process(prefix)
      yield* bus.open(elsewhere)
      yield* bus.assign(Array.from({ length: 20 }, (_, n) => ({ ...assigned(monitor(n)), left: [] })))
      const operator = yield* admin
      const ends = yield* Effect.promise(() => operator.fetchTopicOffsets(`${prefix}monitor-assignments.elsewhere`))
      expect(ends.map(({ high }) => high)).toEqual(Array.from({ length: partitions }, () => "0"))
    }))

  it.scopedLive("a probe creates no topics, and begins once a server has", () =>
    Effect.gen(function*() {
      const prefix = yield* freshPrefix
      const operator = yield* admin
      const probe = yield* probeProcess(prefix)
      const share = yield* work(probe)
      yield* probe.answer(main, ({ monitorId }) => Effect.succeed(result(monitorId, 7)))
      yield* Effect.sleep("2 seconds")
      expect((yield* Effect.promise(() => operator.listTopics())).filter((topic) => topic.startsWith(prefix))).toEqual([])
      const server = yield* process(prefix)
      yield* insist(server.assign([assigned(monitor(1))]))
      yield* until(share, (now) => now?.size === 1)
      expect((yield* Effect.flatMap(request(main, 20_000), server.ask)).slot).toBe(7)
      expect(yield* probe.open(elsewhere)).toBe(false)
    }))
})
