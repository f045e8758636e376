/** Messages at Kafka: what no enrolled probe has signed is worth nothing, and what is sealed to a region says nothing to others. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Layer, Queue, Ref, Scope, Stream, SubscriptionRef } from "effect"
import { Kafka, logLevel, type Message } from "kafkajs"
import { randomUUID } from "node:crypto"
import { register } from "prom-client"
import type { RegionId } from "../../schema/check/Region.ts"
import type { ProbeIdentity } from "../../schema/probe/ProbeIdentity.ts"
import { Bus } from "../../src/bus/Bus.ts"
import { BusKeys } from "../../src/bus/BusKeys.ts"
import { KafkaBus } from "../../src/bus/kafka/KafkaBus.ts"
import { openedBy } from "../../src/bus/RegionMessages.ts"
import { signed } from "../../src/bus/Signed.ts"
import { beatWire, resultWire } from "../../src/bus/Wire.ts"
import { monitorShard } from "../../src/domain/monitor/MonitorShard.ts"
import { makeOwnKeys } from "../../src/probe/OwnKeys.ts"
import { assigned, assignment, elsewhere, insist, main, monitor, record, request, result, until, work } from "../bus/Fixtures.ts"
import { canRunKafka, type LocalKafka, makeLocalKafka } from "../support/kafka/LocalKafka.ts"
import { makeTestServers, testIdentity, testProbe } from "../support/kafka/TestProbes.ts"
import { makeBeat } from "../support/probe/Beats.ts"
import { until as poll } from "../support/time/Until.ts"

const canRun = await canRunKafka()

/** How many messages were refused for a reason since the test run began. */
const refused = (topic: string, reason: string) =>
  Effect.promise(async () => {
    const metric = await register.getSingleMetric("belltower_bus_refused_messages_total")?.get()
    return metric?.values.find(({ labels }) => labels["topic"] === topic && labels["reason"] === reason)?.value ?? 0
  })

