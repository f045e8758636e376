// Bytes of a check in Kafka's log and in the write-ahead log, and what the processes use for it, at several rates one after another:
// a reporter sends results as a worker does, over a real Kafka, to a runner that stores them. Each rate is kept for a while before it is
// measured. Full pages, which PostgreSQL logs after a checkpoint, are counted apart: how many a check causes depends on how often it
// makes checkpoints.
// Usage: node test/bench/bytes.mjs [results a second, such as 50,5000] [intervalSec] [seconds] [warmSec]
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { missing } from "../../infra/kafka/kafka.mjs"
import { cpu, sleep, until } from "./support/processes.mjs"
import { withReportedCluster } from "./support/reportedCluster.mjs"

const [list = "50,250,5000", ...numbers] = process.argv.slice(2)
const [intervalSec = 10, seconds = 20, warmSec = 20] = numbers.map(Number)
const rates = list.split(",").map(Number)
const countOf = (rate) => rate * intervalSec
/** Until all actors have started. */
const startMs = 300_000

const round = (value, digits = 0) => Number(value.toFixed(digits))

/** Bytes of the segments of results. */
const kafkaBytes = (folder) => {
  const log = join(folder, "kafka/log")
  const partitions = readdirSync(log).filter((name) => name.startsWith("belltower.check-results-"))
  const segments = partitions.flatMap((name) => readdirSync(join(log, name)).map((file) => join(log, name, file)))
  return segments.filter((file) => file.endsWith(".log")).reduce((sum, file) => sum + statSync(file).size, 0)
}

const walOf = `
  select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes, wal_records::float8 as records, wal_fpi::float8 as pages,
    (select n_tup_upd::float8 from pg_stat_user_tables where relname = 'monitor_states') as updates,
    (select n_tup_hot_upd::float8 from pg_stat_user_tables where relname = 'monitor_states') as hot
  from pg_stat_wal`

const measure = async ({ cluster, folder, justStored, query, reporter, stored }) => {
  const read = async () => {
    const count = await justStored()
    const [wal] = await query(walOf)
    return {
      count,
      at: performance.now(),
      wal,
      kafka: kafkaBytes(folder),
      probeMs: cpu(reporter.pid).ownMs,
      runnerMs: cpu(cluster.runners[0].pid).ownMs,
      brokerMs: cpu(cluster.kafka.pid).othersMs,
      postgresMs: cpu(cluster.database.pid).othersMs
    }
  }
  for (const rate of rates) {
    const from = await stored()
    reporter.pace(countOf(rate))
    // The first results start the actors.
    await until(stored, (now) => now >= from + 2 * countOf(rate), startMs)
    await sleep(warmSec * 1000)
    const before = await read()
    await sleep(seconds * 1000)
    const after = await read()
    const results = after.count - before.count
    const each = (of, digits = 4) => round((of(after) - of(before)) / results, digits)
    console.log(JSON.stringify({
      bench: "bytes",
      intervalSec,
      results,
      perSecond: round(results / (after.at - before.at) * 1000),
      kafkaBytes: each(({ kafka }) => kafka, 0),
      walBytes: each(({ wal }) => wal.bytes, 0),
      walRecords: each(({ wal }) => wal.records, 2),
      fullPages: each(({ wal }) => wal.pages, 4),
      inPlace: round((after.wal.hot - before.wal.hot) / Math.max(1, after.wal.updates - before.wal.updates), 2),
      probeMs: each(({ probeMs }) => probeMs),
      runnerMs: each(({ runnerMs }) => runnerMs),
      brokerMs: each(({ brokerMs }) => brokerMs),
      postgresMs: each(({ postgresMs }) => postgresMs)
    }))
  }
}

const reason = await missing()
if (reason !== null) console.error(`No rows for bytes. ${reason}`)
else await withReportedCluster({ runners: 1, monitors: countOf(Math.max(...rates)), intervalSec }, measure)
