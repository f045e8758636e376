/**
 * Runs the program scaled out (api, two runners, two probes, Kafka, PostgreSQL) at the pace of many monitors, some of which fail
 * and recover all the time, and follows what it holds: memory, heap, descriptors, connections, tables and indexes. Ends with 1 if
 * anything grows faster than its budget, beyond what noise explains, or if checks are missing. What a run holds after it has warmed
 * up should stay.
 *
 * usage: node infra/chaos/soak.mjs [--minutes 60] [--monitors 2000] [--interval 30]
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parseArgs } from "node:util"
import pg from "pg"
import { bootstrap, memory, metric, until } from "../../test/bench/support/processes.mjs"
import { copyMonitor } from "../../test/bench/support/seed.mjs"
import { startCluster } from "../cluster.mjs"
import { missing } from "../kafka/kafka.mjs"
import { makeChoices } from "./choices.mjs"
import { startReceiver, startSites } from "./stage.mjs"
import { exceeds, trendOf } from "./trend.mjs"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    monitors: { type: "string", default: "2000" },
    interval: { type: "string", default: "30" }
  }
})
const [minutes, monitors, intervalSec] = [values.minutes, values.monitors, values.interval].map(Number)

const sampleMs = 10_000
/** The first part of a run, in which caches fill and code is compiled, is not judged. */
const warmPart = 1 / 3
/** Of the checks that are due, so many must be stored: what does not work does not grow either. */
const leastStored = 0.95
/** Sites that are down at a time. */
const failing = Math.max(1, Math.round(monitors / 200))
const failMs = 90_000

/** What each figure may grow by in an hour, and what a stored check may take on the disk while it is a row, with its indexes. */
const budgets = { memoryMb: 40, heapMb: 15, descriptors: 20, connections: 4, otherTablesMb: 60, bytesACheck: 900 }

const descriptorsOf = (pid) => readdirSync(`/proc/${pid}/fd`).length

/** Tables whose size follows the checks, in rows and then in blocks; the rest should hardly grow. */
const ofChecks = "c.relname like 'checks%' or c.relname like 'check_%'"

const sizes = `select
  coalesce(sum(pg_total_relation_size(c.oid)) filter (where ${ofChecks}), 0)::float8 as checks,
  coalesce(sum(pg_total_relation_size(c.oid)) filter (where not (${ofChecks})), 0)::float8 as others
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind = 'r'`

/** As rows, and in blocks after an hour. */
const stored = "select ((select count(*) from checks) + (select coalesce(sum(checks), 0) from check_blocks))::int as checks"

const tables = `select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind = 'r'`

const mb = (bytes) => bytes / 2 ** 20

/** Follows the figures until the returned function is called; it returns the samples of each figure by its name. */
const follow = (members, query) => {
  const samples = new Map()
  const began = performance.now()
  const note = (name, value) => {
    if (!samples.has(name)) samples.set(name, [])
    samples.get(name).push({ at: (performance.now() - began) / 3_600_000, value })
  }
  let running = true
  const sample = async () => {
    for (const member of members) {
      note(`memoryMb of ${member.name}`, memory(member.pid).ownMb)
      note(`heapMb of ${member.name}`, mb(await metric(member.baseUrl, "nodejs_heap_size_used_bytes")))
      note(`descriptors of ${member.name}`, descriptorsOf(member.pid))
    }
    const [{ connections }] = await query("select count(*)::int as connections from pg_stat_activity where datname is not null")
    note("connections of PostgreSQL", connections)
    const [{ checks, others }] = await query(sizes)
    note("checksMb of PostgreSQL", mb(checks))
    note("otherTablesMb of PostgreSQL", mb(others))
  }
  const work = (async () => {
    while (running) await Promise.all([sample(), pause(sampleMs)])
  })()
  return async () => {
    running = false
    await work
    return samples
  }
}

/** Sites fail and recover, in turn, and callers read, as they do every day. */
const keepBusy = (sites, call, choices) => {
  let running = true
  const fail = async () => {
    const down = Array.from({ length: failing }, () => `/${choices.between(1, monitors - 1)}`)
    for (const site of down) sites.send({ site, isDown: true })
    await pause(failMs)
    for (const site of down) sites.send({ site, isDown: false })
  }
  const read = async () => {
    const { data } = await call("GET", "/monitors?limit=100")
    await call("GET", `/monitors/${choices.pick(data).id}`)
    await call("GET", "/events?limit=50")
    await call("GET", "/incidents")
  }
  const loop = async (act, ms) => {
    while (running) await Promise.all([act(), pause(ms)])
  }
  const work = Promise.all([loop(fail, failMs), loop(read, 2000)])
  return () => {
    running = false
    return work
  }
}

