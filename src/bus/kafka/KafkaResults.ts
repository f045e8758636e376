/** Check results over Kafka: each goes to the partition of its monitor's shard, and the runner that holds the shard reads it. */
import { Array as Arr, Duration, Effect, Exit, Option, Struct } from "effect"
import type { KafkaMessage, Message } from "kafkajs"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { monitorShard } from "../../domain/monitor/MonitorShard.ts"
import { shardCount } from "../../domain/tools/Shard.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import type { Restore } from "../../loops/Restore.ts"
import { retryForever } from "../../loops/RetryForever.ts"
import { sharingWakes } from "../../loops/SharedWakes.ts"
import type { Bus, ResultShards } from "../Bus.ts"
import { type BusKeys, lacksKeys, type ProbeKeys, type ServerKeys } from "../BusKeys.ts"
import { type HeldPartitions, makeHeldPartitions } from "../HeldPartitions.ts"
import { makeResultIntake, type Piece, type ResultIntake } from "../ResultIntake.ts"
import { type Behind, behindWith, measureLag, together } from "../ResultLag.ts"
import { headerOf, learnSenders, noteRefusals, type Refusal, senderOf, signed } from "../Signed.ts"
import { resultWire, skipUnreadable } from "../Wire.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { acceptPatiently, makeKafkaProducer } from "./KafkaProducer.ts"
import { type Fetched, type Reading, readPartitions } from "./KafkaReader.ts"
import type { FetchPace } from "./KafkaSession.ts"

const batchSize = 500
/** The broker answers an idle runner after this. */
const pace: FetchPace = { minBytes: 1, maxWaitTimeInMs: 1_000 }
/** How long results gather before the next fetch, which has a cost of its own; live streams wait for it, too. */
const gatherFor = Duration.millis(150)
/** How often moved shards are noticed. */
const followEvery = Duration.seconds(1)
/** How often offsets are kept, in rounds of that. What was read since is read again after a crash. */
const keepEvery = 2

const traceHeader = "traceparent"

/** A trace in the body would be signed, but no tool that reads Kafka would find it. */
const withTrace = (result: CheckResult, { headers }: KafkaMessage): CheckResult => {
  const trace = headerOf(headers, traceHeader)
  return trace === null ? result : { ...result, traceparent: trace.toString("latin1") }
}

/** Only results that a probe has signed, and that are of its region, are worth anything. */
const readMessages = (servers: ServerKeys, messages: ReadonlyArray<KafkaMessage>) => {
  const results: Array<CheckResult> = []
  const unreadable: Array<string> = []
  const refused: Array<Refusal> = []
  for (const message of messages) {
    const sender = senderOf(servers, "result", message)
    if (typeof sender === "string") {
      refused.push(sender)
      continue
    }
    const result = Option.getOrNull(resultWire.decode(message.value))
    if (result === null) unreadable.push(message.offset)
    else if (result.region !== sender.region) refused.push("region")
    else results.push(withTrace(result, message))
  }
  return { results, unreadable, refused }
}

const messageOf = (probe: ProbeKeys) => (result: CheckResult): Message => {
  const { monitorId: key, traceparent } = result
  const partition = monitorShard(result)
  return traceparent === undefined
    ? signed(probe, "result", { key, value: resultWire.encode(result), partition })
    : signed(probe, "result", {
      key,
      value: resultWire.encode(Struct.omit(result, "traceparent")),
      partition,
      headers: { [traceHeader]: traceparent }
    })
}

type Handle = Parameters<Bus["Type"]["results"]>[0]

/** Holds no results: those of a piece that is done must not stay in memory behind one that is not. */
interface Entry {
  readonly next: string
  readonly behind: Behind
  done: boolean
}

