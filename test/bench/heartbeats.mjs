// Pings of heartbeats at full speed, over keep-alive connections against one process that also holds the database: what each
// costs, and that each one answered with 200 is in its row. A bare node:http server answers the same beside it.
// With bytes, each ping brings so much output.
// Usage: node test/bench/heartbeats.mjs [heartbeats] [connections] [seconds] [bytes]
import { spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bootstrap, cpu, memory, sleep, startProgram, until } from "./support/processes.mjs"
import { copyMonitor, onDatabase } from "./support/seed.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const [heartbeats = 5000, connections = 128, seconds = 20, bytes = 0] = process.argv.slice(2).map(Number)
const warmUpMs = 3000

/** A load of its own process; `read` and `stop` tell how many pings it has had answered. */
const startPinger = (port, paths) => {
  const child = spawn(process.execPath, [join(here, "support/pinger.mjs"), String(port), String(connections), String(bytes)], {
    stdio: ["pipe", "ignore", "inherit", "ipc"]
  })
  child.stdin.end(paths.join("\n"))
  const ask = (what) =>
    new Promise((resolve) => {
      child.once("message", resolve)
      child.send(what)
    })
  return {
    read: () => ask("read"),
    stop: async () => {
      const last = await ask("stop")
      child.disconnect()
      return last
    }
  }
}

/** The cost of a request of a process under full load, ms of CPU, and how many of them one second had. */
const measure = async (port, pid, paths) => {
  const pinger = startPinger(port, paths)
  await sleep(warmUpMs)
  const before = { ...(await pinger.read()), ...cpu(pid) }
  await sleep(seconds * 1000)
  const after = { ...(await pinger.read()), ...cpu(pid) }
  const { ok, answered } = await pinger.stop()
  const pings = after.ok - before.ok
  return {
    ok,
    answered,
    perSecond: Math.round(pings / ((after.at - before.at) / 1000)),
    nodeMs: (after.ownMs - before.ownMs) / pings,
    postgresMs: (after.othersMs - before.othersMs) / pings
  }
}

const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
const belltower = await startProgram({ BELLTOWER_DATA_DIR: dataDir })
const { call } = await bootstrap(belltower.baseUrl)
const template = await call("POST", "/monitors", { name: "Job 0", periodSec: 86_400 })
const tokens = Array.from({ length: heartbeats }, () => randomBytes(12).toString("hex"))
const countOf = (what) =>
  onDatabase(dataDir, (query) => query(`select count(*)::int as count from ${what}`)).then(([{ count }]) => count)

await onDatabase(dataDir, async (query) => {
  const ids = await copyMonitor(query, template.id, heartbeats)
  const hashes = tokens.map((token) => createHash("sha256").update(token).digest())
  await query(
    `insert into heartbeats (monitor_id, workspace_id, token_hash, token_sealed, expected_from)
     select copy.id, h.workspace_id, copy.hash, h.token_sealed, now()
     from heartbeats h, unnest($2::text[], $3::bytea[]) as copy (id, hash) where h.monitor_id = $1`,
    [template.id, ids, hashes]
  )
})
const paths = tokens.map((token) => `/hb/${token}`)
const port = Number(new URL(belltower.baseUrl).port)

// The first ping of each asks its actor; those of a job that is up are what is to be measured.
for (let i = 0; i < paths.length; i += 100) {
  await Promise.all(paths.slice(i, i + 100).map((path) => fetch(`${belltower.baseUrl}${path}`)))
}
await until(() => countOf("heartbeats where calm"), (calm) => calm === heartbeats)

const rowsBefore = await countOf("checks")
const mine = await measure(port, belltower.pid, paths)
const stored = (await countOf("checks")) - rowsBefore
const use = memory(belltower.pid)
await belltower.stop()
rmSync(dataDir, { recursive: true, force: true })

const bareServer = spawn(process.execPath, [join(here, "support/bareServer.mjs")], { stdio: ["ignore", "pipe", "inherit"] })
const barePort = await new Promise((resolve) => bareServer.stdout.once("data", (text) => resolve(Number(text))))
const bare = await measure(barePort, bareServer.pid, paths)
bareServer.kill("SIGKILL")

const round = (value) => Number(value.toFixed(3))
const msPerPing = mine.nodeMs + mine.postgresMs
console.log(JSON.stringify({
  bench: "heartbeats",
  heartbeats,
  connections,
  bytes,
  perSecond: mine.perSecond,
  msPerPing: round(msPerPing),
  nodeMs: round(mine.nodeMs),
  postgresMs: round(mine.postgresMs),
  perCoreSecond: Math.round(1000 / msPerPing),
  answered: mine.answered,
  ok: mine.ok,
  stored,
  bareMs: round(bare.nodeMs),
  barePerSecond: bare.perSecond,
  memoryMb: { node: Math.round(use.ownMb), postgres: Math.round(use.othersMb) }
}))
if (stored !== mine.ok) throw new Error(`${mine.ok} pings were answered with 200, ${stored} are stored`)
