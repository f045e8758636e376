// CPU per check result of all runners together, one runner beside four, over a real Kafka: at the monitors' pace, and in a backlog.
// Usage: node test/bench/runners.mjs [monitors] [intervalSec] [seconds] [rounds]
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { startCluster } from "../../infra/cluster.mjs"
import { missing } from "../../infra/kafka/kafka.mjs"
import { startBundled } from "./support/bundle.mjs"
import { bootstrap, cpu, sleep, until } from "./support/processes.mjs"
import { copyMonitor } from "./support/seed.mjs"

const [monitors = 5000, intervalSec = 10, seconds = 30, rounds = 12] = process.argv.slice(2).map(Number)
const settleMs = 10_000
/** CPU per result with four runners may be this many times that with one. */
const goal = 1.25

const round = (value) => Number(value.toFixed(4))

/** A load of its own process. */
const startReporter = async (args) => {
  const { child, ended } = await startBundled("test/bench/runners.bench.ts", args)
  const said = (word) =>
    new Promise((resolve) => {
      const listen = (message) => {
        if (message !== word) return
        child.off("message", listen)
        resolve()
      }
      child.on("message", listen)
    })
  await said("ready")
  return {
    pace: () => child.send("pace"),
    burst: (count) => {
      const sent = said("sent")
      child.send(String(count))
      return sent
    },
    stop: () => {
      child.kill("SIGKILL")
      return ended
    }
  }
}

const measure = async (runners) => {
  const folder = mkdtempSync(join(tmpdir(), "belltower-bench-"))
  chmodSync(folder, 0o755)
  const tell = (name, line) => process.env.BENCH_OUTPUT && console.error(`${name}| ${line}`)
  const cluster = await startCluster({
    folder,
    runners,
    regions: { main: 0 },
    supervised: false,
    env: { BELLTOWER_LOG_LEVEL: "warning", BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" },
    tell
  })
  const client = new pg.Client({ connectionString: cluster.databaseUrl })
  await client.connect()
  const query = (text, values) => client.query(text, values).then(({ rows }) => rows)
  try {
    const { call } = await bootstrap(cluster.baseUrl)
    const { id } = await call("POST", "/monitors", { name: "Monitor 0", url: "http://127.0.0.1:9/", intervalSec })
    const [{ workspace }] = await query("select workspace_id as workspace from monitors where id = $1", [id])
    const ids = [id, ...(await copyMonitor(query, id, monitors - 1))]
    const list = join(folder, "monitors")
    writeFileSync(list, ids.join("\n"))
    const reporter = await startReporter([`127.0.0.1:${cluster.kafkaPort}`, list, workspace, intervalSec])

    const used = () => cluster.runners.reduce((sum, { pid }) => sum + cpu(pid).ownMs, 0)
    const stored = async () => (await query("select count(*)::int as n from checks"))[0].n
    const read = async () => ({ count: await stored(), ms: used() })
    const per = (before, after) => (after.ms - before.ms) / (after.count - before.count)

    reporter.pace()
    await until(stored, (count) => count >= 2 * monitors)
    await sleep(settleMs)
    const paced = [await read()]
    await sleep(seconds * 1000)
    paced.push(await read())

    await reporter.burst(2)
    await until(async () => (await sleep(1500), stored()), (count) => count >= paced[1].count + 2 * monitors)
    const full = [await read()]
    await reporter.burst(rounds)
    await until(stored, (count) => count >= full[0].count + rounds * monitors)
    full.push(await read())
    await reporter.stop()
    return { perSecond: (paced[1].count - paced[0].count) / seconds, pacedMs: per(...paced), fullMs: per(...full) }
  } finally {
    await client.end()
    await cluster.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const reason = await missing()
if (reason !== null) console.error(`No rows for runners. ${reason}`)
else {
  const one = await measure(1)
  const four = await measure(4)
  console.log(JSON.stringify({
    bench: "runners",
    monitors,
    intervalSec,
    perSecond: Math.round(one.perSecond),
    oneMs: round(one.pacedMs),
    fourMs: round(four.pacedMs),
    times: round(four.pacedMs / one.pacedMs),
    fullOneMs: round(one.fullMs),
    fullFourMs: round(four.fullMs),
    fullTimes: round(four.fullMs / one.fullMs),
    perCpuSecond: Math.round(1000 / one.fullMs),
    goal
  }))
}
