// How long a request of one workspace takes while another client keeps hundreds under way: with a wrong key, cheap ones,
// long lists, or changes.
// Usage: node test/bench/neighbours.mjs [concurrent requests] [seconds]
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bootstrap, eachOf, sleep, startProgram } from "./support/processes.mjs"

const [atOnce = 500, seconds = 20] = process.argv.slice(2).map(Number)
const here = dirname(fileURLToPath(import.meta.url))
/** Monitors on a page of the long list. */
const listed = 500
const everyMs = 200
const settleMs = 5_000

const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
const program = await startProgram({ BELLTOWER_DATA_DIR: dataDir })
const input = (n) => ({ name: `Monitor ${n}`, url: `http://example.com/${n}`, paused: true })
const busy = await bootstrap(program.baseUrl)
const quiet = await bootstrap(program.baseUrl)
await eachOf(Array.from({ length: listed }, (_, n) => n), 8, (n) => busy.call("POST", "/monitors", input(n)))
const { id } = await quiet.call("POST", "/monitors", input(0))
const api = `${program.baseUrl}/api/v1`

const { apiKey } = busy
const wrongKey = `bt_live_${"0".repeat(32)}`
const floods = [
  { flood: "nothing", path: null },
  { flood: "a wrong key", path: "/agent/whoami", apiKey: wrongKey },
  { flood: "GET /agent/whoami", path: "/agent/whoami", apiKey },
  { flood: `GET /monitors?limit=${listed}`, path: `/monitors?limit=${listed}`, apiKey },
  { flood: "POST /monitors", path: "/monitors", apiKey, body: JSON.stringify(input(0)) }
]
/** Not that of the other workspace. */
const address = "127.0.0.2"

const at = (sorted, part) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))])

/** How long the quiet workspace's request takes, ms, in order; one that fails counts as endless. */
const measure = async () => {
  const one = async () => {
    const from = performance.now()
    const response = await fetch(`${api}/monitors/${id}`, { headers: { authorization: `Bearer ${quiet.apiKey}` } })
    await response.arrayBuffer()
    return response.ok ? performance.now() - from : Infinity
  }
  const all = []
  for (const until = performance.now() + seconds * 1000; performance.now() < until; await sleep(everyMs)) all.push(one())
  return (await Promise.all(all)).sort((a, b) => a - b)
}

for (const { apiKey, body, flood, path } of floods) {
  const args = [join(here, "support/flood.mjs"), `${api}${path}`, apiKey, String(atOnce), address, ...(body ? [body] : [])]
  const child = path === null ? null : spawn(process.execPath, args, { stdio: "inherit" })
  await sleep(settleMs)
  const took = await measure()
  child?.kill("SIGKILL")
  console.log(JSON.stringify({
    bench: "neighbours",
    flood,
    atOnce: path === null ? 0 : atOnce,
    p50Ms: at(took, 0.5),
    p95Ms: at(took, 0.95),
    failed: took.filter((ms) => ms === Infinity).length,
    of: took.length
  }))
  await sleep(settleMs)
}

await program.stop()
rmSync(dataDir, { recursive: true, force: true })
