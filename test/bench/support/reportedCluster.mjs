// A cluster over a real Kafka whose monitors a reporter reports on, as a worker would, and whose stored results are counted by offsets.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { startCluster } from "../../../infra/cluster.mjs"
import { bootstrap, until } from "./processes.mjs"
import { startReporter } from "./reporter.mjs"
import { copyMonitor } from "./seed.mjs"

/** Starts it, runs `use`, and removes it. The first results of a pace start the actors. */
export const withReportedCluster = async ({ intervalSec, monitors, runners }, use) => {
  const folder = mkdtempSync(join(tmpdir(), "belltower-bench-"))
  chmodSync(folder, 0o755)
  const tell = (name, line) => process.env.BENCH_OUTPUT && console.error(`${name}| ${line}`)
  const env = { BELLTOWER_LOG_LEVEL: "warning", BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }
  const cluster = await startCluster({ folder, runners, regions: { main: 0 }, supervised: false, env, tell })
  const client = new pg.Client({ connectionString: cluster.databaseUrl })
  await client.connect()
  const query = (text, values) => client.query(text, values).then(({ rows }) => rows)
  try {
    const { call } = await bootstrap(cluster.baseUrl)
    const { id } = await call("POST", "/monitors", { name: "Monitor 0", url: "http://127.0.0.1:9/", intervalSec })
    const [{ workspace }] = await query("select workspace_id as workspace from monitors where id = $1", [id])
    const ids = [id, ...(await copyMonitor(query, id, monitors - 1))]
    // As in a service that runs: their first good result is no change of state. None is expected, so that monitors without results are
    // not published to the probes again and again.
    await query("update monitor_states set state = 'up', expected_at = null, machine = machine || '{\"state\": \"up\"}'")
    const file = join(folder, "monitors")
    writeFileSync(file, ids.join("\n"))
    const identity = [cluster.baseUrl, await cluster.command("probe-token", "main"), join(folder, "reporter")]
    const reporter = await startReporter([`127.0.0.1:${cluster.kafkaPort}`, file, workspace, intervalSec, ...identity])
    // By the kept offsets: counting the rows would cost the database more than the runners do.
    const stored = async () => (await query("select coalesce(sum(next_offset), 0)::int as n from result_offsets"))[0].n
    /** The count when offsets have just been kept, which happens every two seconds. */
    const justStored = async () => {
      const before = await stored()
      return until(stored, (now) => now > before)
    }
    const result = await use({ cluster, folder, query, reporter, stored, justStored })
    await reporter.stop()
    return result
  } finally {
    await client.end()
    await cluster.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
