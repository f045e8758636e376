/** A producer for each region, made with its first message: a region whose topic takes no messages holds up no other. */
import { Effect, Scope } from "effect"
import type { Message } from "kafkajs"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { makeKafkaProducer, type ProducerOptions } from "./KafkaProducer.ts"
import { regionTopics } from "./TopicPlans.ts"

/** Producers for one of the topics of each region. They live as long as the scope. */
export const makeRegionProducers = Effect.fnUntraced(
  function*(client: KafkaClient, which: keyof ReturnType<typeof regionTopics>, options?: ProducerOptions) {
    const scope = yield* Effect.scope
    const producerOf = yield* Effect.cachedFunction((region: RegionId) =>
      makeKafkaProducer(client, regionTopics(client.settings.topicPrefix, region)[which], options).pipe(
        Effect.provideService(Scope.Scope, scope)
      )
    )
    return {
      /** Returns once every in-sync replica has accepted the messages; keeps the order of the calls. */
      send: (region: RegionId, messages: ReadonlyArray<Message>) =>
        Effect.flatMap(producerOf(region), ({ send }) => send(messages))
    }
  }
)
