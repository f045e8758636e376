/** The bus over Kafka, for fleets of probes and runners: every part survives an outage of the brokers. */
import { Deferred, Effect, Layer } from "effect"
import { repeatForever } from "../../loops/RestartForever.ts"
import { retryForever } from "../../loops/RetryForever.ts"
import { Bus } from "../Bus.ts"
import { BusKeys } from "../BusKeys.ts"
import { makeKafkaAssignments } from "./KafkaAssignments.ts"
import { makeKafkaBeats } from "./KafkaBeats.ts"
import { type KafkaClient, type KafkaSettings, makeKafkaClient } from "./KafkaClient.ts"
import { makeKafkaControl } from "./KafkaControl.ts"
import { makeKafkaRegions } from "./KafkaRegions.ts"
import { makeKafkaRequests } from "./KafkaRequests.ts"
import { makeKafkaResults } from "./KafkaResults.ts"
import { ensureSharedTopics, pingBrokers } from "./KafkaTopics.ts"

/** Anyone may ask for readiness, and each ping costs a connection. */
const pingFreshFor = "2 seconds"

/** Makes topics again that were deleted while processes run: nothing else would, before the next start of a server. */
const restoreTopics = (client: KafkaClient): Effect.Effect<never> =>
  repeatForever(
    "Looking for the Kafka topics",
    client.settings.lookEvery ?? "30 seconds",
    Effect.tap(ensureSharedTopics(client), (created) =>
      created.length === 0 ? Effect.void : Effect.logWarning(
        `Created Kafka topics again that had been deleted: ${created.join(", ")}. What was not read from them is lost.`
      ))
  )

const make = Effect.fn("KafkaBus.make")(function*(settings: KafkaSettings) {
  const keys = yield* BusKeys
  // A process may start before its brokers.
  const topicsExist = yield* Deferred.make<void>()
  const client = yield* makeKafkaClient(settings, Deferred.await(topicsExist))
  const ensuring = settings.createTopics === false ? "Looking for the Kafka topics" : "Creating the Kafka topics"
  yield* retryForever(ensuring, ensureSharedTopics(client)).pipe(
    Effect.andThen(Deferred.succeed(topicsExist, undefined)),
    Effect.andThen(settings.createTopics === false || keys.servers === null ? Effect.void : restoreTopics(client)),
    Effect.forkScoped
  )
  const regions = yield* makeKafkaRegions(client)
  return Bus.of({
    open: regions.open,
    ...(yield* makeKafkaAssignments(client, regions, keys)),
    ...(yield* makeKafkaResults(client, keys)),
    ...(yield* makeKafkaBeats(client, keys)),
    ...(yield* makeKafkaControl(client, keys)),
    ...(yield* makeKafkaRequests(client, regions, keys)),
    ping: yield* Effect.cachedWithTTL(pingBrokers(client), pingFreshFor)
  })
})

/** Builds without waiting for the brokers; closing leaves every consumer group within 2 s. */
export const KafkaBus = {
  layer: (settings: KafkaSettings): Layer.Layer<Bus, never, BusKeys> =>
    Layer.scoped(Bus, Effect.parallelFinalizers(make(settings)))
}
