/** Results that wait for brokers that do not answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Message } from "kafkajs"
import { makeKafkaClient } from "../../../src/bus/kafka/KafkaClient.ts"
import { makeKafkaProducer } from "../../../src/bus/kafka/KafkaProducer.ts"

const mebibyte = 1024 * 1024
/** One string, so that the test itself holds little. */
const message: Message = { key: "mon_1", value: "x".repeat(mebibyte - 100) }

describe("messages that wait for the brokers", () => {
  it.scopedLive("are bounded in bytes, and make room when their senders leave", () =>
    Effect.gen(function*() {
      const client = yield* makeKafkaClient({ brokers: ["127.0.0.1:1"], topicPrefix: "test.", partitions: 1 }, Effect.never)
      const { send } = yield* makeKafkaProducer(client, "test.topic")
      const waiting = yield* Effect.forkAll(Array.from({ length: 64 }, () => send([message])))
      yield* Effect.yieldNow()
      const refused = yield* Effect.flip(send([message]))
      assert.include(refused.message, "Too many messages wait for test.topic")

      yield* Fiber.interrupt(waiting)
      const accepted = yield* Effect.fork(send([message]))
      yield* Effect.yieldNow()
      assert.strictEqual((yield* Fiber.poll(accepted))._tag, "None")
      yield* Fiber.interrupt(accepted)
    }))
})