/** Follows which fetched pieces are done: a partition's offset moves only past results that are, and all before them. */
export const makeReadOffsets = () => {
  const open = new Map<Reading, Array<Entry>>()
  let moved = new Map<Reading, string>()

  const advance = (reading: Reading, entries: Array<Entry>): void => {
    const unfinished = entries.findIndex(({ done }) => !done)
    const finished = entries.splice(0, unfinished < 0 ? entries.length : unfinished)
    if (entries.length === 0) open.delete(reading)
    const last = finished.at(-1)
    if (last !== undefined) moved.set(reading, last.next)
  }

  return {
    /** Pieces of a reading must begin in the order in which they were fetched. Call the returned function when the piece is done. */
    begin: ({ next, reading, results }: Piece) => {
      const entries = open.get(reading) ?? []
      const entry: Entry = { next, behind: behindWith(results), done: false }
      entries.push(entry)
      open.set(reading, entries)
      return (): void => {
        entry.done = true
        advance(reading, entries)
      }
    },
    /** Removes and returns the offsets that moved since the last call. */
    takeMoved: (): ReadonlyMap<Reading, string> => {
      const taken = moved
      moved = new Map()
      return taken
    },
    /** The results of pieces that are not done. */
    behind: (): Behind =>
      together([...open.values()].flatMap((entries) => entries.flatMap(({ behind, done }) => done ? [] : [behind])))
  }
}
type ReadOffsets = ReturnType<typeof makeReadOffsets>

interface Consumption {
  readonly servers: ServerKeys
  readonly topic: string
  readonly shards: ResultShards
  readonly held: HeldPartitions
  readonly intake: ResultIntake
  readonly offsets: ReadOffsets
}

/** How many messages of a partition were not fetched yet, as of its last fetch. */
const unfetched = ({ end, next }: Reading): number =>
  end === undefined || next === null ? 0 : Math.max(0, Number(BigInt(end) - BigInt(next)))

const behindOf = ({ held, intake, offsets }: Consumption): Behind =>
  together([
    ...Array.from(held.readings(), (reading) => ({ results: unfetched(reading), oldestAt: null })),
    ...intake.waiting().map(behindWith),
    offsets.behind()
  ])

const makeTakeIn = ({ intake, servers, topic }: Consumption) => {
  const takeIn = ({ messages, reading }: Fetched, refusals: Array<Refusal>): ReadonlyArray<string> =>
    Arr.chunksOf(messages, batchSize).flatMap((chunk) => {
      const { refused, results, unreadable } = readMessages(servers, chunk)
      // Decoded texts take up to twice the bytes that were sent.
      const bytes = chunk.reduce((sum, { value }) => sum + 2 * (value?.length ?? 0), 0)
      intake.offer({ reading, results, bytes, next: String(BigInt(Arr.lastNonEmpty(chunk).offset) + 1n) })
      refusals.push(...refused)
      return unreadable
    })

  const takeAll = (fetched: ReadonlyArray<Fetched>): Effect.Effect<void> => {
    const refusals: Array<Refusal> = []
    const skipped = fetched.map((one) => ({ partition: one.reading.partition, offsets: takeIn(one, refusals) }))
    const wait = Effect.suspend(() =>
      intake.isFull() ? intake.room : intake.size() < batchSize ? Effect.sleep(gatherFor) : Effect.void
    )
    if (refusals.length === 0 && skipped.every(({ offsets }) => offsets.length === 0)) return wait
    const reported = Effect.forEach(skipped, ({ offsets, partition }) => skipUnreadable(topic, partition, offsets), {
      discard: true
    })
    return Effect.zipRight(Effect.zipRight(reported, noteRefusals(topic, refusals)), wait)
  }
  return (fetched: ReadonlyArray<Fetched>): Effect.Effect<void> =>
    Effect.zipRight(
      Effect.forEach(fetched, ({ messages }) => learnSenders(servers, messages), { discard: true }),
      Effect.suspend(() => takeAll(fetched))
    )
}

