// Memory that each monitor keeps, by what stays after a collection of the whole heap with more and more monitors whose checks all came in:
// in one process that does everything, and at one runner over a real Kafka, whose results a reporter sends in place of probes.
// Usage: node test/bench/memory.mjs [monitors, such as 10000,50000,100000] [intervalSec]
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { missing } from "../../infra/kafka/kafka.mjs"
import { bootstrap, freePort, memory, metric, startProgram, startTarget, until } from "./support/processes.mjs"
import { keptMb } from "./support/profile.mjs"
import { withReportedCluster } from "./support/reportedCluster.mjs"
import { seedMonitors } from "./support/seed.mjs"

const [list = "10000,50000,100000", seconds = "60"] = process.argv.slice(2)
const sizes = list.split(",").map(Number)
const intervalSec = Number(seconds)
/** Until the checks of all monitors came in. */
const limitMs = 900_000

const inspectorPort = await freePort()
const inspected = `--inspect-port=${inspectorPort}`

const round = (value, digits = 0) => Number(value.toFixed(digits))

const readOf = async (pid, monitors) => {
  const { buffers, heap } = await keptMb(pid, inspectorPort)
  return { monitors, heapMb: round(heap, 1), buffersMb: round(buffers, 1), processMb: round(memory(pid).ownMb) }
}

/** The memory that each monitor adds between the least and the most. */
const print = (where, rows) => {
  const [first, last] = [rows[0], rows.at(-1)]
  const added = last.heapMb + last.buffersMb - first.heapMb - first.buffersMb
  const kbEach = rows.length === 1 ? null : round(added * 1000 / (last.monitors - first.monitors), 2)
  console.log(JSON.stringify({ bench: "memory", where, intervalSec, rows, kbEach }))
}

const inOneProcess = async () => {
  process.env.BENCH_NODE_FLAGS = [process.env.BENCH_NODE_FLAGS, inspected].filter(Boolean).join(" ")
  const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
  // At every loopback address: one alone would run out of ports.
  const target = await startTarget("0.0.0.0")
  const belltower = await startProgram({ BELLTOWER_DATA_DIR: dataDir, BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" })
  const { call } = await bootstrap(belltower.baseUrl)
  const checks = () => metric(belltower.baseUrl, "belltower_checks_total")
  const rows = []
  for (const [index, monitors] of sizes.entries()) {
    const input = { url: `http://127.0.0.${index + 1}:${target.port}/`, intervalSec }
    await seedMonitors(belltower, dataDir, call, monitors - (sizes[index - 1] ?? 0), input)
    const before = await checks()
    await until(checks, (now) => now >= before + 1.1 * monitors, limitMs)
    rows.push(await readOf(belltower.pid, monitors))
  }
  await belltower.stop()
  target.stop()
  rmSync(dataDir, { recursive: true, force: true })
  print("one process that does everything", rows)
}

const atOneRunner = async () => {
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, inspected].filter(Boolean).join(" ")
  await withReportedCluster({ runners: 1, monitors: sizes.at(-1), intervalSec }, async ({ cluster, reporter, stored }) => {
    const rows = []
    for (const monitors of sizes) {
      const before = await stored()
      reporter.pace(monitors)
      await until(stored, (now) => now >= before + 2 * monitors, limitMs)
      rows.push(await readOf(cluster.runners[0].pid, monitors))
    }
    print("one runner", rows)
  })
}

await inOneProcess()
const reason = await missing()
if (reason !== null) console.error(`No row for memory at a runner. ${reason}`)
else await atOneRunner()
