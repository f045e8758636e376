/** The operator's command that makes topics, users and access rules at the brokers. */
import { Console, Effect, Either } from "effect"
import { planLines, setUpKafka, setupPlan } from "../bus/kafka/KafkaSetup.ts"
import { readKafkaSetupWish } from "../bus/kafka/KafkaSetupWish.ts"
import { BadSetting } from "../settings/BadSetting.ts"
import type { Settings } from "../settings/Settings.ts"

/** Passwords go to stdout only, which no log collects. */
const setUp = Effect.fn("KafkaCommands.setUp")(function*({ kafka }: Settings, words: ReadonlyArray<string>) {
  const wish = yield* Either.mapLeft(readKafkaSetupWish(words), (message) => new BadSetting({ message }))
  if (wish.isPrinted) {
    return yield* Effect.forEach(planLines(setupPlan(kafka, wish)), (line) => Console.log(line), { discard: true })
  }
  if (kafka.brokers.length === 0) {
    return yield* new BadSetting({
      message: "KAFKA_BROKERS is required, and the KAFKA_* settings of an administrator. --print needs no connection"
    })
  }
  yield* setUpKafka(kafka, wish, (line) => Console.log(line))
})

export const kafkaCommands = { "kafka-setup": setUp }
