// Readings of what a reported cluster has stored and used until now. The difference of two readings is what the results between them took.
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { cpu } from "./processes.mjs"

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

/** Of the cluster of support/reportedCluster.mjs. */
export const makeReading = ({ cluster, folder, justStored, query, reporter }) => async () => {
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

const round = (value, digits = 0) => Number(value.toFixed(digits))

/** For each result between two readings: bytes, records and pages, and CPU in ms. */
export const between = (before, after) => {
  const results = after.count - before.count
  const each = (of, digits = 4) => round((of(after) - of(before)) / results, digits)
  return {
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
  }
}
