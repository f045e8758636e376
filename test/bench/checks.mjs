// CPU per http check with everything in one process (probe, bus, actor, rows), while a bare node:http loop asks the same target
// at the same pace beside it, and then as fast as it can.
// First at a short interval, then at the usual one, so that both find the code compiled as in a server that runs for long.
// With --stages it then profiles the program for as long, and says what each stage of a check takes of Node's part.
// Usage: node test/bench/checks.mjs [monitors] [seconds] [--stages]
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  bareMsBetween,
  bootstrap,
  cpu,
  freePort,
  memory,
  metric,
  sleep,
  startBareLoop,
  startProgram,
  startTarget
} from "./support/processes.mjs"
import { cpuProfile } from "./support/profile.mjs"
import { changeInterval, seedMonitors } from "./support/seed.mjs"
import { stageShares, stageTexts } from "./support/stages.mjs"

const withStages = process.argv.includes("--stages")
const [monitors = 5000, seconds = 60] = process.argv.slice(2).filter((text) => !text.startsWith("--")).map(Number)
const inspectorPort = withStages ? await freePort() : null
if (inspectorPort !== null) {
  process.env.BENCH_NODE_FLAGS = [process.env.BENCH_NODE_FLAGS, `--inspect-port=${inspectorPort}`].filter(Boolean).join(" ")
}
const intervals = [10, 60]
const warmUpMs = 30_000
const settleMs = 15_000
const fullSpeedMs = 4_000

const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
const target = await startTarget()
const belltower = await startProgram({ BELLTOWER_DATA_DIR: dataDir, BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" })
const { call } = await bootstrap(belltower.baseUrl)
await seedMonitors(belltower, dataDir, call, monitors, { url: target.url, intervalSec: intervals[0] })
await sleep(warmUpMs)

const full = startBareLoop(target.url, 0)
await sleep(fullSpeedMs / 2)
const fullBefore = await full.reading()
await sleep(fullSpeedMs)
const fullMs = bareMsBetween(fullBefore, await full.reading())
full.stop()

const round = (value) => Number(value.toFixed(3))

/** The cost of a check at an interval, and of a bare request beside it. */
const measure = async (intervalSec) => {
  const bare = startBareLoop(target.url, monitors / intervalSec)
  const read = async () => ({
    checks: await metric(belltower.baseUrl, "belltower_checks_total"),
    bare: await bare.reading(),
    ...cpu(belltower.pid)
  })
  await sleep(settleMs)
  const before = await read()
  await sleep(seconds * 1000)
  const after = await read()
  bare.stop()
  const checks = after.checks - before.checks
  const nodeMs = (after.ownMs - before.ownMs) / checks
  const postgresMs = (after.othersMs - before.othersMs) / checks
  const bareMs = bareMsBetween(before.bare, after.bare)
  const use = memory(belltower.pid)
  console.log(JSON.stringify({
    bench: "checks",
    monitors,
    intervalSec,
    checks,
    perSecond: Math.round(checks / seconds),
    msPerCheck: round(nodeMs + postgresMs),
    nodeMs: round(nodeMs),
    postgresMs: round(postgresMs),
    bareSamePaceMs: round(bareMs),
    bareFullSpeedMs: round(fullMs),
    timesBareSamePace: round((nodeMs + postgresMs) / bareMs),
    timesBareFullSpeed: round((nodeMs + postgresMs) / fullMs),
    memoryMb: { node: Math.round(use.ownMb), postgres: Math.round(use.othersMb) }
  }))
  return { nodeMs, postgresMs }
}

/** A profile has the main thread only, so the parts are those of all that Node takes. */
const showStages = async (intervalSec, { nodeMs, postgresMs }) => {
  const bare = startBareLoop(target.url, monitors / intervalSec)
  const shares = stageShares(await cpuProfile(belltower.pid, inspectorPort, seconds * 1000))
  bare.stop()
  const lines = shares.map(({ share, stage }) =>
    `| ${stageTexts[stage]} | ${round(share * nodeMs)} ms | ${(share * 100).toFixed(1)} % |`
  )
  console.log(["| stage | of a check | of Node's part |", "|---|---|---|", ...lines].join("\n"))
  console.log(`| PostgreSQL | ${round(postgresMs)} ms | beside it |`)
}

for (const intervalSec of intervals) {
  if (intervalSec !== intervals[0]) await changeInterval(dataDir, intervalSec)
  const cost = await measure(intervalSec)
  if (withStages) await showStages(intervalSec, cost)
}
await belltower.stop()
target.stop()
rmSync(dataDir, { recursive: true, force: true })
