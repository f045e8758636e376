// Server time of every view of the dashboard, asked as a signed-in person in a workspace with 10,000 monitors and 90 days of history
// beside nine others: from the request to the last byte of its answer, one request at a time, and the CPU that it costs.
// Usage: node test/bench/dashboard.mjs [monitors] [pattern of paths] [folder]
// With a folder the database is kept there, and a later run asks it without filling it again.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runBundled, startBundled } from "../../infra/bundle.mjs"
import { makeCall, printedLink, signIn } from "../../infra/demo/signIn.mjs"
import { fillForDashboard } from "./support/dashboardRows.mjs"
import { cpu, sleep, startProgram, startTarget } from "./support/processes.mjs"

const [monitorsText = "10000", only = "", folder] = process.argv.slice(2)
const goalP95Ms = 50
const days = 90
/** Days of single checks: older ones are read by their figures. */
const checkDays = 1
const rounds = 40
const owner = "owner@bench.example"

const dataDir = folder ?? mkdtempSync(join(tmpdir(), "belltower-bench-"))
mkdirSync(dataDir, { recursive: true })
const kept = join(dataDir, "dashboard.json")
const before = existsSync(kept) ? JSON.parse(readFileSync(kept, "utf8")) : null
// The monitors of a kept database have the address of the first run's target.
const target = await startTarget("127.0.0.1", before?.port)
const environment = {
  BELLTOWER_DATA_DIR: dataDir,
  BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8",
  // A program that starts with many monitors checks them all once. Here that would be measured beside the views.
  BELLTOWER_PROBE_HOST_RATE: "1"
}
const belltower = await startProgram(environment)
const { baseUrl, pid } = belltower
// The program ends with the bench, also when it fails.
process.once("exit", () => process.kill(pid))

const fill = async () => {
  const from = performance.now()
  const cookie = await signIn(await printedLink({ ...process.env, ...environment, BELLTOWER_URL: baseUrl }, owner))
  const call = makeCall(baseUrl, cookie)
  const { samples, workspaceId } = await fillForDashboard(dataDir, call, target.url, Number(monitorsText))
  console.log(`Records after ${Math.round((performance.now() - from) / 1000)} s`)
  await runBundled("test/bench/support/dashboardHistory.ts", [dataDir, workspaceId, days, checkDays])
  console.log(`History after ${Math.round((performance.now() - from) / 1000)} s`)
  return { cookie, samples }
}

const { cookie, samples } = before ?? await fill()
writeFileSync(kept, JSON.stringify({ cookie, port: target.port, samples }))

const viewPaths = async () => {
  const { child, ended } = await startBundled("test/bench/support/viewPaths.ts", [])
  const paths = await new Promise((resolve) => child.once("message", resolve))
  await ended
  return paths
}

/** Views with what people often add to them. */
const variants = [
  "/app/monitors?state=down",
  "/app/monitors?tag=team-7",
  "/app/monitors?search=service/99",
  "/app/monitors/:id?range=30d",
  "/app/monitors/:id?range=90d",
  "/app/incidents?show=open",
  "/app/incidents/:outage",
  "/app/deliveries?status=dead"
]

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Resolves with the size of the answer. */
const get = (path) =>
  new Promise((resolve, reject) => {
    const headers = { cookie, "accept-encoding": "gzip", "accept-language": "en-GB" }
    const sent = request(`${baseUrl}${path}`, { agent, headers }, (response) => {
      let bytes = 0
      response.on("data", (chunk) => (bytes += chunk.length))
      response.once("end", () =>
        response.statusCode === 200 ? resolve(bytes) : reject(new Error(`${path} answered ${response.statusCode}`)))
    })
    sent.once("error", reject)
    sent.end()
  })

/** The address of a view of the `turn`-th record. */
const sampleOf = (path, turn) => {
  const known = samples[path.split("/")[2]] ?? []
  return known[turn % known.length] ?? {}
}
const addressOf = (path, turn) => path.replace(/:(\w+)/g, (_, name) => sampleOf(path, turn)[name])
const hasRecords = (path) => [...path.matchAll(/:(\w+)/g)].every(([, name]) => sampleOf(path, 0)[name] !== undefined)

const percentile = (values, rank) => [...values].sort((a, b) => a - b)[Math.floor(rank * (values.length - 1))]
const tenths = (value) => Math.round(value * 10) / 10

const measure = async (path) => {
  for (let turn = 0; turn < rounds / 4; turn++) await get(addressOf(path, turn))
  const start = cpu(pid)
  const taken = []
  let bytes = 0
  for (let turn = 0; turn < rounds; turn++) {
    const from = performance.now()
    bytes = await get(addressOf(path, turn))
    taken.push(performance.now() - from)
  }
  const end = cpu(pid)
  return {
    view: path,
    p50Ms: tenths(percentile(taken, 0.5)),
    p95Ms: tenths(percentile(taken, 0.95)),
    nodeMs: tenths((end.ownMs - start.ownMs) / rounds),
    postgresMs: tenths((end.othersMs - start.othersMs) / rounds),
    kb: tenths(bytes / 1000)
  }
}

const wanted = [...await viewPaths(), ...variants].filter((path) => new RegExp(only).test(path))
const paths = wanted.filter(hasRecords)
for (const path of wanted) if (!hasRecords(path)) console.log(`${path}: not asked, for lack of a record`)
await sleep(5000)
const measured = []
for (const path of paths) {
  const row = await measure(path)
  measured.push(row)
  const { kb, nodeMs, p50Ms, p95Ms, postgresMs, view } = row
  console.log(
    `${view}: p50 ${p50Ms} ms, p95 ${p95Ms} ms (goal ${goalP95Ms}); CPU: node ${nodeMs} ms, PostgreSQL ${postgresMs} ms; ${kb} kB`
  )
}

const slowest = measured.reduce((worst, row) => (row.p95Ms > worst.p95Ms ? row : worst))
const middle = (name) => percentile(measured.map((row) => row[name]), 0.5)
console.log(JSON.stringify({
  bench: "dashboard",
  monitors: Number(monitorsText),
  days,
  views: measured.length,
  goalP95Ms,
  above: measured.filter(({ p95Ms }) => p95Ms > goalP95Ms).map(({ view }) => view),
  slowest,
  median: { p95Ms: middle("p95Ms"), nodeMs: middle("nodeMs"), postgresMs: middle("postgresMs") }
}))

agent.destroy()
target.stop()
process.removeAllListeners("exit")
await belltower.stop()
if (folder === undefined) rmSync(dataDir, { recursive: true, force: true })
