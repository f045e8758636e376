/** The reach of one region's user at brokers with the access rules of `belltower kafka-setup`. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Either, Exit, Layer, Option, Queue, Redacted, Scope, Stream } from "effect"
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, Kafka, logLevel, ResourcePatternTypes } from "kafkajs"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { RegionId } from "../../schema/check/Region.ts"
import { Bus } from "../../src/bus/Bus.ts"
import { BusKeys } from "../../src/bus/BusKeys.ts"
import { KafkaBus } from "../../src/bus/kafka/KafkaBus.ts"
import { type KafkaSettings, makeKafkaClient } from "../../src/bus/kafka/KafkaClient.ts"
import { makeCluster } from "../../src/bus/kafka/KafkajsInternals.ts"
import { setUpKafka } from "../../src/bus/kafka/KafkaSetup.ts"
import type { KafkaSetupWish } from "../../src/bus/kafka/KafkaSetupWish.ts"
import { setPassword } from "../../src/bus/kafka/ScramUsers.ts"
import { diagnose } from "../../src/doctor/Doctor.ts"
import { assigned, insist, monitor, record, request, result, until as untilSo, work } from "../bus/Fixtures.ts"
import { newFolder } from "../flows/support/Program.ts"
import { canRunKafka } from "../support/kafka/LocalKafka.ts"
import { administrator, makeSecuredKafka, type SecuredKafka } from "../support/kafka/SecuredKafka.ts"
import { makeTestServers, testProbe } from "../support/kafka/TestProbes.ts"
import { makeBeat } from "../support/probe/Beats.ts"
import { testSecret } from "../support/program/TestInstallation.ts"
import { until } from "../support/time/Until.ts"

const [eu, us, later] = [RegionId.make("eu"), RegionId.make("us"), RegionId.make("later")]
const wish: KafkaSetupWish = { regions: new Map([[eu, null], [us, null]]), servers: null, newPasswords: false, isPrinted: false }
const canRun = await canRunKafka()

/** Why Kafka refused something: the types of all errors in a failure of kafkajs. */
const typesOf = (error: unknown): ReadonlyArray<string> => {
  if (!(error instanceof Error)) return [String(error)]
  const type = "type" in error ? [String(error.type)] : []
  const parts = "errors" in error && Array.isArray(error.errors) ? error.errors.flatMap(typesOf) : []
  return [...type, ...parts, ...(error.cause === undefined ? [] : typesOf(error.cause))]
}

const refusal = async (attempt: Promise<unknown>): Promise<ReadonlyArray<string>> =>
  attempt.then((answer) => [`allowed: ${JSON.stringify(answer) ?? ""}`], (error: unknown) => [...new Set(typesOf(error))])

const noTopic = ["TOPIC_AUTHORIZATION_FAILED"]
const noGroup = ["GROUP_AUTHORIZATION_FAILED"]

