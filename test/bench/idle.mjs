// CPU of processes that have nothing to do, with everything up and no monitor: one process that does everything, and an api, a runner and a
// probe over a real Kafka. Wake-ups are those of the main thread. --profile=<file> writes a CPU profile of the runner over as many seconds.
// Usage: node test/bench/idle.mjs [seconds] [--profile=<file>]
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startCluster } from "../../infra/cluster.mjs"
import { missing } from "../../infra/kafka/kafka.mjs"
import { cpu, freePort, memory, sleep, startProgram } from "./support/processes.mjs"
import { cpuProfile } from "./support/profile.mjs"

const profileFile = process.argv.find((text) => text.startsWith("--profile="))?.slice("--profile=".length) ?? null
const [seconds = 60] = process.argv.slice(2).filter((text) => !text.startsWith("--")).map(Number)
/** V8 compiles paths that run twice a minute until then: its threads fall from 6.7 to 1.2 ms a second. */
const settleMs = 240_000
/** The goal of a runner, ms a second. */
const goal = 3

const wakesOf = (pid) =>
  Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/task/${pid}/status`, "utf8"))[1])
const readingOf = (pid) => ({ ...cpu(pid), wakes: wakesOf(pid) })
const each = (before, after) => Number(((after - before) / seconds).toFixed(2))

const oneProcess = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
  const belltower = await startProgram({ BELLTOWER_DATA_DIR: dataDir })
  await sleep(settleMs)
  const before = readingOf(belltower.pid)
  await sleep(seconds * 1000)
  const after = readingOf(belltower.pid)
  const use = memory(belltower.pid)
  await belltower.stop()
  rmSync(dataDir, { recursive: true, force: true })
  console.log(JSON.stringify({
    bench: "idle",
    row: "one process",
    nodePercent: each(before.ownMs, after.ownMs) / 10,
    postgresPercent: each(before.othersMs, after.othersMs) / 10,
    wakesASecond: each(before.wakes, after.wakes),
    memoryMb: { node: Math.round(use.ownMb), postgres: Math.round(use.othersMb) }
  }))
}

const overKafka = async () => {
  const folder = mkdtempSync(join(tmpdir(), "belltower-bench-"))
  chmodSync(folder, 0o755)
  const inspectorPort = await freePort()
  process.env.NODE_OPTIONS = `--inspect-port=${inspectorPort}`
  const tell = (name, line) => process.env.BENCH_OUTPUT && console.error(`${name}| ${line}`)
  const env = { BELLTOWER_LOG_LEVEL: "warning" }
  const cluster = await startCluster({ folder, runners: 1, regions: { main: 1 }, supervised: false, env, tell })
  const processes = { api: cluster.api, runner: cluster.runners[0], probe: cluster.probes.main[0] }
  const read = () =>
    Object.fromEntries(
      Object.entries({ ...processes, postgres: cluster.database }).map(([name, { pid }]) => [name, readingOf(pid)])
    )
  await sleep(settleMs)
  const before = read()
  await sleep(seconds * 1000)
  const after = read()
  for (const [role, { pid }] of Object.entries(processes)) {
    console.log(JSON.stringify({
      bench: "idle",
      row: `${role} over Kafka`,
      msASecond: each(before[role].ownMs, after[role].ownMs),
      wakesASecond: each(before[role].wakes, after[role].wakes),
      memoryMb: Math.round(memory(pid).ownMb),
      ...(role === "runner" ? { goal } : {})
    }))
  }
  console.log(JSON.stringify({
    bench: "idle",
    row: "PostgreSQL of the three",
    msASecond: each(before.postgres.othersMs, after.postgres.othersMs)
  }))
  if (profileFile !== null) {
    const profile = await cpuProfile(cluster.runners[0].pid, inspectorPort, seconds * 1000)
    writeFileSync(profileFile, JSON.stringify(profile))
  }
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}

await oneProcess()
const reason = await missing()
if (reason !== null) console.error(`No rows for idle processes over Kafka. ${reason}`)
else await overKafka()