/** Passes batches on, each of pieces that are still this process's to read. A late result holds back the offset of its piece only. */
const makePassOn = Effect.fn("KafkaResults.makePassOn")(function*(parts: Consumption, handle: Handle) {
  const { held, intake, offsets } = parts
  const scope = yield* Effect.scope
  const handleAll = (results: ReadonlyArray<CheckResult>): ReturnType<Handle> =>
    results.length === 0 ? Effect.succeed({ stored: Effect.void, late: null }) : handle(results)

  const pass = (pieces: ReadonlyArray<Piece>) =>
    Effect.uninterruptibleMask((restore) => {
      const open = pieces.map((piece) => ({ piece, finish: offsets.begin(piece) }))
      const giveUp = (some: typeof open) => Effect.sync(() => held.drop(some.map(({ piece }) => piece.reading)))
      const finish = (some: typeof open) => Effect.sync(() => some.forEach((one) => one.finish()))
      const conclude = (some: typeof open, stored: Effect.Effect<void, unknown>) =>
        restore(stored).pipe(
          Effect.exit,
          // Results that were not stored are read again from the kept offset.
          Effect.flatMap((exit) => Exit.isSuccess(exit) ? Effect.void : giveUp(some)),
          Effect.ensuring(finish(some)),
          Effect.forkIn(scope)
        )
      return restore(retryForever("Recording check results", handleAll(pieces.flatMap(({ results }) => results)))).pipe(
        Effect.onError(() => Effect.zipRight(giveUp(open), finish(open))),
        Effect.flatMap(({ late, stored }) => {
          if (late === null) return conclude(open, stored)
          const [prompt, waiting] = Arr.partition(open, ({ piece }) => piece.results.some((one) => late.results.has(one)))
          return Effect.zipRight(conclude(prompt, stored), conclude(waiting, Effect.zipRight(stored, late.stored)))
        })
      )
    })

  const takeIn = Effect.fnUntraced(function*(restore: Restore) {
    const fetched = yield* restore(intake.take(batchSize))
    const pieces = fetched.filter(({ reading }) => held.isCurrent(reading))
    if (pieces.length > 0) yield* restore(pass(pieces))
  })
  const step = Effect.uninterruptibleMask(takeIn)
  return yield* restartForever("Taking in check results", Effect.forever(step))
})

/** Keeps the offsets that moved. A partition that another reader has claimed since is read no longer. */
const makeKeepOffsets = ({ held, offsets, shards, topic }: Consumption) => {
  const waiting = new Map<number, { readonly reading: Piece["reading"]; readonly next: string }>()
  return Effect.gen(function*() {
    for (const [reading, next] of offsets.takeMoved()) waiting.set(reading.partition, { reading, next })
    for (const [partition, { reading }] of waiting) if (!held.isCurrent(reading)) waiting.delete(partition)
    if (waiting.size === 0) return
    const keeping = [...waiting]
    const kept = yield* shards.keep(topic, new Map(keeping.map(([partition, { next }]) => [partition, next])))
    waiting.clear()
    held.drop(keeping.flatMap(([partition, { reading }]) => kept.has(partition) ? [] : [reading]))
  })
}

const consumeResults = (client: KafkaClient, servers: ServerKeys): Bus["Type"]["results"] => (handle, shards) =>
  Effect.gen(function*() {
    const topic = client.topics.results
    const held = makeHeldPartitions(topic, shards)
    const parts: Consumption = { servers, topic, shards, held, intake: makeResultIntake(), offsets: makeReadOffsets() }
    yield* measureLag(() => behindOf(parts))
    const keep = makeKeepOffsets(parts)
    yield* Effect.addFinalizer(() => keep.pipe(Effect.interruptible, Effect.timeoutOption("1 second"), Effect.ignore))
    let rounds = 0
    const follow = Effect.zipRight(
      retryForever("Following the shards of check results", held.refresh),
      Effect.when(retryForever("Keeping the offsets of check results", keep), () => ++rounds % keepEvery === 0)
    )
    yield* Effect.forkScoped(
      sharingWakes(restartForever("Following the shards of check results", Effect.forever(Effect.delay(follow, followEvery))))
    )
    yield* Effect.forkScoped(makePassOn(parts, handle))
    const read = readPartitions(client, {
      topic,
      from: "beginning",
      pace,
      fewest: shardCount,
      known: held.known,
      readings: held.readings,
      isCurrent: held.isCurrent,
      take: makeTakeIn(parts)
    })
    yield* Effect.forkScoped(read)
  })

export const makeKafkaResults = Effect.fn("KafkaResults.make")(
  function*(client: KafkaClient, { probe, servers }: BusKeys["Type"]) {
    const producer = yield* makeKafkaProducer(client, client.topics.results, {
      compresses: true,
      patience: acceptPatiently
    })
    const sign = probe === null ? null : messageOf(probe)
    return {
      report: (reported) => sign === null ? lacksKeys("report results") : producer.send(reported.map(sign)),
      results: servers === null ? () => lacksKeys("read results") : consumeResults(client, servers)
    } satisfies Pick<Bus["Type"], "report" | "results">
  }
)
