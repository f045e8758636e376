/** On-demand checks over Kafka: a request goes to one worker by the topic of its region, the reply to every process that asks. */
import { Cause, Clock, Deferred, Duration, Effect, FiberMap, Option } from "effect"
import type { EachBatchPayload } from "kafkajs"
import type { Assignment, CheckCancel, CheckRequest, CheckResult } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import { retryForever } from "../loops/RetryForever.ts"
import { type Bus, busUnavailable, NoProbe } from "./Bus.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { commit, consume } from "./KafkaConsumer.ts"
import { type KafkaProducer, makeKafkaProducer } from "./KafkaProducer.ts"
import type { KafkaRegions } from "./KafkaRegions.ts"
import { tail } from "./KafkaTail.ts"
import { partitionsOf } from "./KafkaTopics.ts"
import { regionTopics } from "./TopicPlans.ts"
import { requestWire, resultWire, skipUnreadable } from "./Wire.ts"

/** How long an ask waits until replies can be received. */
const listenWithin = Duration.seconds(5)
const checksAtOnce = 20

/** An asker finds its reply among all replies by the id of its request. */
const makeAsk = Effect.fn("KafkaRequests.makeAsk")(function*(client: KafkaClient, regions: KafkaRegions) {
  const producer = yield* makeKafkaProducer(client, "the requests of regions")
  const waiting = new Map<string, Deferred.Deferred<CheckResult>>()
  const reading = yield* Effect.makeLatch(false)
  const scope = yield* Effect.scope
  const take = (requestId: string | undefined, result: Option.Option<CheckResult>): boolean => {
    const asker = requestId === undefined ? undefined : waiting.get(requestId)
    if (asker !== undefined && Option.isSome(result)) Deferred.unsafeDone(asker, Effect.succeed(result.value))
    return Option.isSome(result)
  }
  // Only a process that asks reads the replies, from its first ask on.
  const replies = tail(client, {
    topic: client.topics.replies,
    reading,
    take: ({ key, value }) => take(key?.toString(), resultWire.decode(value))
  })
  const listen = yield* Effect.cached(Effect.forkIn(replies, scope))
  const unreadable = () => busUnavailable("The replies of probes cannot be read now")

  const send = (request: CheckRequest | CheckCancel) => {
    const { requests: topic } = regionTopics(client.settings.topicPrefix, request.region)
    return producer.send([{ topic, key: request.requestId, value: requestWire.encode(request) }])
  }

  /** The same key leads to the same partition, and so to the worker that took the request. */
  const cancel = (message: CheckCancel) =>
    send(message).pipe(
      Effect.timeoutOption(listenWithin),
      Effect.catchAllCause((cause) =>
        Effect.logWarning("An on-demand check could not be cancelled; it runs to its timeout", cause)
      )
    )

  const ask: Bus["Type"]["ask"] = Effect.fn("KafkaRequests.ask")(function*(request) {
    const { expiresAt, region, requestId } = request
    yield* listen
    yield* reading.await.pipe(Effect.timeoutFail({ duration: listenWithin, onTimeout: unreadable }))
    const isOpen = yield* Effect.timeoutFail(regions.open(region), { duration: listenWithin, onTimeout: unreadable })
    if (!isOpen) return yield* new NoProbe({ region })
    const reply = yield* Effect.acquireRelease(
      Deferred.make<CheckResult>().pipe(Effect.tap((asker) => Effect.sync(() => waiting.set(requestId, asker)))),
      () => Effect.sync(() => waiting.delete(requestId))
    )
    yield* send(request)
    const left = Math.max(0, expiresAt - (yield* Clock.currentTimeMillis))
    return yield* Deferred.await(reply).pipe(
      Effect.timeoutFail({ duration: left, onTimeout: () => new NoProbe({ region }) }),
      // Neither an asker that leaves nor a probe that hangs waits for the broker.
      Effect.onError(() => Effect.forkIn(cancel({ requestId, region, cancelled: true }), scope))
    )
  }, Effect.scoped)
  return ask
})

type RunCheck = (assignment: Assignment) => Effect.Effect<CheckResult>

/** Commits a request before checking: a check may change things at its target, so it runs at most once. */
const answer = Effect.fn("KafkaRequests.answer")(function*(
  client: KafkaClient,
  replies: KafkaProducer,
  region: RegionId,
  check: RunCheck
) {
  const topic = regionTopics(client.settings.topicPrefix, region).requests
  const checks = yield* FiberMap.make<string, void>()
  const permits = yield* Effect.makeSemaphore(checksAtOnce)
  const reply = ({ assignment, expiresAt, requestId }: CheckRequest) =>
    Effect.gen(function*() {
      // It may have waited for its permit.
      if (expiresAt <= (yield* Clock.currentTimeMillis)) return
      yield* replies.send([{ key: requestId, value: resultWire.encode(yield* check(assignment)) }])
    }).pipe(
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logWarning("An on-demand check was not answered", cause)
      )
    )
  const take = (request: CheckRequest | CheckCancel) =>
    request.region !== region
      ? Effect.void
      : "cancelled" in request
      ? FiberMap.remove(checks, request.requestId)
      : FiberMap.run(checks, request.requestId, permits.withPermits(1)(reply(request)))
  const handle = Effect.fnUntraced(function*(delivery: EachBatchPayload) {
    const { batch } = delivery
    const requests = batch.messages.map(({ offset, value }) => ({ offset, request: requestWire.decode(value) }))
    yield* commit(delivery, batch.lastOffset())
    const unreadable = requests.filter(({ request }) => Option.isNone(request))
    yield* skipUnreadable(topic, batch.partition, unreadable.map(({ offset }) => offset))
    yield* Effect.forEach(requests, ({ request }) => Option.isNone(request) ? Effect.void : take(request.value), {
      discard: true
    })
  })
  const groupId = `${client.settings.topicPrefix}answer.${region}`
  yield* client.ready.pipe(
    Effect.andThen(retryForever(`Looking for the requests of the region ${region}`, partitionsOf(client, topic))),
    Effect.andThen(consume(client, { groupId, topic, handle })),
    Effect.forkScoped
  )
})

export const makeKafkaRequests = Effect.fn("KafkaRequests.make")(function*(client: KafkaClient, regions: KafkaRegions) {
  const ask = yield* makeAsk(client, regions)
  const replies = yield* makeKafkaProducer(client, client.topics.replies)
  return {
    ask,
    answer: (region, check) => answer(client, replies, region, check)
  } satisfies Pick<Bus["Type"], "ask" | "answer">
})
