/** Reports good results of monitors to a real Kafka as probes do: at the pace of their interval, and then as fast as it takes them. */
import { Clock, Effect, Layer, Logger, LogLevel, Option, Redacted, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { RegionId } from "../../schema/check/Region.ts"
import { CheckId, MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import { Bus } from "../../src/bus/Bus.ts"
import { BusKeys } from "../../src/bus/BusKeys.ts"
import { KafkaBus } from "../../src/bus/kafka/KafkaBus.ts"
import { probeIdentity } from "../../src/deployment/ProbeIdentity.ts"
import { phaseOf, slotAt } from "../../src/domain/check/round/CheckSlot.ts"
import { makeId } from "../../src/domain/tools/Id.ts"
import { probeMetrics } from "../../src/probe/Metrics.ts"
import { makeReporter } from "../../src/probe/Reporter.ts"
import { makeBeat } from "../support/probe/Beats.ts"

const [broker = "", file = "", workspace = "", interval = "10", url = "", token = "", dataDir = ""] = process.argv.slice(2)
const monitors = readFileSync(file, "utf8").split("\n").map((id) => MonitorId.make(id))
const workspaceId = WorkspaceId.make(workspace)
const intervalMs = Number(interval) * 1000
const region = RegionId.make("main")
const tickMs = 20

let made = 0

/** Durations differ, as those of real checks do: equal ones would compress too well. */
const timed = () => {
  const [dns, connect, wait] = [++made % 9, made * 7 % 191, made * 13 % 997]
  const total = (dns + connect + wait + 3) / 10
  return {
    latencyMs: total,
    timings: { dnsMs: dns / 10, connectMs: connect / 10, tlsMs: null, firstByteMs: wait / 10, totalMs: total }
  }
}

const resultOf = (monitorId: MonitorId, at: number, slot: number): CheckResult => ({
  checkId: CheckId.make(makeId("chk", at, randomBytes(10))),
  monitorId,
  workspaceId,
  revision: 1,
  region,
  slot,
  at,
  outcome: "up",
  statusCode: 200,
  ...timed(),
  error: null,
  cause: null,
  evidence: null,
  trusted: true
})

/** The results of one round as fast as the bus accepts them, in a slot of its own. */
const burst = (round: number) =>
  Effect.gen(function*() {
    const bus = yield* Bus
    const now = yield* Clock.currentTimeMillis
    const results = monitors.map((id) => resultOf(id, now, slotAt(now, phaseOf(id, intervalMs), intervalMs) + round))
    for (let from = 0; from < results.length; from += 1000) {
      yield* Effect.retry(bus.report(results.slice(from, from + 1000)), { times: 20 })
    }
  })

/** In the order of their slots within an interval: a tick costs what is due, not what exists. */
const byPhaseOf = (count: number) =>
  monitors.slice(0, count).map((id) => ({ id, phase: phaseOf(id, intervalMs) })).sort((a, b) => a.phase - b.phase)

/** Each of the first monitors in its own slot, as a worker reports them. */
const keepReporting = Effect.fnUntraced(function*(count: number) {
  const reporter = yield* makeReporter(probeMetrics(region))
  const byPhase = byPhaseOf(count)
  const begun = yield* Clock.currentTimeMillis
  let place = Math.max(0, byPhase.findIndex(({ phase }) => phase > begun % intervalMs))
  let round = begun - begun % intervalMs
  const tick = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    for (let next = byPhase[place]; next !== undefined && round + next.phase <= now; next = byPhase[place]) {
      reporter.offer(resultOf(next.id, now, slotAt(round + next.phase, next.phase, intervalMs)))
      if (++place === byPhase.length) {
        place = 0
        round += intervalMs
      }
    }
    return Effect.void
  })
  return yield* Effect.forever(Effect.delay(tick, tickMs))
})

const beat = Effect.gen(function*() {
  const bus = yield* Bus
  const at = yield* Clock.currentTimeMillis
  yield* Effect.ignore(bus.beat(makeBeat({ region, at, monitors: monitors.length })))
})

const next = Effect.async<string>((resume) => void process.once("message", (message) => resume(Effect.succeed(String(message)))))

/** Obeys its parent: "pace 500" reports on 500 monitors until the next word, a number sends that many rounds of all at full speed. */
const obey = Effect.gen(function*() {
  let word = yield* next
  // Slots that were used would not count again.
  let sent = 0
  for (;;) {
    if (word.startsWith("pace ")) {
      word = yield* Effect.raceFirst(Effect.scoped(keepReporting(Number(word.slice(5)))), next)
      continue
    }
    for (let round = 0; round < Number(word); round++) yield* burst(++sent)
    process.send?.("sent")
    word = yield* next
  }
})

const identity = probeIdentity({
  baseUrl: Option.some(url),
  dataDir,
  port: 0,
  probeRegion: Option.none(),
  probeToken: Option.some(Redacted.make(token))
})
const keys = Layer.effect(BusKeys, Effect.map(identity, ({ keys: probe }) => ({ servers: null, probe })))

await Effect.runPromise(
  Effect.scoped(Effect.gen(function*() {
    yield* Effect.forkScoped(Effect.repeat(beat, Schedule.spaced("5 seconds")))
    process.send?.("ready")
    return yield* obey
  })).pipe(
    Effect.provide([
      Layer.provide(KafkaBus.layer({ brokers: [broker], topicPrefix: "belltower.", partitions: 16, createTopics: false }), keys),
      Logger.minimumLogLevel(LogLevel.Warning)
    ]),
    Effect.withTracerEnabled(false)
  )
)