/** Each minute's least value: between two collections of garbage, a heap says little. */
const leastByMinute = (samples) => {
  const minutesOf = new Map()
  for (const sample of samples) {
    const minute = Math.floor(sample.at * 60)
    const least = minutesOf.get(minute)
    if (least === undefined || sample.value < least.value) minutesOf.set(minute, sample)
  }
  return [...minutesOf.values()]
}

const judge = (samples) => {
  const rows = []
  for (const [name, all] of samples) {
    const kind = name.slice(0, name.indexOf(" "))
    const warm = all.slice(Math.floor(all.length * warmPart))
    const trend = trendOf(kind === "heapMb" ? leastByMinute(warm) : warm)
    const budget = budgets[kind]
    const round = (value) => Number(value.toFixed(1))
    rows.push({
      name,
      first: round(warm[0].value),
      last: round(warm.at(-1).value),
      perHour: round(trend.perHour),
      error: round(trend.error),
      ...(budget === undefined ? {} : { budget }),
      isOver: budget !== undefined && exceeds(trend, budget)
    })
  }
  return rows
}

const seed = async (cluster, call, query, sites) => {
  const { id } = await call("POST", "/monitors", {
    name: "Monitor 0",
    url: `http://127.0.0.1:${sites.port}/`,
    intervalSec,
    timeoutMs: 5000
  })
  const ids = await copyMonitor(query, id, monitors - 1)
  await query(
    `insert into assignment_outbox (monitor_id, workspace_id)
     select copy.id, m.workspace_id from monitors m, unnest($2::text[]) as copy (id) where m.id = $1`,
    [id, ids]
  )
  await query("select pg_notify('belltower_assignments', '')")
  const checked = () =>
    query("select count(*)::int as checked from monitor_states where state = 'up'").then(([row]) => row.checked)
  await until(checked, (count) => count >= monitors * 0.98, 300_000)
}

const soak = async (folder) => {
  const receiver = await startReceiver(() => {})
  const sites = await startSites(0, [])
  const cluster = await startCluster({
    folder,
    runners: 2,
    regions: { eu: 2 },
    supervised: false,
    env: {
      BELLTOWER_LOG_LEVEL: "warning",
      BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8",
      BELLTOWER_PROBE_HOST_RATE: "0",
      BELLTOWER_PROBE_WORKSPACE_PERCENT: "100",
      BELLTOWER_CAPS: "unclaimed.monitors=1000000"
    },
    tell: (name, line) => console.error(`${name}| ${line}`)
  })
  const client = new pg.Client({ connectionString: cluster.databaseUrl })
  try {
    await client.connect()
    const query = (text, args) => client.query(text, args).then(({ rows }) => rows)
    const { call } = await bootstrap(cluster.baseUrl)
    await call("POST", "/channels", { name: "hook", type: "webhook", url: receiver.url })
    await seed(cluster, call, query, sites)
    const countOf = () => query(stored).then(([{ checks }]) => checks)
    const before = { checks: await countOf(), sizes: (await query(sizes))[0], tables: await query(tables) }
    const rest = keepBusy(sites, call, makeChoices(1))
    const stopFollowing = follow([cluster.api, ...cluster.runners, ...cluster.probes.eu], query)
    await pause(minutes * 60_000)
    const samples = await stopFollowing()
    await rest()
    const added = await countOf() - before.checks
    const bytesACheck = Math.round(((await query(sizes))[0].checks - before.sizes.checks) / added)
    const grown = (await query(tables))
      .map(({ bytes, name }) => ({ name, mb: mb(bytes - (before.tables.find((one) => one.name === name)?.bytes ?? 0)) }))
      .sort((a, b) => b.mb - a.mb).slice(0, 5).map(({ mb: by, name }) => `${name} ${by.toFixed(1)} MB`)
    return {
      rows: judge(samples),
      stored: added,
      bytesACheck,
      grown,
      expected: Math.round(monitors * minutes * 60 / intervalSec)
    }
  } finally {
    await client.end().catch(() => {})
    await cluster.stop()
    sites.stop()
    receiver.stop()
  }
}

const main = async () => {
  const problem = await missing()
  if (problem !== null) {
    console.warn(`WARNING: the soak was not run. ${problem}`)
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), "belltower-soak-"))
  chmodSync(folder, 0o755)
  try {
    const { rows, ...found } = await soak(folder)
    for (const row of rows) console.log(JSON.stringify(row))
    console.log(JSON.stringify({ bench: "soak", minutes, monitors, intervalSec, ...found }))
    const isComplete = found.stored >= leastStored * found.expected
    // A compaction of the rows of an hour makes them smaller, and the growth negative.
    return isComplete && found.bytesACheck <= budgets.bytesACheck && !rows.some(({ isOver }) => isOver) ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

process.exit(
  await main().catch((error) => {
    console.error(error)
    return 1
  })
)
