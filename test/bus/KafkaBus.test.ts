import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { Kafka, logLevel } from "kafkajs"
import { randomUUID } from "node:crypto"
import { Bus } from "../../src/bus/Bus.ts"
import { KafkaBus } from "../../src/bus/KafkaBus.ts"
import { canRunKafka, type LocalKafka, makeLocalKafka } from "../support/LocalKafka.ts"
import { busContract } from "./BusContract.ts"
import { assigned, insist, main, monitor, record, result, until, work } from "./Fixtures.ts"

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
  const process = (topicPrefix: string) =>
    Effect.suspend(() =>
      Layer.build(KafkaBus.layer({ brokers: [kafka.address], topicPrefix, partitions })).pipe(
        Effect.flatMap((context) => Effect.provide(Bus, context))
      )
    )
  const freshPrefix = Effect.sync(() => `${randomUUID()}.`)
  const processes = Effect.gen(function*() {
    const prefix = yield* freshPrefix
    return { one: yield* process(prefix), two: yield* process(prefix) }
  })
  const client = () => new Kafka({ brokers: [kafka.address], logLevel: logLevel.NOTHING })
  const admin = Effect.acquireRelease(
    Effect.promise(async () => {
      const admin = client().admin()
      await admin.connect()
      return admin
    }),
    (admin) => Effect.promise(() => admin.disconnect())
  )

  busContract(processes)

  it.scopedLive("skips unreadable messages and continues", () =>
    Effect.gen(function*() {
      const prefix = yield* freshPrefix
      const bus = yield* process(prefix)
      yield* bus.report([result(monitor(1), 1)])
      yield* Effect.promise(async () => {
        const producer = client().producer()
        await producer.connect()
        const messages = ["nonsense", "{}", JSON.stringify({ ...result(monitor(1), 2), outcome: "sideways" }), null]
        await producer.send({ topic: `${prefix}check-results`, messages: messages.map((value) => ({ key: monitor(1), value })) })
        await producer.send({ topic: `${prefix}monitor-assignments`, messages: [{ key: monitor(1), value: "nonsense" }] })
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
      const topic = `${prefix}monitor-assignments`
      yield* Effect.flatMap(admin, (admin) =>
        Effect.promise(() => admin.resetOffsets({ groupId: `${prefix}probe.main`, topic, earliest: false })))
      yield* until(yield* work(bus), (share) =>
        share?.size === monitors.length)
    }))

  it.scopedLive("leaves its consumer groups when it closes, so that no member remains", () =>
    Effect.gen(function*() {
      const prefix = yield* freshPrefix
      const bus = yield* process(prefix)
      const inner = yield* Scope.make()
      const seen = yield* record(bus).pipe(Scope.extend(inner))
      const share = yield* work(bus).pipe(Scope.extend(inner))
      yield* bus.report([result(monitor(1), 1)])
      yield* until(seen, (results) => results.length === 1)
      yield* until(share, (now) => now !== null)
      yield* Scope.close(inner, Exit.void)
      const { groups } = yield* Effect.flatMap(admin, (admin) =>
        Effect.promise(() => admin.describeGroups([`${prefix}runners`, `${prefix}probe.main`])))
      expect(groups.map(({ members }) =>
        members.length
      )).toEqual([0, 0])
    }))

  it.scopedLive("loses no accepted message when the broker is killed and restarted", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
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
      yield* kafka.kill
      const refused = yield* Effect.flip(one.report([result(monitor(11), 1)]))
      expect(refused._tag).toBe("BusUnavailable")
      expect((yield* Effect.flip(one.ping))._tag).toBe("BusUnavailable")
      yield* kafka.start

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
      yield* kafka.kill
      const bus = yield* process(yield* freshPrefix)
      const seen = yield* record(bus)
      expect((yield* Effect.flip(bus.report([result(monitor(1), 1)])))._tag).toBe("BusUnavailable")
      yield* kafka.start
      yield* insist(bus.report([result(monitor(1), 2)]))
      const all = yield* until(seen, (results) => results.length > 0)
      expect(all.at(-1)?.slot).toBe(2)
    }), 120_000)
})
