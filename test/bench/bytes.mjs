// Bytes of a check in Kafka's log and in the write-ahead log, and what the processes use for it, at several rates one after another:
// a reporter sends results as a worker does, over a real Kafka, to a runner that stores them. Each rate is kept for a while before it is
// measured. Full pages, which PostgreSQL logs after a checkpoint, are counted apart: how many a check causes depends on how often it
// makes checkpoints.
// Usage: node test/bench/bytes.mjs [results a second, such as 50,5000] [intervalSec] [seconds] [warmSec]
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { startCluster } from "../../infra/cluster.mjs"
import { missing } from "../../infra/kafka/kafka.mjs"
import { bootstrap, cpu, sleep, until } from "./support/processes.mjs"
import { startReporter } from "./support/reporter.mjs"
import { copyMonitor } from "./support/seed.mjs"

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

const measure = async (folder) => {
  const tell = (name, line) => process.env.BENCH_OUTPUT && console.error(`${name}| ${line}`)
  const env = { BELLTOWER_LOG_LEVEL: "warning", BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }
  const cluster = await startCluster({ folder, runners: 1, regions: { main: 0 }, supervised: false, env, tell })
  const client = new pg.Client({ connectionString: cluster.databaseUrl })
  await client.connect()
  const query = (text, values) => client.query(text, values).then(({ rows }) => rows)
  try {
    const { call } = await bootstrap(cluster.baseUrl)
    const { id } = await call("POST", "/monitors", { name: "Monitor 0", url: "http://127.0.0.1:9/", intervalSec })
    const [{ workspace }] = await query("select workspace_id as workspace from monitors where id = $1", [id])
    const ids = [id, ...(await copyMonitor(query, id, countOf(Math.max(...rates)) - 1))]
    // As in a service that runs: their first good result is no change of state.
    await query("update monitor_states set state = 'up', expected_at = null, machine = machine || '{\"state\": \"up\"}'")
    const file = join(folder, "monitors")
    writeFileSync(file, ids.join("\n"))
    const identity = [cluster.baseUrl, await cluster.command("probe-token", "main"), join(folder, "reporter")]
    const reporter = await startReporter([`127.0.0.1:${cluster.kafkaPort}`, file, workspace, intervalSec, ...identity])

    const stored = async () => (await query("select coalesce(sum(next_offset), 0)::int as n from result_offsets"))[0].n
    /** When offsets have just been kept, which happens every two seconds. */
    const read = async () => {
      const before = await stored()
      const count = await until(stored, (now) => now > before)
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
    await reporter.stop()
  } finally {
    await client.end()
    await cluster.stop()
  }
}

const reason = await missing()
if (reason !== null) console.error(`No rows for bytes. ${reason}`)
else {
  const folder = mkdtempSync(join(tmpdir(), "belltower-bench-"))
  chmodSync(folder, 0o755)
  try {
    await measure(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
