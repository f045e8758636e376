/** The bus over a broker with TLS and SASL, as operators run it. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Redacted, Scope } from "effect"
import { Kafka, logLevel } from "kafkajs"
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { start } from "../../infra/kafka/kafka.mjs"
import { Bus } from "../../src/bus/Bus.ts"
import { KafkaBus } from "../../src/bus/KafkaBus.ts"
import type { KafkaSasl, KafkaSettings } from "../../src/bus/KafkaClient.ts"
import { freePort } from "../flows/support/Program.ts"
import { canRunKafka } from "../support/LocalKafka.ts"
import { monitor, record, result, until } from "./Fixtures.ts"

const user = { username: "belltower", password: "correct-horse" }

/** A key and a certificate of 127.0.0.1 in one file; the certificate is its own authority. */
const makePem = (folder: string): { readonly file: string; readonly ca: string } => {
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
  const files = ["-keyout", "key.pem", "-out", "cert.pem"]
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...subject, ...files], {
    cwd: folder,
    stdio: "pipe"
  })
  const ca = readFileSync(join(folder, "cert.pem"), "utf8")
  const file = join(folder, "broker.pem")
  writeFileSync(file, readFileSync(join(folder, "key.pem"), "utf8") + ca)
  return { file, ca }
}

const makeBroker = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "belltower-kafka-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const { ca, file } = makePem(folder)
  const [port, controllerPort, securedPort] = [yield* freePort, yield* freePort, yield* freePort]
  const secured = { port: securedPort, pem: file, ...user }
  yield* Effect.acquireRelease(
    Effect.promise(() => start({ port, controllerPort, dataDir: folder, secured })),
    (broker) => Effect.promise(() => broker.kill())
  )
  return { ca, plain: `127.0.0.1:${port}`, secured: `127.0.0.1:${securedPort}` }
})

const canRun = await canRunKafka()

describe.skipIf(!canRun)("a broker with TLS and SASL", () => {
  const scope = Effect.runSync(Scope.make())
  let broker: Effect.Effect.Success<typeof makeBroker>
  beforeAll(async () => {
    broker = await Effect.runPromise(Scope.extend(makeBroker, scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const settings = (mechanism: KafkaSasl["mechanism"], more: Partial<KafkaSettings> = {}): KafkaSettings => ({
    // The first broker of the list is away.
    brokers: ["127.0.0.1:1", broker.secured],
    topicPrefix: `${randomUUID()}.`,
    partitions: 2,
    tls: { ca: Option.some(broker.ca), cert: Option.none(), key: Option.none() },
    sasl: Option.some({ mechanism, username: user.username, password: Redacted.make(user.password) }),
    ...more
  })
  const busOf = (given: KafkaSettings) =>
    Effect.flatMap(Layer.build(KafkaBus.layer(given)), (context) => Effect.provide(Bus, context))

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
        username: user.username,
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
