// CPU per check result of all runners together, one runner beside four, over a real Kafka: at the monitors' pace, for several numbers of
// monitors one after another, and in a backlog of all. What the runners cost when nothing comes is part of the first, and shown beside it
// (ms a second). Processes that run for days are warm, so each pace is kept for a while before it is measured.
// Usage: node test/bench/runners.mjs [monitors, such as 2000,10000] [intervalSec] [seconds] [rounds]
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { startCluster } from "../../infra/cluster.mjs"
import { missing } from "../../infra/kafka/kafka.mjs"
import { bootstrap, cpu, sleep, until } from "./support/processes.mjs"
import { startReporter } from "./support/reporter.mjs"
import { copyMonitor } from "./support/seed.mjs"

const [list = "2000,20000,60000", ...numbers] = process.argv.slice(2)
const [intervalSec = 10, seconds = 30, rounds = 6] = numbers.map(Number)
const paces = list.split(",").map(Number)
const monitors = Math.max(...paces)
const settleMs = 10_000
/** How long each pace is kept before it is measured. */
const warmMs = 45_000
/** How long the runners are measured without any results. */
const idleMs = 15_000
/** Until all actors have started. */
const startMs = 600_000
/** CPU per result with four runners may be this many times that with one. */
const goal = 1.25

const round = (value) => Number(value.toFixed(4))

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
    // As in a service that runs: their first good result is no change of state. None is expected, so that monitors without results are
    // not told to the probes again and again.
    await query("update monitor_states set state = 'up', expected_at = null, machine = machine || '{\"state\": \"up\"}'")
    const file = join(folder, "monitors")
    writeFileSync(file, ids.join("\n"))
    const identity = [cluster.baseUrl, await cluster.command("probe-token", "main"), join(folder, "reporter")]
    const reporter = await startReporter([`127.0.0.1:${cluster.kafkaPort}`, file, workspace, intervalSec, ...identity])

    // By the kept offsets: counting the rows would cost the database more than the runners do.
    const stored = async () => (await query("select coalesce(sum(next_offset), 0)::int as n from result_offsets"))[0].n
    const used = () => cluster.runners.reduce((sum, { pid }) => sum + cpu(pid).ownMs, 0)
    /** When offsets have just been kept, which happens every two seconds. */
    const read = async () => {
      const before = await stored()
      const count = await until(stored, (now) => now > before)
      return { count, ms: used(), at: performance.now() }
    }
    const per = (before, after) => (after.ms - before.ms) / (after.count - before.count)

    await sleep(settleMs)
    const idle = [used()]
    await sleep(idleMs)
    idle.push(used())

    const idlePerSecond = (idle[1] - idle[0]) / idleMs * 1000

    const paced = []
    for (const count of paces) {
      const from = await stored()
      reporter.pace(count)
      // The first results start the actors.
      await until(stored, (now) => now >= from + 2 * count, startMs)
      await sleep(warmMs)
      const before = await read()
      await sleep(seconds * 1000)
      const after = await read()
      const perSecond = (after.count - before.count) / (after.at - before.at) * 1000
      paced.push({ count, perSecond, ms: per(before, after), beyondIdleMs: per(before, after) - idlePerSecond / perSecond })
    }

    const begun = await stored()
    await reporter.burst(2)
    await until(async () => (await sleep(1500), stored()), (count) => count >= begun + 2 * monitors)
    const full = [{ count: await stored(), ms: used() }]
    await reporter.burst(rounds)
    await until(stored, (count) => count >= full[0].count + rounds * monitors)
    full.push({ count: await stored(), ms: used() })
    await reporter.stop()
    return { idleMs: idlePerSecond, paced, fullMs: per(...full) }
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
  for (const [at, { beyondIdleMs, count, ms, perSecond }] of one.paced.entries()) {
    const together = four.paced[at]
    console.log(JSON.stringify({
      bench: "runners",
      row: "paced",
      monitors: count,
      intervalSec,
      perSecond: Math.round(perSecond),
      oneMs: round(ms),
      fourMs: round(together.ms),
      times: round(together.ms / ms),
      goal,
      beyondIdleOneMs: round(beyondIdleMs),
      beyondIdleFourMs: round(together.beyondIdleMs),
      idleOneMs: round(one.idleMs),
      idleFourMs: round(four.idleMs)
    }))
  }
  console.log(JSON.stringify({
    bench: "runners",
    row: "backlog",
    monitors,
    fullOneMs: round(one.fullMs),
    fullFourMs: round(four.fullMs),
    fullTimes: round(four.fullMs / one.fullMs),
    perCpuSecond: Math.round(1000 / one.fullMs)
  }))
}
