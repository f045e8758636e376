// Many monitors at full pace for minutes, beside what the sizing model says: a reporter sends results as the workers of all regions
// would, over a real Kafka, to one runner that decides and stores them. No target is reached. Prints a row for each minute, and one that
// compares the whole with the model. Monitors every 20 s from one region make the load of every minute from three.
// Usage: node test/bench/scale.mjs [monitors] [intervalSec] [minutes]
import { missing } from "../../infra/kafka/kafka.mjs"
import { costs } from "./support/costs.mjs"
import { memory, metric, sleep, until } from "./support/processes.mjs"
import { between, makeReading } from "./support/readings.mjs"
import { withReportedCluster } from "./support/reportedCluster.mjs"

const [monitors = 100_000, intervalSec = 20, minutes = 10] = process.argv.slice(2).map(Number)
/** Until all actors have started. */
const startMs = 900_000

const print = (row) => console.log(JSON.stringify(row))

const measure = async (reported) => {
  const { cluster, reporter, stored } = reported
  const [runner] = cluster.runners
  const read = makeReading(reported)
  const held = async () => ({
    runnerMb: Math.round(memory(runner.pid).ownMb),
    heapMb: Math.round((await metric(runner.baseUrl, "nodejs_heap_size_used_bytes")) / 1e6),
    postgresMb: Math.round(memory(cluster.database.pid).othersMb),
    oldestResultSec: Number((await metric(runner.baseUrl, "belltower_oldest_result_age_seconds")).toFixed(1))
  })
  print({ when: "before the first result", ...await held() })
  const from = await stored()
  reporter.pace(monitors)
  await until(stored, (now) => now >= from + 2 * monitors, startMs)
  const first = await read()
  let before = first
  for (let minute = 1; minute <= minutes; minute++) {
    await sleep(60_000)
    const after = await read()
    print({ minute, ...between(before, after), ...await held() })
    before = after
  }
  const { kafkaBytes, perSecond, postgresMs, runnerMs, walBytes } = between(first, before)
  const { heapMb } = await held()
  print({
    bench: "scale",
    monitors,
    intervalSec,
    minutes,
    measuredAndModel: {
      perSecond: [perSecond, Math.round(monitors / intervalSec)],
      runnerMs: [runnerMs, costs.resultMs + costs.compactMs],
      postgresMs: [postgresMs, costs.databaseMs],
      walBytes: [walBytes, costs.walBytes],
      kafkaBytes: [kafkaBytes, costs.kafkaBytes],
      // With garbage, of which the model knows nothing; none of them fails.
      heapMb: [heapMb, Math.round(costs.heapMb + costs.runnerKb * monitors / 1000)]
    }
  })
}

const reason = await missing()
if (reason !== null) console.error(`No rows for scale. ${reason}`)
else await withReportedCluster({ runners: 1, monitors, intervalSec }, measure)
