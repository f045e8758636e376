/** The bus over a broker with TLS and SASL, as operators run it. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Redacted, Scope } from "effect"
import { Kafka, logLevel } from "kafkajs"
import { randomUUID } from "node:crypto"
import { Bus } from "../../src/bus/Bus.ts"
import { KafkaBus } from "../../src/bus/kafka/KafkaBus.ts"
import type { KafkaSasl, KafkaSettings } from "../../src/bus/kafka/KafkaClient.ts"
import { canRunKafka } from "../support/kafka/LocalKafka.ts"
import { administrator, makeSecuredKafka, type SecuredKafka } from "../support/kafka/SecuredKafka.ts"
import { probeKeys } from "../support/kafka/TestProbes.ts"
import { monitor, record, result, until } from "./Fixtures.ts"

const canRun = await canRunKafka()

describe.skipIf(!canRun)("a broker with TLS and SASL", () => {
  const scope = Effect.runSync(Scope.make())
  let broker: SecuredKafka
  beforeAll(async () => {
    broker = await Effect.runPromise(Scope.extend(makeSecuredKafka(false), scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const settings = (mechanism: KafkaSasl["mechanism"], more: Partial<KafkaSettings> = {}): KafkaSettings => ({
    // The first broker of the list is away.
    brokers: ["127.0.0.1:1", broker.secured],
    topicPrefix: `${randomUUID()}.`,
    partitions: 2,
    tls: { ca: Option.some(broker.ca), cert: Option.none(), key: Option.none() },
    sasl: Option.some({ mechanism, username: administrator.username, password: Redacted.make(administrator.password) }),
    ...more
  })
  const busOf = (given: KafkaSettings) =>
    Effect.flatMap(Layer.build(Layer.provide(KafkaBus.layer(given), probeKeys())), (context) => Effect.provide(Bus, context))

  it.scopedLive.each<KafkaSasl["mechanism"]>(["plain", "scram-sha-256", "scram-sha-512"])(
    "carries results with %s",
    (mechanism) =>
      Effect.gen(function*() {
        const bus = yield* busOf(settings(mechanism))
        const seen = yield* record(bus)
        yield* Effect.eventually(bus.report([result(monitor(1), 1)]))
        yield* until(seen, (results) => results.length === 1)
        yield* bus.ping
      })
  )

  it.scopedLive("refuses a broker whose certificate no known authority signed", () =>
    Effect.gen(function*() {
      const tls = { ca: Option.none(), cert: Option.none(), key: Option.none() }
      const bus = yield* busOf(settings("plain", { tls }))
      expect(Exit.isFailure(yield* Effect.exit(bus.ping))).toBe(true)
    }))

  it.scopedLive("does not work with a wrong password", () =>
    Effect.gen(function*() {
      const sasl = Option.some<KafkaSasl>({
        mechanism: "scram-sha-512",
        username: administrator.username,
        password: Redacted.make("wrong")
      })
      const bus = yield* busOf(settings("plain", { sasl }))
      expect(Exit.isFailure(yield* Effect.exit(bus.ping))).toBe(true)
    }))

  it.scopedLive("waits for the operator's topics, and uses them as they are", () =>
    Effect.gen(function*() {
      const given = settings("scram-sha-512", { createTopics: false })
      const bus = yield* busOf(given)
      const seen = yield* record(bus)
      const names = ["check-results", "probe-beats", "check-replies", "probe-control"]
      const topics = names.map((name) => ({ topic: given.topicPrefix + name, numPartitions: name === "check-results" ? 128 : 3 }))
      const existing = yield* Effect.promise(async () => {
        const admin = new Kafka({ brokers: [broker.plain], logLevel: logLevel.NOTHING }).admin()
        await admin.connect()
        const before = await admin.listTopics()
        await admin.createTopics({ topics, waitForLeaders: true })
        await admin.disconnect()
        return before.filter((topic) => topic.startsWith(given.topicPrefix))
      })
      expect(existing).toEqual([])
      yield* Effect.eventually(bus.report([result(monitor(1), 1)]))
      yield* until(seen, (results) => results.length === 1)
    }))
})
