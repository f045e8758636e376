/** On-demand checks over Kafka: a request goes to one worker by the topic of its region, the reply to every process that asks. */
import { Cause, Clock, Deferred, Duration, Effect, FiberMap, Option } from "effect"
import type { EachBatchPayload, KafkaMessage } from "kafkajs"
import type { Assignment, CheckCancel, CheckRequest, CheckResult } from "../../../schema/check/Bus.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import { retryForever } from "../../loops/RetryForever.ts"
import { type Bus, busUnavailable, NoProbe } from "../Bus.ts"
import { type BusKeys, lacksKeys, type ProbeKeys, type ServerKeys } from "../BusKeys.ts"
import { newerKey, newestEpoch, openedBy, sealedFor } from "../RegionMessages.ts"
import { learnSenders, noteRefusals, type Refusal, senderOf, signed } from "../Signed.ts"
import { requestWire, resultWire, skipUnreadable } from "../Wire.ts"
import { regionGroups } from "./KafkaAccess.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { commit, consume } from "./KafkaConsumer.ts"
import { type KafkaProducer, makeKafkaProducer } from "./KafkaProducer.ts"
import type { KafkaRegions } from "./KafkaRegions.ts"
import { tail, type Taken } from "./KafkaTail.ts"
import { partitionsOf } from "./KafkaTopics.ts"
import { makeRegionProducers } from "./RegionProducers.ts"
import { regionTopics } from "./TopicPlans.ts"

/** How long an ask waits until replies can be received. */
const listenWithin = Duration.seconds(5)
const checksAtOnce = 20

/** A request whose reply is awaited. */
interface Asker {
  readonly request: CheckRequest
  readonly reply: Deferred.Deferred<CheckResult>
}

/** The reply to a request, if a probe of its region has signed it and it is about its monitor. */
const replyTo = ({ request }: Asker, servers: ServerKeys, message: KafkaMessage): CheckResult | Exclude<Taken, "taken"> => {
  const sender = senderOf(servers, "reply", message)
  if (typeof sender === "string") return sender
  const result = Option.getOrNull(resultWire.decode(message.value))
  if (result === null) return "unreadable"
  if (sender.region !== request.region || result.region !== request.region) return "region"
  return result.monitorId === request.assignment.monitorId ? result : "monitor"
}

/** An asker finds its reply among all replies by the id of its request. */
const makeAsk = Effect.fn("KafkaRequests.makeAsk")(function*(client: KafkaClient, regions: KafkaRegions, servers: ServerKeys) {
  const producers = yield* makeRegionProducers(client, "requests")
  const waiting = new Map<string, Asker>()
  const reading = yield* Effect.makeLatch(false)
  const scope = yield* Effect.scope
  /** Replies to other processes are none of this one's business. */
  const take = (message: KafkaMessage): Taken => {
    const asker = waiting.get(message.key?.toString() ?? "")
    if (asker === undefined) return "taken"
    const result = replyTo(asker, servers, message)
    if (typeof result === "string") return result
    Deferred.unsafeDone(asker.reply, Effect.succeed(result))
    return "taken"
  }
  // Only a process that asks reads the replies, from its first ask on.
  const replies = tail(client, {
    topic: client.topics.replies,
    reading,
    prepare: (messages) => learnSenders(servers, messages),
    take
  })
  const listen = yield* Effect.cached(Effect.forkIn(replies, scope))
  const unreadable = () => busUnavailable("The replies of probes cannot be read now")

  const send = (request: CheckRequest | CheckCancel) => {
    const { region, requestId: key } = request
    return producers.send(region, [{ key, value: sealedFor(servers, "request", region, key, requestWire.encode(request)) }])
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
      Deferred.make<CheckResult>().pipe(
        Effect.tap((asked) => Effect.sync(() => waiting.set(requestId, { request, reply: asked })))
      ),
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

/** How long requests wait for the key of their region; their askers wait longer. */
const awaitKeyFor = Duration.seconds(3)

const readRequests = (probe: ProbeKeys, messages: ReadonlyArray<KafkaMessage>) => {
  const requests: Array<CheckRequest | CheckCancel> = []
  const unreadable: Array<string> = []
  const refused: Array<Refusal> = []
  let lacksKey = false
  for (const { key, offset, value } of messages) {
    const requestId = key?.toString() ?? ""
    const text = value === null ? "forged" : openedBy(probe, "request", requestId, value)
    if (text === "forged") refused.push(text)
    else if (text === "later") lacksKey = true
    else if (text !== "former") {
      const request = Option.getOrNull(requestWire.decode(text))
      if (request?.requestId === requestId) requests.push(request)
      else unreadable.push(offset)
    }
  }
  return { requests, unreadable, refused, lacksKey }
}

type RunCheck = (assignment: Assignment) => Effect.Effect<CheckResult>

/** Commits a request before checking: a check may change things at its target, so it runs at most once. */
const answer = Effect.fn("KafkaRequests.answer")(function*(
  client: KafkaClient,
  probe: ProbeKeys,
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
      yield* replies.send([signed(probe, "reply", { key: requestId, value: resultWire.encode(yield* check(assignment)) })])
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
    const newest = newestEpoch(probe)
    if (readRequests(probe, batch.messages).lacksKey) yield* Effect.timeoutOption(newerKey(probe, newest), awaitKeyFor)
    const { refused, requests, unreadable } = readRequests(probe, batch.messages)
    yield* commit(delivery, batch.lastOffset())
    yield* skipUnreadable(topic, batch.partition, unreadable)
    yield* noteRefusals(topic, refused)
    yield* Effect.forEach(requests, take, { discard: true })
  })
  const groupId = regionGroups(client.settings.topicPrefix, region).answer
  yield* client.ready.pipe(
    Effect.andThen(retryForever(`Looking for the requests of the region ${region}`, partitionsOf(client, topic))),
    Effect.andThen(consume(client, { groupId, topic, handle })),
    Effect.forkScoped
  )
})

export const makeKafkaRequests = Effect.fn("KafkaRequests.make")(function*(
  client: KafkaClient,
  regions: KafkaRegions,
  { probe, servers }: BusKeys["Type"]
) {
  const ask = servers === null ? () => lacksKeys("ask for checks") : yield* makeAsk(client, regions, servers)
  const replies = yield* makeKafkaProducer(client, client.topics.replies)
  return {
    ask,
    answer: (region, check) => probe === null ? lacksKeys("answer requests") : answer(client, probe, replies, region, check)
  } satisfies Pick<Bus["Type"], "ask" | "answer">
})
