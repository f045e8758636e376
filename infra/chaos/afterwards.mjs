// The account after a run: acknowledged pings and the checks that sites have answered are stored, checks took as long
// as they took, and time in which nothing was checked counts as unobserved.
import pg from "pg"
import { silences } from "./ledger.mjs"
import { until } from "./stage.mjs"

/** A check of a site, whose answer takes 20 ms, may take this much longer on a busy machine, ms. The bad network adds 300. */
const mostLatencyMs = 150
/** The longest time between two checks that counts as observed, ms: 2.5 intervals and the timeout. */
const mostSilenceMs = 27_000
/** Results are sent, read and written in bulk: within so long, ms. */
const storedWithinMs = 30_000

/** All checks of a monitor, the newest first. */
const checksOf = async (call, id) => {
  const all = []
  for (let before = "";;) {
    const { data, next } = await call("GET", `/monitors/${id}/checks?limit=500${before}`)
    all.push(...data)
    if (next === null) return all
    before = `&before=${next}`
  }
}

const allMonitors = async (call) => {
  const { data, next } = await call("GET", "/monitors?limit=500")
  if (next !== null) throw new Error("There are more monitors than one page holds")
  const monitors = []
  for (const { id, kind, name } of data) monitors.push({ id, kind, name, checks: await checksOf(call, id) })
  return monitors
}

const unobservedSpans = async (url) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query("select monitor_id, started_at, ended_at from monitor_spans where state = 'unobserved'")
    return rows.map((row) => ({ id: row.monitor_id, from: row.started_at.getTime(), to: row.ended_at?.getTime() ?? Infinity }))
  } finally {
    await client.end()
  }
}

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0)
const median = (numbers) => numbers.length === 0 ? null : numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]

/** Checks of the site before that moment that got an answer, or gave up just before it came. */
const answered = ({ checks }, before) =>
  checks.filter(({ at, cause, statusCode }) => (statusCode !== null || cause === "timeout") && Date.parse(at) < before)

/** Answers of sites until now for which there is no check, after what is on its way has arrived: by site. */
const lostChecks = async ({ answers, call }) => {
  const at = Date.now()
  const given = await answers()
  let lost = []
  const isStored = async () => {
    const sites = (await allMonitors(call)).filter(({ kind }) => kind === "http")
    lost = sites.map((site) => ({ name: site.name, count: (given.get(site.name) ?? 0) - answered(site, at).length }))
    return lost.every(({ count }) => count <= 0)
  }
  await until("All checks are stored", isStored, storedWithinMs).catch(() => {})
  return { lost: lost.filter(({ count }) => count > 0), answers: sum([...given.values()]) }
}

/** Stretches without a check that counts, of any region, which the history calls observed. */
const silencesOf = (unobserved) => ({ checks, id, name }) =>
  silences(
    checks.filter(({ counted }) => counted).map(({ at }) => Date.parse(at)),
    unobserved.filter((span) => span.id === id),
    mostSilenceMs
  ).map((silence) => ({ name, ...silence }))

const figuresOf = (sites, region) => {
  const checks = sites.flatMap((site) => site.checks).filter((check) => check.region === region)
  return {
    region,
    checks: checks.length,
    uncounted: checks.filter(({ counted }) => !counted).length,
    medianMs: median(checks.filter(({ outcome }) => outcome === "up").map(({ latencyMs }) => latencyMs))
  }
}

/** `acknowledged` are the times of the pings by job; `mayLose` the number of checks that the faults were allowed to lose. */
export const afterwards = async (stage, acknowledged, mayLose) => {
  const { answers, lost } = await lostChecks(stage)
  const monitors = await allMonitors(stage.call)
  const sites = monitors.filter(({ kind }) => kind === "http")
  const unobserved = await unobservedSpans(stage.cluster.databaseUrl)
  const lostPings = [...acknowledged].flatMap(([name, times]) => {
    const kept = new Set(monitors.find((job) => job.name === name)?.checks.map(({ at }) => at))
    return times.filter((at) => !kept.has(at)).map((at) => `A ping of ${name} was acknowledged and is not stored: ${at}`)
  })
  const regions = stage.regions.map((region) => figuresOf(sites, region))
  const slow = regions.filter(({ medianMs }) => medianMs === null || medianMs > mostLatencyMs)
  const lostCount = sum(lost.map(({ count }) => count))
  return {
    complaints: [
      ...lostPings,
      ...(lostCount > mayLose ? lost.map(({ count, name }) => `Of ${name}, ${count} answers are in no check`) : []),
      ...sites.flatMap(silencesOf(unobserved)).map(({ from, name, to }) =>
        `${name} was not checked for ${to - from} ms from ${new Date(from).toISOString()}, which counts as observed`
      ),
      ...slow.map(({ medianMs, region }) => `Checks from ${region} took ${medianMs} ms (median); sites answer within 20`)
    ],
    pingsAcknowledged: sum([...acknowledged.values()].map((times) => times.length)),
    answers,
    checksLost: lostCount,
    mayLose,
    unobservedSpans: unobserved.length,
    regions,
    /** Processes that ended by themselves, and were started again. */
    exits: stage.exits
  }
}