describe.skipIf(!canRun)("with the access rules of kafka-setup", () => {
  const scope = Effect.runSync(Scope.make())
  const passwords = new Map<string, string>()
  let broker: SecuredKafka

  const settingsOf = (username: string, password: string): KafkaSettings => ({
    brokers: [broker.secured],
    topicPrefix: "belltower.",
    partitions: 2,
    tls: { ca: Option.some(broker.ca), cert: Option.none(), key: Option.none() },
    sasl: Option.some({ mechanism: "scram-sha-512", username, password: Redacted.make(password) })
  })
  const operator = () => settingsOf(administrator.username, administrator.password)
  const userOf = (name: string) => settingsOf(name, passwords.get(name) ?? "")
  const probesOf = (region: RegionId): KafkaSettings => ({ ...userOf(`belltower.probe.${region}`), createTopics: false })

  const setUp = (more: Partial<KafkaSetupWish> = {}) =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      yield* setUpKafka(operator(), { ...wish, ...more }, (line) => Effect.sync(() => void lines.push(line)))
      let user = ""
      for (const line of lines) {
        const [, name, value] = /^ {2}KAFKA_SASL_(USERNAME|PASSWORD)=(.+)$/.exec(line) ?? []
        if (name === "USERNAME") user = value ?? ""
        if (name === "PASSWORD") passwords.set(user, value ?? "")
      }
      return lines
    })

  beforeAll(async () => {
    broker = await Effect.runPromise(Scope.extend(makeSecuredKafka(true), scope))
    await Effect.runPromise(setUp())
    await Effect.runPromise(fill)
    // The broker applies new users and rules a moment after it has accepted them.
    await Effect.runPromise(until(sees(probesOf(us)), (topics) => topics.length === 6))
    await Effect.runPromise(until(sees(userOf("belltower.servers")), (topics) => topics.length === 8))
  }, 120_000)
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const busOf = (settings: KafkaSettings, keys: BusKeys["Type"]) =>
    Effect.flatMap(
      Layer.build(Layer.provide(KafkaBus.layer(settings), Layer.succeed(BusKeys, keys))),
      (context) => Effect.provide(Bus, context)
    )
  const serverBus = Effect.suspend(() =>
    busOf(userOf("belltower.servers"), { servers: makeTestServers([eu, us, later]).servers, probe: null })
  )
  const probeBus = (region: RegionId) =>
    Effect.suspend(() => busOf(probesOf(region), { servers: null, probe: testProbe(region) }))

  const clientOf = ({ brokers, sasl = Option.none(), tls }: KafkaSettings) => {
    const { password, username } = Option.getOrThrow(sasl)
    return new Kafka({
      brokers: [...brokers],
      ssl: { ca: Option.getOrThrow(tls?.ca ?? Option.none()) },
      sasl: { mechanism: "scram-sha-512", username, password: Redacted.value(password) },
      logLevel: logLevel.NOTHING,
      retry: { retries: 0 }
    })
  }
  const asAdmin = async <A>(settings: KafkaSettings, use: (admin: ReturnType<Kafka["admin"]>) => Promise<A>): Promise<A> => {
    const admin = clientOf(settings).admin()
    await admin.connect()
    return use(admin).finally(() => admin.disconnect())
  }
  const write = async (settings: KafkaSettings, topic: string) => {
    const producer = clientOf(settings).producer({ allowAutoTopicCreation: false })
    await producer.connect()
    const messages = [{ key: monitor(1), value: "forged", partition: 0 }]
    return producer.send({ topic, messages }).finally(() => producer.disconnect())
  }
  const withCluster = async <A>(settings: KafkaSettings, use: (cluster: ReturnType<typeof makeCluster>) => Promise<A>) => {
    const { config, kafka } = await Effect.runPromise(makeKafkaClient(settings, Effect.void))
    const cluster = makeCluster(kafka, { ...config, retry: { retries: 0 } }, 30_000)
    await cluster.connect()
    return cluster.refreshMetadata().then(() => use(cluster)).finally(() => cluster.disconnect())
  }
  /** Fetches without asking for metadata first, as an attacker would; returns the number of messages. */
  const read = (settings: KafkaSettings, topic: string, partitions: number) =>
    withCluster(settings, async (cluster) => {
      const leader = await cluster.findBroker({ nodeId: "1" })
      const from = Array.from({ length: partitions }, (_, partition) => ({ partition, fetchOffset: "0", maxBytes: 1_000_000 }))
      const request = {
        maxWaitTime: 100,
        minBytes: 1,
        maxBytes: 10_000_000,
        isolationLevel: 1,
        topics: [{ topic, partitions: from }]
      }
      const { responses } = await leader.fetch(request)
      return responses.flatMap((one) => one.partitions).reduce((sum, { messages }) => sum + messages.length, 0)
    })

  /** Messages that an attacker could read, and their partitions. */
  const foreign = [
    ["belltower.monitor-assignments.us", 2],
    ["belltower.check-requests.us", 2],
    ["belltower.check-results", 8],
    ["belltower.check-replies", 1],
    ["belltower.probe-beats", 1]
  ] as const

  /** The topics of Belltower that a user can see. */
  const sees = (settings: KafkaSettings) =>
    Effect.map(
      Effect.tryPromise(() => asAdmin(settings, (admin) => admin.listTopics())),
      (topics) => topics.filter((topic) => topic.startsWith("belltower.")).toSorted()
    )

  const fill = Effect.suspend(() =>
    Effect.forEach(foreign, ([topic]) => Effect.promise(() => write(operator(), topic)), { discard: true })
  )

  it.effect("the topics of other regions are hidden", () =>
    Effect.gen(function*() {
      const shared = ["belltower.check-replies", "belltower.check-results", "belltower.probe-beats", "belltower.probe-control"]
      const own = ["belltower.check-requests.eu", "belltower.monitor-assignments.eu"]
      expect(yield* sees(probesOf(eu))).toEqual([...shared, ...own].toSorted())
      expect(yield* sees(operator())).toContain("belltower.monitor-assignments.us")
    }), 60_000)

  it.effect("reading the topics of another region, or what probes send, is refused", () =>
    Effect.promise(async () => {
      for (const [topic, partitions] of foreign) {
        // Something is there, and a user with the right to it can read it in the same way.
        expect([topic, await read(operator(), topic, partitions)]).toEqual([topic, 1])
        expect([topic, await refusal(read(probesOf(eu), topic, partitions))]).toEqual([topic, noTopic])
      }
      expect(await read(probesOf(us), "belltower.monitor-assignments.us", 2)).toBe(1)
    }), 60_000)

  it.effect("writing assignments, requests or what servers tell probes is refused", () =>
    Effect.promise(async () => {
      for (
        const name of [
          "monitor-assignments.eu",
          "monitor-assignments.us",
          "check-requests.eu",
          "check-requests.us",
          "probe-control"
        ]
      ) {
        const topic = `belltower.${name}`
        expect([topic, await refusal(write(probesOf(eu), topic))]).toEqual([topic, noTopic])
      }
      // The same attempt succeeds where a probe may write.
      expect(await refusal(write(probesOf(eu), "belltower.probe-beats"))).toEqual([expect.stringContaining("allowed")])
    }), 60_000)

  it.effect("making, changing or deleting topics, users and rules is refused", () =>
    Effect.promise(async () => {
      const probes = probesOf(eu)
      const topics = ["belltower.monitor-assignments.mine", "belltower.check-requests.eu2", "anything"]
      for (const topic of topics) {
        expect(await refusal(asAdmin(probes, (admin) => admin.createTopics({ topics: [{ topic }] })))).toEqual(noTopic)
      }
      const own = "belltower.monitor-assignments.eu"
      expect(await refusal(asAdmin(probes, (admin) => admin.deleteTopics({ topics: [own] })))).toEqual(noTopic)
      const more = { topicPartitions: [{ topic: own, count: 4 }] }
      expect(await refusal(asAdmin(probes, (admin) => admin.createPartitions(more)))).toEqual(noTopic)
      const rule = {
        principal: "User:belltower.probe.eu",
        host: "*",
        operation: AclOperationTypes.READ,
        permissionType: AclPermissionTypes.ALLOW,
        resourceType: AclResourceTypes.TOPIC,
        resourceName: "belltower.",
        resourcePatternType: ResourcePatternTypes.PREFIXED
      }
      expect(await refusal(asAdmin(probes, (admin) => admin.createAcls({ acl: [rule] })))).toEqual([
        "CLUSTER_AUTHORIZATION_FAILED"
      ])
      const stolen = withCluster(probes, (cluster) => setPassword(cluster, "belltower.servers", "mine", "scram-sha-512"))
      expect(await stolen.catch(String)).toMatch(
        /^Error: Kafka refused the password of the user belltower\.servers: .*ALTER permission/
      )
    }), 60_000)

  it.effect("taking part in the groups of another region, or in others, is refused", () =>
    Effect.promise(async () => {
      const join = (settings: KafkaSettings, groupId: string) =>
        refusal(withCluster(settings, async (cluster) => {
          const groupProtocols = [{ name: "RoundRobinAssigner", metadata: Buffer.alloc(0) }]
          const coordinator = await cluster.findBroker({ nodeId: "1" })
          return coordinator.joinGroup({ groupId, sessionTimeout: 10_000, rebalanceTimeout: 10_000, groupProtocols })
        }))
      for (const group of ["probe.us", "answer.us", "mine"]) {
        expect([group, await join(probesOf(eu), `belltower.${group}`)]).toEqual([group, noGroup])
      }
      // The same attempt goes further with the right to the group.
      expect(await join(operator(), "belltower.mine")).not.toEqual(noGroup)
    }), 60_000)

  it.scopedLive(
    "a region whose topic the servers may not see holds up no other, and comes back with the right to",
    () =>
      Effect.gen(function*() {
        const denied = {
          resourceType: AclResourceTypes.TOPIC,
          resourceName: `belltower.monitor-assignments.${us}`,
          resourcePatternType: ResourcePatternTypes.LITERAL,
          principal: "User:belltower.servers",
          host: "*",
          operation: AclOperationTypes.ALL,
          permissionType: AclPermissionTypes.DENY
        }
        const deny = Effect.promise(() => asAdmin(operator(), (admin) => admin.createAcls({ acl: [denied] })))
        const allow = Effect.promise(() => asAdmin(operator(), (admin) => admin.deleteAcls({ filters: [denied] })))
        const bus = yield* serverBus
        yield* Effect.forEach([eu, us], (region) => insist(bus.open(region)))
        const open = Effect.map(Effect.either(bus.partitions), Either.map((counts) => [...counts.keys()].sort()))
        const shows = (...regions: ReadonlyArray<RegionId>) =>
          until(open, (found) => Either.getOrNull(found)?.join() === regions.join())
        yield* shows(eu, us)
        yield* Effect.acquireRelease(deny, () => allow)
        yield* shows(eu)
        expect(yield* insist(bus.open(us))).toBe(false)
        yield* bus.assign([{ ...assigned(monitor(1), [eu]), left: [] }])
        yield* allow
        yield* until(Effect.orElseSucceed(bus.open(us), () => false), (isOpen) => isOpen)
        yield* shows(eu, us)
      }),
    60_000
  )

  it.scopedLive("all that servers and probes need works, also in a region that appears later", () =>
    Effect.gen(function*() {
      const [server, inEu, inUs] = [yield* serverBus, yield* probeBus(eu), yield* probeBus(us)]
      const monitors = Array.from({ length: 10 }, (_, n) => monitor(n))
      yield* insist(server.assign(monitors.map((id, n) => assigned(id, n % 2 === 0 ? [eu] : [us]))))
      const [shareOfEu, shareOfUs] = [yield* work(inEu, eu), yield* work(inUs, us)]
      yield* untilSo(shareOfEu, (share) => share?.size === 5)
      yield* untilSo(shareOfUs, (share) => share?.size === 5)

      const seen = yield* record(server)
      yield* insist(inEu.report([{ ...result(monitor(0), 1), region: eu }]))
      yield* untilSo(seen, (results) => results.some(({ slot }) => slot === 1))

      yield* inEu.answer(eu, ({ monitorId }) => Effect.succeed({ ...result(monitorId, 7), region: eu }))
      expect((yield* Effect.flatMap(request(eu, 30_000), server.ask)).slot).toBe(7)

      const [beaten, heard] = [yield* Queue.unbounded<RegionId>(), yield* Queue.unbounded<number>()]
      yield* Effect.forkScoped(Stream.runForEach(server.beats, ({ region }) => Queue.offer(beaten, region)))
      yield* Effect.forkScoped(Stream.runForEach(inEu.times ?? Stream.empty, (time) => Queue.offer(heard, time)))
      const beat = Effect.flatMap(Clock.currentTimeMillis, (at) => inEu.beat(makeBeat({ region: eu, at })))
      const talk = Effect.all([server.publishTime(Effect.succeed(42)), beat])
      yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.ignore(talk), Effect.sleep("100 millis"))))
      expect(yield* Queue.take(beaten)).toBe(eu)
      expect(yield* Queue.take(heard)).toBe(42)

      expect(yield* server.open(later)).toBe(true)
      yield* server.ping
      yield* inEu.ping
    }), 120_000)

  it.scopedLive(
    "kafka-setup repeats without a change, adds a region, and gives new passwords when it is asked to",
    () =>
      Effect.gen(function*() {
        const before = new Map(passwords)
        expect([...before.keys()].toSorted()).toEqual(["belltower.probe.eu", "belltower.probe.us", "belltower.servers"])
        const again = yield* setUp({ regions: new Map([[eu, null], [later, null]]) })
        expect(again.filter((line) => line.includes("keeps its password"))).toHaveLength(2)
        expect([...passwords.keys()].filter((user) => !before.has(user))).toEqual(["belltower.probe.later"])
        expect(passwords.get("belltower.probe.eu")).toBe(before.get("belltower.probe.eu"))
        yield* until(sees(probesOf(later)), (topics) => topics.includes("belltower.monitor-assignments.later"))

        yield* setUp({ regions: new Map([[us, null]]), newPasswords: true })
        expect(passwords.get("belltower.probe.us")).not.toBe(before.get("belltower.probe.us"))
        const old = settingsOf("belltower.probe.us", before.get("belltower.probe.us") ?? "")
        yield* until(Effect.flip(sees(old)), ({ error }) => /SASL/.test(String(error)))
        yield* until(sees(probesOf(us)), (topics) => topics.length === 6)
      }),
    60_000
  )

  it.scopedLive(
    "kafka-setup gives the access to principals that the operator names, and makes no users for them",
    () =>
      Effect.gen(function*() {
        const named = { servers: "User:CN=servers", regions: new Map([[eu, "User:CN=probes-eu,O=Acme"]]) }
        const lines = yield* setUp(named)
        expect(lines.filter((line) => line.includes("user"))).toEqual([])
        const { resources } = yield* Effect.promise(() =>
          asAdmin(operator(), (admin) =>
            admin.describeAcls({
              principal: "User:CN=probes-eu,O=Acme",
              operation: AclOperationTypes.ANY,
              permissionType: AclPermissionTypes.ANY,
              resourceType: AclResourceTypes.ANY,
              resourcePatternType: ResourcePatternTypes.ANY
            }))
        )
        expect(resources.flatMap(({ acls }) => acls)).toHaveLength(8)
      }),
    60_000
  )

  it.scopedLive(
    "the doctor says what a user may and may not do, and sends nothing",
    () =>
      Effect.gen(function*() {
        const ca = join(yield* newFolder, "ca.pem")
        writeFileSync(ca, broker.ca)
        const diagnosed = (role: "api" | "probe", { sasl = Option.none() }: KafkaSettings, region: RegionId) =>
          Effect.map(
            diagnose(role, {
              ...{ PORT: "0", KAFKA_BROKERS: broker.secured, KAFKA_TLS: "on", KAFKA_TLS_CA: ca, BELLTOWER_REGION: region },
              KAFKA_SASL_MECHANISM: "scram-sha-512",
              KAFKA_SASL_USERNAME: Option.getOrThrow(sasl).username,
              KAFKA_SASL_PASSWORD: Redacted.value(Option.getOrThrow(sasl).password),
              ...(role === "api" ? { DATABASE_URL: "postgres://127.0.0.1:9/x", BELLTOWER_SECRET: testSecret } : {})
            }),
            (all) => Object.fromEntries(all.map(({ check, found, state }) => [check, `${state} ${found}`]))
          )
        const own = yield* diagnosed("probe", probesOf(eu), eu)
        expect([own["kafka"], own["kafka topics"], own["kafka access"], own["kafka retention"]]).toEqual([
          expect.stringMatching(/^ok Brokers that answer/),
          expect.stringMatching(/^ok All 6 topics/),
          expect.stringMatching(/^ok /),
          expect.stringMatching(/^skipped This user may not see the settings/)
        ])
        expect((yield* diagnosed("probe", probesOf(eu), us))["kafka topics"]).toMatch(
          /^failed This user may not see the topic .*\.us$/
        )
        // A probe that has the rights of a server's user could read what it must not; one of a region cannot stand in for a server.
        expect((yield* diagnosed("api", probesOf(eu), eu))["kafka access"]).toMatch(/^failed This user may not /)
        const server = yield* diagnosed("api", operator(), eu)
        expect([server["kafka topics"], server["kafka access"], server["kafka retention"]]).toEqual([
          expect.stringMatching(/^ok All 4 topics/),
          expect.stringMatching(/^ok /),
          expect.stringMatching(/^ok /)
        ])
        const wrong = yield* diagnosed("probe", settingsOf("belltower.probe.eu", "wrong-horse"), eu)
        expect([wrong["kafka"], wrong["kafka topics"]]).toEqual([
          expect.stringMatching(/^failed .*SASL/),
          expect.stringMatching(/^skipped /)
        ])
      }),
    60_000
  )
})