describe.skipIf(!canRun)("a client of Kafka", () => {
  const scope = Effect.runSync(Scope.make())
  let kafka: LocalKafka
  beforeAll(async () => {
    kafka = await Effect.runPromise(makeLocalKafka.pipe(Scope.extend(scope)))
    await Effect.runPromise(kafka.start)
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const busWith = (topicPrefix: string, keys: BusKeys["Type"]) =>
    Layer.build(
      Layer.provide(
        KafkaBus.layer({ brokers: [kafka.address], topicPrefix, partitions: 2, createTopics: keys.servers !== null }),
        Layer.succeed(BusKeys, keys)
      )
    ).pipe(Effect.flatMap((context) => Effect.provide(Bus, context)))

  /** Servers, the probe of main and that of elsewhere, and somebody who can write to Kafka and nothing else. */
  const stage = Effect.gen(function*() {
    const prefix = `${randomUUID()}.`
    const known = makeTestServers()
    const servers = yield* busWith(prefix, { servers: known.servers, probe: null })
    yield* insist(servers.ping)
    const probe = yield* busWith(prefix, { servers: null, probe: testProbe(main) })
    const other = yield* busWith(prefix, { servers: null, probe: testProbe(elsewhere) })
    const stranger = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const producer = new Kafka({ brokers: [kafka.address], logLevel: logLevel.NOTHING }).producer()
        await producer.connect()
        return producer
      }),
      (producer) => Effect.promise(() => producer.disconnect())
    )
    const sends = (topic: string, ...messages: ReadonlyArray<Message>) =>
      insist(Effect.tryPromise(() => stranger.send({ topic: prefix + topic, messages: [...messages] })))
    return { prefix, known, servers, probe, other, sends }
  })

  const down = (n: number) => ({ ...result(monitor(1), n), outcome: "down" as const, error: "made up" })
  const plain = (n: number): Message & { readonly key: string; readonly value: string } => ({
    key: monitor(1),
    value: resultWire.encode(down(n)),
    partition: monitorShard(result(monitor(1), n))
  })

  it.scopedLive(
    "takes no monitor down without an identity, or with that of another region or a revoked one",
    () =>
      Effect.gen(function*() {
        const { known, other, prefix, probe, sends, servers } = yield* stage
        const seen = yield* record(servers)
        yield* insist(probe.report([result(monitor(1), 1)]))
        yield* until(seen, (results) => results.length === 1)
        const genuine = signed(testProbe(main), "result", plain(2))
        const value = Buffer.from(genuine.value ?? "")
        yield* sends(
          "check-results",
          plain(2),
          // Somebody whom the servers do not know, and the name of a probe with the key of nobody.
          signed({ ...testProbe(main), id: testProbe("nowhere").id }, "result", plain(2)),
          signed({ ...testProbe(main), signing: testProbe("nowhere").signing }, "result", plain(2)),
          // A signature of another kind, of another key, and of a text in which one bit differs.
          signed(testProbe(main), "reply", plain(2)),
          { ...genuine, key: monitor(2) },
          { ...genuine, value: Buffer.concat([value.subarray(0, -1), Buffer.of((value.at(-1) ?? 0) ^ 1)]) }
        )
        yield* insist(other.report([down(2)]))
        yield* insist(probe.report([result(monitor(1), 3)]))
        yield* until(seen, (results) => results.some(({ slot }) => slot === 3))
        known.revoke(main)
        yield* insist(probe.report([down(4)]))
        const topic = `${prefix}check-results`
        yield* poll(refused(topic, "revoked"), (count) => count === 1)
        expect((yield* seen.get).map(({ outcome, slot }) => `${slot} ${outcome}`)).toEqual(["1 up", "3 up"])
        const reasons = ["unsigned", "unknown", "forged", "region"]
        expect(yield* Effect.forEach(reasons, (reason) => refused(topic, reason))).toEqual([1, 1, 4, 1])
      }),
    120_000
  )

  it.scopedLive("does not beat for a region, and keeps no beat to send it later", () =>
    Effect.gen(function*() {
      const { known, other, prefix, probe, sends, servers } = yield* stage
      const heard = yield* Queue.unbounded<string>()
      yield* Effect.forkScoped(Stream.runForEach(servers.beats, ({ region, workerId }) => heard.offer(`${region} ${workerId}`)))
      const now = yield* Clock.currentTimeMillis
      const beat = (workerId: string, more: { readonly region?: RegionId; readonly at?: number } = {}) =>
        makeBeat({ region: main, workerId, at: now, ...more })
      // A reader begins at the end, whenever that is.
      yield* Effect.forkScoped(
        Effect.forever(Effect.zipRight(Effect.ignore(probe.beat(beat("genuine"))), Effect.sleep("100 millis")))
      )
      expect(yield* heard.take).toBe("main genuine")
      yield* sends("probe-beats", { key: "stranger", value: beatWire.encode(beat("stranger")) })
      yield* insist(other.beat(beat("of another region")))
      yield* insist(probe.beat(beat("long ago", { at: now - 600_000 })))
      const topic = `${prefix}probe-beats`
      for (const reason of ["unsigned", "region", "stale"]) yield* poll(refused(topic, reason), (count) => count >= 1)
      known.revoke(main)
      yield* poll(refused(topic, "revoked"), (count) => count >= 1)
      expect(new Set([...yield* heard.takeAll])).toEqual(new Set(["main genuine"]))
    }), 120_000)

  it.scopedLive("does not answer a check on demand of another region, or about another monitor", () =>
    Effect.gen(function*() {
      const { prefix, probe, sends, servers } = yield* stage
      const asked = yield* Effect.makeLatch(false)
      const answer = yield* Effect.makeLatch(false)
      yield* insist(servers.open(main))
      yield* probe.answer(main, ({ monitorId }) => Effect.as(Effect.zipRight(asked.open, answer.await), result(monitorId, 7)))
      const wanted = yield* request(main, 60_000)
      const asking = yield* Effect.fork(insist(servers.ask(wanted)))
      yield* asked.await
      const made = (fields: object) => ({ key: wanted.requestId, value: JSON.stringify({ ...result(monitor(1), 9), ...fields }) })
      yield* sends(
        "check-replies",
        made({}),
        signed(testProbe(elsewhere), "reply", made({})),
        signed(testProbe(elsewhere), "reply", made({ region: elsewhere })),
        signed(testProbe(main), "reply", made({ monitorId: monitor(2) }))
      )
      const topic = `${prefix}check-replies`
      yield* poll(refused(topic, "monitor"), (count) => count === 1)
      expect([yield* refused(topic, "unsigned"), yield* refused(topic, "region")]).toEqual([1, 2])
      yield* answer.open
      expect((yield* Fiber.join(asking)).slot).toBe(7)
    }), 120_000)

  /** All that a topic holds. */
  const contentOf = (topic: string) =>
    Effect.promise(async () => {
      const client = new Kafka({ brokers: [kafka.address], logLevel: logLevel.NOTHING })
      const [admin, consumer] = [client.admin(), client.consumer({ groupId: randomUUID() })]
      await admin.connect()
      const ends = await admin.fetchTopicOffsets(topic)
      await admin.disconnect()
      let left = ends.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0)
      const found: Array<{ readonly key: string; readonly value: Buffer }> = []
      await consumer.connect()
      await consumer.subscribe({ topic, fromBeginning: true })
      await new Promise<void>((resolve) => {
        if (left === 0) resolve()
        void consumer.run({
          eachMessage: ({ message: { key, value } }) => {
            found.push({ key: String(key), value: value ?? Buffer.alloc(0) })
            if (--left === 0) resolve()
            return Promise.resolve()
          }
        })
      })
      await consumer.disconnect()
      return found
    })

  it.scopedLive(
    "reads nothing of an assignment or a request, not even with the files of another region's probe",
    () =>
      Effect.gen(function*() {
        const { prefix, probe, servers } = yield* stage
        const secrets = { headers: { Authorization: "Bearer very-secret" }, body: null, clientKey: null, clientSecret: null }
        const kept = { ...assignment(monitor(1)), secrets }
        yield* insist(servers.assign([{ monitorId: monitor(1), assignment: kept }]))
        const share = yield* work(probe)
        yield* until(share, (now) => now?.has(monitor(1)) === true)
        yield* probe.answer(main, (given) => {
          expect(given).toEqual(kept)
          return Effect.succeed(result(monitor(1), 5))
        })
        const wanted = { ...(yield* request(main, 30_000)), assignment: kept }
        expect((yield* insist(servers.ask(wanted))).slot).toBe(5)

        const [held] = yield* contentOf(`${prefix}monitor-assignments.main`)
        const [asked] = yield* contentOf(`${prefix}check-requests.main`)
        if (held === undefined || asked === undefined) return yield* Effect.dieMessage("The topics are empty")
        for (const { value } of [held, asked]) {
          for (const text of ["very-secret", "127.0.0.1", "Authorization", "target"]) expect(value.includes(text)).toBe(false)
        }
        const own = testProbe(main)
        expect(openedBy(own, "assignment", held.key, held.value).toString()).toContain("very-secret")
        expect(openedBy(own, "request", asked.key, asked.value).toString()).toContain("very-secret")
        const other = testProbe(elsewhere)
        expect(openedBy(other, "assignment", held.key, held.value)).toBe("forged")
        expect(openedBy(other, "request", asked.key, asked.value)).toBe("forged")
        // Moved to another monitor, or passed off as a request, it opens for nobody.
        expect(openedBy(own, "assignment", monitor(2), held.value)).toBe("forged")
        expect(openedBy(own, "request", held.key, held.value)).toBe("forged")
      }),
    120_000
  )

  it.scopedLive("stops no checks and orders none", () =>
    Effect.gen(function*() {
      const { other, prefix, probe, sends, servers } = yield* stage
      yield* insist(servers.assign([assigned(monitor(1)), assigned(monitor(2))]))
      const share = yield* work(probe)
      yield* until(share, (now) => now?.size === 2)
      const topic = "monitor-assignments.main"
      yield* sends(
        topic,
        { key: monitor(1), value: null },
        { key: monitor(2), value: null, headers: { epoch: "1", mac: "made up" } },
        { key: monitor(3), value: JSON.stringify(assignment(monitor(3))) }
      )
      yield* poll(refused(prefix + topic, "forged"), (count) => count === 3)
      yield* insist(servers.assign([assigned(monitor(4))]))
      yield* until(share, (now) => now?.has(monitor(4)) === true)
      expect([...((yield* share.get) ?? new Map()).keys()].sort()).toEqual([monitor(1), monitor(2), monitor(4)])
      // The genuine removal works.
      yield* insist(servers.assign([{ monitorId: monitor(1), assignment: null }]))
      yield* until(share, (now) => now?.has(monitor(1)) === false)
      void other
    }), 120_000)

  it.scopedLive("moves no clock", () =>
    Effect.gen(function*() {
      const { prefix, probe, sends, servers } = yield* stage
      const heard = yield* Queue.unbounded<number>()
      yield* Effect.forkScoped(Stream.runForEach(probe.times ?? Stream.empty, (time) => heard.offer(time)))
      const reported = yield* Ref.make(1_000)
      const next = Ref.updateAndGet(reported, (time) => time + 1)
      yield* Effect.forkScoped(
        Effect.forever(Effect.zipRight(Effect.ignore(servers.publishTime(next)), Effect.sleep("50 millis")))
      )
      yield* heard.take
      const time = (proofs: object) => ({ key: "time", value: JSON.stringify({ serverTime: 9_999_999, proofs }) })
      yield* sends(
        "probe-control",
        time({}),
        time({ main: { epoch: 1, proof: "made up" } }),
        time({ main: { epoch: 7, proof: "" } })
      )
      yield* poll(refused(`${prefix}probe-control`, "forged"), (count) => count === 1)
      yield* poll(refused(`${prefix}probe-control`, "unknown"), (count) => count >= 2)
      const all = [...yield* Queue.takeBetween(heard, 20, 1_000)]
      expect(all.every((one) => one < 9_999_999)).toBe(true)
    }), 120_000)

  it.scopedLive(
    "does not get the next key of its region once it was revoked, and others read all assignments with it",
    () =>
      Effect.gen(function*() {
        const { known, prefix, servers } = yield* stage
        const saved = yield* SubscriptionRef.make<ProbeIdentity>(testIdentity(main))
        const own = yield* makeOwnKeys(testIdentity(main), "probe.json", (identity) => SubscriptionRef.set(saved, identity))
        const probe = yield* busWith(prefix, { servers: null, probe: own.keys })
        yield* Effect.forkScoped(Stream.runDrain(probe.times ?? Stream.empty))
        yield* insist(servers.assign([assigned(monitor(1)), assigned(monitor(2))]))
        const share = yield* work(probe)
        yield* until(share, (now) => now?.size === 2)

        // The key is replaced before the probe hears of it: what it cannot read yet is not lost.
        known.nextEpoch(main)
        yield* insist(servers.assign([assigned(monitor(1), [main], 2), assigned(monitor(3))]))
        const [heldBy] = (yield* contentOf(`${prefix}monitor-assignments.main`)).filter(({ key }) => key === monitor(3))
        expect(openedBy(testProbe(main), "assignment", monitor(3), heldBy?.value ?? Buffer.alloc(0))).toBe("later")
        const now = yield* Clock.currentTimeMillis
        yield* Effect.forkScoped(Stream.runDrain(servers.beats))
        const telling = Effect.all([
          Effect.ignore(probe.beat(makeBeat({ region: main, at: now }))),
          Effect.ignore(servers.publishKeys ?? Effect.void),
          Effect.sleep("100 millis")
        ])
        yield* Effect.forkScoped(Effect.forever(telling))
        yield* until(share, (all) => all?.get(monitor(1))?.revision === 2 && all.has(monitor(2)) && all.has(monitor(3)))
        expect((yield* until(saved, ({ keys }) => keys.length === 2)).keys.map(({ epoch }) => epoch)).toEqual([2, 1])

        known.revoke(main)
        const refusal = yield* Effect.flip(own.ended)
        expect(refusal.message).toContain("was revoked. To enrol it again, delete probe.json")
        expect((yield* until(saved, ({ revoked }) => revoked)).revoked).toBe(true)
        // Nor does it start with what it has kept.
        const again = yield* Effect.flip(makeOwnKeys(yield* SubscriptionRef.get(saved), "probe.json", () => Effect.void))
        expect(again.message).toContain("was revoked")
      }),
    120_000
  )
})
