/** The program scaled out while its sockets to PostgreSQL and Kafka freeze or stall: monitoring goes on, and a stop ends. */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Redacted, Scope } from "effect"
import { RegionId } from "../../schema/check/Region.ts"
import { canRunKafka } from "../support/kafka/LocalKafka.ts"
import { databaseLine, type Frozen, makeLine } from "../support/network/Line.ts"
import { eventually } from "./support/Eventually.ts"
import { makeLocalCluster, makeWorkspace, stop } from "./support/LocalCluster.ts"
import { makeRegionalTargets } from "./support/RegionalTargets.ts"
import { makeWatch } from "./support/Watch.ts"

const sites = Array.from({ length: 12 }, (_, index) => `site-${index}`)
const directions: ReadonlyArray<Frozen> = ["requests", "answers", "both"]
/** Shorter than the 10 s after which Kafka gives a member of a group up, and longer. */
const stallSeconds = [5, 15]

type DatabaseLine = Effect.Effect.Success<ReturnType<typeof databaseLine>>
type KafkaLine = Effect.Effect.Success<ReturnType<typeof makeLine>>

/** One api, two runners and a region of two probes, with a line from each process to the database and one line to the broker. */
const makeSetting = Effect.gen(function*() {
  const scope = yield* Effect.scope
  const databases = new Map<string, DatabaseLine>()
  const brokers: Array<KafkaLine> = []
  const through = {
    database: (url: string, name: string) =>
      Effect.runPromise(Scope.extend(databaseLine(Redacted.make(url)), scope)).then((line) => {
        databases.set(name, line)
        return Redacted.value(line.address)
      }),
    kafka: (port: number) =>
      Effect.runPromise(Scope.extend(makeLine({ host: "127.0.0.1", port }), scope)).then((line) => {
        brokers.push(line)
        return line.port()
      })
  }
  const targets = yield* makeRegionalTargets
  const cluster = yield* makeLocalCluster({ eu: 2 }, { runners: 2, through })
  const client = yield* makeWorkspace(cluster.baseUrl)
  const create = (name: string) =>
    client.Monitors.create_monitor({
      payload: { name, url: targets.urlOf(name), intervalSec: 10, timeoutMs: 2000, regions: [RegionId.make("eu")] }
    })
  return { cluster, databases, brokers, create, watch: makeWatch(client) }
})

type Setting = Effect.Effect.Success<typeof makeSetting>

const eachLine = (lines: Iterable<DatabaseLine | KafkaLine>, act: (line: DatabaseLine | KafkaLine) => Effect.Effect<void>) =>
  Effect.forEach(lines, act, { discard: true })

/** Checks that began after the fault are decided, and a monitor that is made now is checked soon. */
const goesOn = Effect.fn("goesOn")(function*({ create, watch }: Setting, what: string) {
  const since = yield* Clock.currentTimeMillis
  const name = what.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")
  yield* Effect.retry(create(name), { times: 20 })
  const took = yield* eventually(`${what}: all is decided again`, "60 seconds", watch.decidedSince(sites, since))
  const began = yield* eventually(`${what}: a new monitor is up`, "60 seconds", watch.states([name], "up"))
  console.log(`${what}: decided again after ${took} s, and a new monitor ${began} s later`)
})

describe.skipIf(!(await canRunKafka()))("sockets of the program freeze", () => {
  it.scopedLive("and monitoring goes on", () =>
    Effect.gen(function*() {
      const setting = yield* makeSetting
      const { brokers, cluster, create, databases, watch } = setting
      yield* Effect.forEach(sites, create, { concurrency: 4 })
      yield* eventually("All monitors are up", "45 seconds", watch.states(sites, "up"))
      for (const lost of directions) {
        yield* eachLine(databases.values(), (line) => line.freeze(lost))
        yield* goesOn(setting, `PostgreSQL, ${lost} lost`)
        yield* eachLine(brokers, (line) => line.freeze(lost))
        yield* goesOn(setting, `Kafka, ${lost} lost`)
      }
      for (const seconds of stallSeconds) {
        yield* eachLine(brokers, (line) => line.stall)
        yield* Effect.sleep(seconds * 1000)
        yield* eachLine(brokers, (line) => line.flow)
        yield* goesOn(setting, `Kafka stalled for ${seconds} s`)
      }
      // A process that is told to stop while its sockets are frozen ends by itself.
      const [runner] = cluster.runners
      yield* eachLine([...databases.values(), ...brokers], (line) => line.freeze())
      if (runner !== undefined) yield* stop(runner)
      expect(runner?.lastExit).toBe("exit code 0")
    }), 900_000)
})
