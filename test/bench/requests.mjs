// Node's CPU per request, beside Fastify with pg that runs as many statements. A change is measured twice: the request itself in a process
// of the role `api`, and what it causes (its assignment, its event) in the process with everything else.
// Usage: node test/bench/requests.mjs [scale] [part of a request's name]
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bootstrap, sleep, startProgram } from "./support/processes.mjs"
import { cpuPerRequest, cpusPerRequest, idlePart, makeSender, round } from "./support/requests.mjs"

const [scaleText = "1", only = ""] = process.argv.slice(2)
const scale = Number(scaleText)
/** Times the baseline. */
const goal = 3
const here = dirname(fileURLToPath(import.meta.url))

const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
const common = { BELLTOWER_CAPS: "unclaimed.monitors=100000", BELLTOWER_SECRET: "bench".repeat(10) }
const belltower = await startProgram({ ...common, BELLTOWER_DATA_DIR: dataDir })
const { apiKey, call } = await bootstrap(belltower.baseUrl)
const input = (n) => ({ name: `Monitor ${n}`, url: `http://example.com/${n}`, paused: true })
let made = 0
const { id } = await call("POST", "/monitors", input(made++))
// So that a page of 20 events is full.
while (made < 25) await call("POST", "/monitors", input(made++))

const baseline = spawn(process.execPath, [join(here, "support/baseline.mjs"), join(dataDir, "postgres"), apiKey], {
  stdio: ["ignore", "inherit", "inherit", "ipc"]
})
const port = await new Promise((resolve) => baseline.once("message", resolve))

/** Answers requests only. It needs a broker for nothing that is asked here, so there is none, and it is never ready. */
const interfaceOnly = await startProgram(
  {
    ...common,
    DATABASE_URL: `postgresql://postgres@${encodeURIComponent(join(dataDir, "postgres"))}/postgres`,
    KAFKA_BROKERS: "127.0.0.1:9",
    BELLTOWER_LOG_LEVEL: "error"
  },
  "api",
  "/healthz"
)

const { close, send } = makeSender(apiKey)
const api = `${belltower.baseUrl}/api/v1`
const other = `http://127.0.0.1:${port}`
/** Name, statements that both run, requests, ours, the baseline's. */
const requests = [
  ["GET /healthz", 0, 8000, () => send(`${belltower.baseUrl}/healthz`), () => send(`${other}/healthz`)],
  ["GET /agent/whoami", 3, 2000, () => send(`${api}/agent/whoami`), () => send(`${other}/whoami`)],
  ["GET /events?limit=20", 2, 2000, () => send(`${api}/events?limit=20`), () => send(`${other}/events`)],
  ["GET /monitors/{id}", 5, 2000, () => send(`${api}/monitors/${id}`), () => send(`${other}/monitors/${id}`)]
]
await sleep(5000)
const idle = await idlePart(belltower.pid)
const report = (name, statements, ms, baseMs) =>
  console.log(
    JSON.stringify({ bench: "requests", name, statements, ms: round(ms), baseMs: round(baseMs), times: round(ms / baseMs), goal })
  )
for (const [name, statements, count, ours, theirs] of requests.filter(([name]) => name.includes(only))) {
  const ms = await cpuPerRequest(belltower.pid, count * scale, ours, idle)
  report(name, statements, ms, await cpuPerRequest(baseline.pid, count * scale, theirs))
}

const creation = "POST /monitors"
if (creation.includes(only)) {
  const processes = [
    { pid: interfaceOnly.pid, idle: await idlePart(interfaceOnly.pid) },
    { pid: belltower.pid, idle }
  ]
  const create = () => send(`${interfaceOnly.baseUrl}/api/v1/monitors`, "POST", input(made++))
  const [ms, causedMs] = await cpusPerRequest(processes, 800 * scale, create)
  report(creation, 10, ms, await cpuPerRequest(baseline.pid, 800 * scale, () => send(`${other}/monitors`, "POST", input(made))))
  console.log(JSON.stringify({ bench: "requests", name: "what POST /monitors causes afterwards", ms: round(causedMs) }))
}

close()
baseline.kill("SIGKILL")
await interfaceOnly.stop("SIGKILL")
await belltower.stop()
rmSync(dataDir, { recursive: true, force: true })
