// Node's CPU per request, beside Fastify with pg that sends the same statements, which are recorded first, and beside one that sends
// as many small ones, each for one row by its primary key. A change is measured twice: the request itself in a process of the role
// `api`, and what it causes (its assignment, its event) in the process with everything else. PostgreSQL's CPU stands beside it.
// Usage: node test/bench/requests.mjs [scale] [part of a request's name]
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bootstrap, sleep, startProgram } from "./support/processes.mjs"
import { startRecorder } from "./support/recorder.mjs"
import { cpuInTurns, makeSender, round, withIdle } from "./support/requests.mjs"
import { passwordIn } from "./support/seed.mjs"

const [scaleText = "1", only = ""] = process.argv.slice(2)
const scale = Number(scaleText)
/** Times the baseline. */
const goal = 3
const here = dirname(fileURLToPath(import.meta.url))

const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
const sockets = join(dataDir, "postgres")
const common = { BELLTOWER_SECRET: "2b1f5d0c9e7a43868c1d4e02f7b6a9d35e8f14c07a92b36d" }
const belltower = await startProgram({ ...common, BELLTOWER_DATA_DIR: dataDir })
const { apiKey, call } = await bootstrap(belltower.baseUrl)
const { close, send } = makeSender(apiKey)
const input = (n) => ({ name: `Monitor ${n}`, url: `http://example.com/${n}`, paused: true })
let made = 0
const { id } = await call("POST", "/monitors", input(made++))
const { workspace: { id: workspace } } = await call("GET", "/agent/whoami")
// So that a page of 20 events is full.
while (made < 25) await call("POST", "/monitors", input(made++))

/** Answers requests only. It needs a broker for nothing that is asked here, so there is none, and it is never ready. */
const startInterface = (host) =>
  startProgram(
    {
      ...common,
      DATABASE_URL: `postgresql://postgres:${passwordIn(dataDir)}@${encodeURIComponent(host)}/postgres`,
      KAFKA_BROKERS: "127.0.0.1:9",
      BELLTOWER_LOG_LEVEL: "error"
    },
    "api",
    "/healthz"
  )

/** How long what requests cause beside their answer may take, ms. */
const settleMs = 1000

/** Belltower says so beside statements whose plans it keeps; the baseline's are kept anyway. */
const isAboutPlans = ({ text }) => text.startsWith("select set_config('plan_cache_mode'") || text === "discard plans"

/** The statements of the connections that were used for a workspace: what runs in the background has others. */
const statementsAbout = (workspace, all) => {
  const own = new Set(all.filter(({ values }) => values.includes(workspace)).map(({ connection }) => connection))
  return all.filter((statement) => own.has(statement.connection) && !isAboutPlans(statement))
}

/** The statements of requests to the database, and the answer of a creation. */
const record = async () => {
  const recorder = await startRecorder(sockets)
  const { baseUrl, stop } = await startInterface(recorder.host)
  const creation = () => send(`${baseUrl}/api/v1/monitors`, "POST", input(made++))
  const kinds = {
    whoami: ["GET", () => send(`${baseUrl}/api/v1/agent/whoami`)],
    events: ["GET", () => send(`${baseUrl}/api/v1/events?limit=20`)],
    monitor: ["GET", () => send(`${baseUrl}/api/v1/monitors/${id}`)],
    monitors: ["POST", creation]
  }
  const routes = []
  for (const [name, [method, request]] of Object.entries(kinds)) {
    // The fewest of some: from time to time one also looks up its key, or tells other processes of the change before it.
    let answer
    const tries = []
    while (tries.length < 5) {
      await sleep(settleMs)
      const all = await recorder.during(async () => {
        answer = await request()
      })
      tries.push(statementsAbout(workspace, all))
    }
    const [statements] = tries.sort((one, other) => one.length - other.length)
    routes.push({ method, path: `/${name}`, statements, answer: method === "GET" ? null : JSON.parse(answer) })
  }
  await stop("SIGKILL")
  recorder.stop()
  return routes
}

/** As many statements for one small row. A change is a transaction. */
const small = ({ method, path, statements }) => {
  const one = { text: "select id, name from workspaces where id = $1", values: [workspace] }
  const command = (text) => ({ text, values: [] })
  const rows = (count) => Array.from({ length: count }, () => one)
  return {
    method,
    path: `/small${path}`,
    answer: null,
    statements: method === "GET" ? rows(statements.length) : [command("begin"), ...rows(statements.length - 2), command("commit")]
  }
}

