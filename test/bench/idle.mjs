// CPU of a process that has nothing to do: everything is up, no monitor is there.
// Usage: node test/bench/idle.mjs [seconds]
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cpu, memory, sleep, startProgram } from "./support/processes.mjs"

const [seconds = 60] = process.argv.slice(2).map(Number)
const settleMs = 30_000

const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
const belltower = await startProgram({ BELLTOWER_DATA_DIR: dataDir })
await sleep(settleMs)
const before = cpu(belltower.pid)
await sleep(seconds * 1000)
const after = cpu(belltower.pid)
const use = memory(belltower.pid)
await belltower.stop()
rmSync(dataDir, { recursive: true, force: true })

const percent = (ms) => Number((ms / seconds / 10).toFixed(2))
console.log(JSON.stringify({
  bench: "idle",
  nodePercent: percent(after.ownMs - before.ownMs),
  postgresPercent: percent(after.othersMs - before.othersMs),
  memoryMb: { node: Math.round(use.ownMb), postgres: Math.round(use.othersMb) }
}))
