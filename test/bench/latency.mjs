// From the check that decides (the instant its result is there) to the frame at a client of the live stream, under load.
// Usage: node test/bench/latency.mjs [monitors] [transitions]
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bootstrap, sleep, startProgram, startTarget } from "./support/processes.mjs"
import { seedMonitors } from "./support/seed.mjs"

const [monitors = 5000, transitions = 240] = process.argv.slice(2).map(Number)
const flipping = 40
const warmUpMs = 15_000

const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
const target = await startTarget()
const belltower = await startProgram({ BELLTOWER_DATA_DIR: dataDir, BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" })
const { apiKey, call } = await bootstrap(belltower.baseUrl)
await seedMonitors(belltower, dataDir, call, monitors, { url: target.url, intervalSec: 60 })
// Each check of these is a transition.
await seedMonitors(belltower, dataDir, call, flipping, { url: `${target.url}flip/`, intervalSec: 10, failureThreshold: 1 })
await sleep(warmUpMs)

/** ms from the result to the frame. The check's own clock: when it began and how long it took. */
const delays = []
const stream = await fetch(`${belltower.baseUrl}/api/v1/stream?types=monitor.up,monitor.down`, {
  headers: { authorization: `Bearer ${apiKey}` }
})
const decoder = new TextDecoder()
let rest = ""
for await (const chunk of stream.body) {
  const now = Date.now()
  const frames = (rest + decoder.decode(chunk, { stream: true })).split("\n\n")
  rest = frames.pop()
  for (const frame of frames) {
    const data = /^data: (.*)$/m.exec(frame)?.[1]
    const check = data === undefined ? undefined : JSON.parse(data).data?.check
    if (check !== undefined) delays.push(now - (Date.parse(check.at) + check.latencyMs))
  }
  if (delays.length >= transitions) break
}
await belltower.stop()
target.stop()
rmSync(dataDir, { recursive: true, force: true })

delays.sort((a, b) => a - b)
const at = (share) => Math.round(delays[Math.min(delays.length - 1, Math.floor(delays.length * share))])
console.log(JSON.stringify({
  bench: "latency",
  monitors,
  transitions: delays.length,
  p50Ms: at(0.5),
  p99Ms: at(0.99),
  slowestMs: at(1),
  goalP99Ms: 250
}))