const recorded = await record()
const routes = [...recorded, ...recorded.map(small)]

/** The baseline, with what was recorded. */
const startBaseline = async () => {
  const child = spawn(process.execPath, [join(here, "support/baseline.mjs"), sockets, passwordIn(dataDir)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  child.send(routes)
  const port = await new Promise((resolve) => child.once("message", resolve))
  return { pid: child.pid, url: `http://127.0.0.1:${port}`, stop: () => child.kill("SIGKILL") }
}

const api = `${belltower.baseUrl}/api/v1`
/** Requests of each kind: as many as until the compiler knows the code of a creation. */
const count = 2000 * scale
/** Name, requests, ours, the baseline's path. */
const requests = [
  ["GET /healthz", 4 * count, () => send(`${belltower.baseUrl}/healthz`), "healthz"],
  ["GET /agent/whoami", count, () => send(`${api}/agent/whoami`), "whoami"],
  ["GET /events?limit=20", count, () => send(`${api}/events?limit=20`), "events"],
  ["GET /monitors/{id}", count, () => send(`${api}/monitors/${id}`), "monitor"]
]
const statementsOf = (path) => routes.find((route) => route.path === `/${path}`)?.statements.length ?? 0
await sleep(5000)
const [everything, postgres] = await withIdle([{ pid: belltower.pid }, { pid: belltower.pid, of: "othersMs" }])
const report = (name, path, { baseMs, ms, postgresMs, smallMs, ...rest }) =>
  console.log(
    JSON.stringify({
      bench: "requests",
      name,
      statements: statementsOf(path),
      ms: round(ms),
      baseMs: round(baseMs),
      times: round(ms / baseMs),
      ...(smallMs === undefined ? {} : { smallMs: round(smallMs), smallTimes: round(ms / smallMs) }),
      // PostgreSQL's, of ours and of the baseline.
      postgresMs: postgresMs.map(round),
      ...rest,
      goal
    })
  )
const asked = (baseline, path, method, body) => ({
  processes: [{ pid: baseline.pid }, postgres],
  one: () => send(`${baseline.url}/${path}`, method, body)
})
const reads = requests.filter(([name]) => name.includes(only))
if (reads.length > 0) {
  const baseline = await startBaseline()
  for (const [name, number, ours, path] of reads) {
    const subject = { processes: [everything, postgres], one: ours }
    const others = path === "healthz" ? [path] : [path, `small/${path}`]
    const costs = await cpuInTurns([subject, ...others.map((one) => asked(baseline, one))], number)
    const [[ms, postgresMs], [baseMs, basePostgresMs], [smallMs] = []] = costs
    report(name, path, { ms, baseMs, smallMs, postgresMs: [postgresMs, basePostgresMs] })
  }
  baseline.stop()
}

/** Two processes of one program differ by up to 15 % for as long as they run. */
const pairs = 3

/** The cost of creations in fresh processes. */
const creations = async () => {
  const [ours, baseline] = [await startInterface(sockets), await startBaseline()]
  const processes = [...(await withIdle([{ pid: ours.pid }])), postgres, everything]
  const create = () => send(`${ours.baseUrl}/api/v1/monitors`, "POST", input(made++))
  const [[ms, postgresMs, causedMs], [baseMs, basePostgresMs], [smallMs]] = await cpuInTurns(
    [
      { processes, one: create },
      asked(baseline, "monitors", "POST", input(0)),
      asked(baseline, "small/monitors", "POST", input(0))
    ],
    count
  )
  baseline.stop()
  await ours.stop("SIGKILL")
  return { ms, causedMs, baseMs, smallMs, postgresMs: [postgresMs, basePostgresMs], times: ms / baseMs }
}

const creation = "POST /monitors"
if (creation.includes(only)) {
  const found = []
  while (found.length < pairs) found.push(await creations())
  found.sort((one, other) => one.times - other.times)
  const { baseMs, causedMs, ms, postgresMs, smallMs } = found[Math.floor(pairs / 2)]
  report(creation, "monitors", { ms, baseMs, smallMs, postgresMs, timesOfEach: found.map(({ times }) => round(times)) })
  console.log(JSON.stringify({ bench: "requests", name: "what POST /monitors causes afterwards", ms: round(causedMs) }))
}

close()
await belltower.stop()
rmSync(dataDir, { recursive: true, force: true })
