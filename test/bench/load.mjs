// One process under a full load: how late checks begin, what memory it takes, how a restart comes up and how it ends.
// Usage: node test/bench/load.mjs [monitors] [intervalSec] [seconds]
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bootstrap, buckets, memory, quantile, sleep, startProgram, startTarget } from "./support/processes.mjs"
import { onDatabase, seedMonitors } from "./support/seed.mjs"

const [monitors = 10_000, intervalSec = 60, seconds = 90] = process.argv.slice(2).map(Number)

const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
const settings = { BELLTOWER_DATA_DIR: dataDir, BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }
const target = await startTarget()
const first = await startProgram(settings)
const { call } = await bootstrap(first.baseUrl)
await seedMonitors(first, dataDir, call, monitors, { url: target.url, intervalSec })
const firstStopMs = await first.stop()

const startedAt = Date.now()
const belltower = await startProgram(settings)
let peakMb = 0
for (const end = startedAt + seconds * 1000; Date.now() < end; await sleep(1000)) {
  const { othersMb, ownMb } = memory(belltower.pid)
  peakMb = Math.max(peakMb, ownMb + othersMb)
}
const late = await buckets(belltower.baseUrl, "belltower_check_lateness_seconds")
const use = memory(belltower.pid)
const { begun, busiest, mean } = await onDatabase(dataDir, async (query) => {
  const since = new Date(startedAt)
  const [first] = await query(
    `select extract(epoch from max(first) - $1)::float8 as last, count(*)::int as monitors
     from (select min(at) as first from checks where at >= $1 group by monitor_id) one`,
    [since]
  )
  // The first and the last second are not whole.
  const perSecond = await query(
    `select count(*)::int as n from checks where at >= $1 group by date_trunc('second', at) order by date_trunc('second', at)`,
    [since]
  )
  const counts = perSecond.slice(1, -1).map(({ n }) => n)
  return {
    begun: first.monitors === monitors ? first.last : null,
    busiest: Math.max(...counts),
    mean: counts.reduce((sum, n) => sum + n, 0) / counts.length
  }
})
const stopMs = await belltower.stop()
target.stop()
rmSync(dataDir, { recursive: true, force: true })

const round = (value) => Number(value.toFixed(2))
console.log(JSON.stringify({
  bench: "load",
  monitors,
  intervalSec,
  latenessMs: { p50: round(quantile(late, 0.5) * 1000), p99: round(quantile(late, 0.99) * 1000) },
  memoryMb: { node: Math.round(use.ownMb), postgres: Math.round(use.othersMb), peak: Math.round(peakMb) },
  readyMs: Math.round(belltower.readyMs),
  allCheckedAfterSec: begun === null ? null : round(begun),
  busiestSecondTimesMean: round(busiest / mean),
  stopMs: Math.round(stopMs),
  stopAfterSeedingMs: Math.round(firstStopMs)
}))
