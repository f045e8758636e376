// The sizing model: what an installation needs, computed from measured costs. It makes the tables of docs/reference-architectures.md and
// the sizes of the Helm chart. Nothing here is a measurement of the size itself.
import { costs } from "./costs.mjs"

const daySec = 86_400

/** Decisions of the model. The rest follows from costs. */
export const choices = {
  /** Half of every core stays free, for outages and for what takes over from a process that is lost. */
  useOfCore: 0.5,
  /** A heap is half as large again as what stays in it, for garbage. */
  heapRoom: 1.5,
  /** The part of a pod's memory that is its heap, as the chart has it. */
  heapShare: { single: 0.5, runner: 0.75, probe: 0.6 },
  leastMi: { single: 768, runner: 1024, probe: 512 },
  /** Another runner for so many MB of monitors, so that a collection of garbage stays short. */
  monitorsMb: 2048,
  /** One process suffices below so many checks a second, as long as nobody minds that it is away while it is replaced. */
  singleBelow: 100,
  /** Outages that the installation must tell within a minute: this part of all monitors, all at the same time. They have actors. */
  outagePart: 0.1,
  /** From so many runners on, their number follows the load. */
  scaledFrom: 8,
  outagesAMonth: 1,
  databasePool: 10,
  brokers: 3,
  copies: 3,
  /** Connections for commands, backups and people. */
  otherConnections: 20
}

/** Connections of a process beside its pool (src/domain/health/DatabaseDiagnosis.ts); only a runner has the one for its address. */
export const besidePool = { api: 3, runner: 4 }

/**
 * Walls: what more processes do not move. `by` says whose limit it is: the program's, a setting's, or an assumption about the machines,
 * which nobody has measured here.
 */
export const walls = {
  core: { most: 1, by: "program", moves: "several processes, as for 10,000 monitors" },
  runners: { most: 64, by: "program", moves: "nothing: a shard is held by one runner, and there are 64" },
  probes: { most: 16, by: "setting", moves: "`KAFKA_PARTITIONS`, before the region has its topics, or more regions" },
  databaseCores: { most: 64, by: "assumed", moves: "a second installation" },
  walMbASec: {
    most: 125,
    by: "assumed",
    moves: "longer intervals, a faster disk and archive for `pg_wal`, or a second installation"
  },
  diskTb: { most: 16, by: "assumed", moves: "`BELLTOWER_KEEP_CHECKS_DAYS`, a larger volume, or a second installation" }
}

const roundUp = (value, step) => Math.ceil(value / step - 1e-9) * step
const clampUp = (value, least) => Math.max(least, Math.ceil(value - 1e-9))

/** The memory limit of a pod (MiB) in whose heap so many MB stay. */
const podMi = (role, staysMb) => {
  const heapMb = choices.heapRoom * (costs.heapMb + staysMb)
  return Math.max(choices.leastMi[role], roundUp(heapMb / choices.heapShare[role] * 1e6 / 2 ** 20, 256))
}

/** The CPU that a pod asks for (m): twice its use, and at most the one core that a process of Node.js uses. */
const requestM = (cores) => [250, 500].find((each) => 2 * cores * 1000 <= each) ?? 1000

const mbOf = (kb, monitors) => kb * monitors / 1000
/** Of a monitor where its results are decided on, kB: `kb`, and its share of the actors of outages. */
const withActors = (kb) => kb + choices.outagePart * costs.actorKb

/** One process with the built-in database. */
const makeSingle = ({ checks, monitors, postgres }) => {
  const cores = (costs.processIdleMs + costs.processMs * checks) / 1000 + postgres.used
  const staysMb = mbOf(withActors(costs.monitorKb), monitors)
  // Twice the data, and its log.
  const volumeGi = roundUp((2 * postgres.fullBytes + 2 * 2 ** 30) / 2 ** 30, 10)
  return { cores, requestM: requestM(cores), memoryMi: podMi("single", staysMb), staysMb, volumeGi }
}

/** Not from a measurement of its own: nobody knows how often people and programs ask. One more for each tenfold, with more memory. */
const makeApis = ({ monitors }) => {
  const tenfolds = Math.max(0, Math.round(Math.log10(monitors / 10_000)))
  const least = 2 + tenfolds
  return { least, most: tenfolds === 0 ? least : 3 * least, requestM: tenfolds === 0 ? 250 : 1000, memoryMi: 512 * 2 ** tenfolds }
}

const makeRunners = ({ checks, monitors }) => {
  const cores = checks * (costs.resultMs + costs.compactMs) / 1000
  const monitorsMb = mbOf(withActors(costs.runnerKb), monitors)
  const least = Math.max(clampUp(cores / choices.useOfCore, 2), Math.ceil(monitorsMb / choices.monitorsMb) + 1)
  const staysMb = monitorsMb / (least - 1)
  return {
    least,
    most: least < choices.scaledFrom ? least : Math.ceil(1.5 * least),
    cores,
    requestM: requestM(cores / least + costs.runnerIdleMs / 1000),
    memoryMi: podMi("runner", staysMb),
    staysMb
  }
}

/** Of each region. */
const makeProbes = ({ checks, monitors, regions }) => {
  const cores = checks / regions * costs.probeMs / 1000
  const count = clampUp(cores / choices.useOfCore, 2)
  const staysMb = mbOf(costs.probeKb, monitors) / (count - 1)
  return { count, cores, requestM: requestM(cores / count), memoryMi: podMi("probe", staysMb), staysMb }
}

const makePostgres = ({ checks, keepChecksDays, monitors }) => {
  const used = (costs.databaseIdleMs + costs.databaseMs * checks) / 1000
  const ofOutages = monitors * choices.outagePart * costs.outageDatabaseMs / 1000 / 60
  const cores = 2 ** Math.max(1, Math.ceil(Math.log2(Math.max(used, ofOutages) / choices.useOfCore)))
  const aDay = checks * daySec
  const outagesADay = monitors * choices.outagesAMonth / 30
  const newestBytes = checks * 2 * 3600 * costs.rowBytes
  const growthBytes = aDay * costs.blockBytes
  const historyBytes = outagesADay * costs.outageBytes
  return {
    used,
    cores,
    growthBytes,
    newestBytes,
    historyBytes,
    /** After the retention of checks, and after a year of history. */
    fullBytes: growthBytes * keepChecksDays + newestBytes + historyBytes * 365,
    walBytes: aDay * costs.walBytes,
    walMbASec: checks * costs.walBytes / 1e6,
    replacedRows: aDay * costs.replacedRows
  }
}

const makeConnections = ({ apis, runners }) => {
  const api = choices.databasePool + besidePool.api
  const runner = choices.databasePool + besidePool.runner
  // A rollout has one of each more than usual.
  const most = (apis.most + 1) * api + (runners.most + 1) * runner + choices.otherConnections
  return { api, runner, most, max: Math.max(100, roundUp(most + 10, 50)) }
}

const makeKafka = ({ checks, resultsHours }) => {
  const aDay = checks * daySec * costs.kafkaBytes
  return { aDay, mbASec: aDay / daySec / 1e6, brokerBytes: aDay * resultsHours / 24 * choices.copies / choices.brokers }
}

/** The first limits as the load grows, as multiples of this load: one that processes can move, and one that they cannot. */
const firstOf = (times) => Object.entries(times).map(([name, at]) => ({ name, times: at })).sort((a, b) => a.times - b.times)[0]

/** How many times the heap's share of monitors it could hold. */
const roomOf = (role, { memoryMi, staysMb }) =>
  (memoryMi * 2 ** 20 / 1e6 * choices.heapShare[role] / choices.heapRoom - costs.heapMb) / staysMb

const makeFilling = ({ postgres, probes, runners, single }) => {
  const half = choices.useOfCore
  return single !== null
    ? { "its memory": roomOf("single", single) }
    : {
      "the cores of PostgreSQL": postgres.cores * half / postgres.used,
      "the cores of the runners": runners.least * half / runners.cores,
      "the memory of the runners, one of them lost": roomOf("runner", runners),
      "the cores of the probes": probes.count * half / probes.cores,
      "the memory of the probes, one of a region lost": roomOf("probe", probes)
    }
}

/** Many processes have no wall of one core, and one process has none of the others first. */
const makeWalls = ({ postgres, probes, runners, single }) => ({
  core: single === null ? Infinity : walls.core.most * choices.useOfCore / (single.cores - postgres.used),
  walMbASec: walls.walMbASec.most / postgres.walMbASec,
  diskTb: walls.diskTb.most * 1e12 / postgres.fullBytes,
  databaseCores: walls.databaseCores.most * choices.useOfCore / postgres.used,
  runners: walls.runners.most * choices.useOfCore / runners.cores,
  probes: walls.probes.most * choices.useOfCore / probes.cores
})

/** Seconds until the outages are decided, if a part of all monitors fails at the same time. */
const makeOutages = ({ monitors, postgres, runners, single }) => {
  const count = monitors * choices.outagePart
  const nodes = (single === null ? runners.least : 1) * choices.useOfCore
  return {
    count,
    seconds: Math.max(count * costs.outageNodeMs / nodes, count * costs.outageDatabaseMs / (postgres.cores * choices.useOfCore)) /
      1000
  }
}

/** Everything that an installation of this size needs. `intervalSec` and `regions` are those of each monitor. */
export const sizeOf = ({ intervalSec = 60, keepChecksDays = 30, monitors, regions = 1, resultsHours = 24 }) => {
  const checks = monitors * regions / intervalSec
  const load = { checks, intervalSec, keepChecksDays, monitors, regions, resultsHours }
  const postgres = makePostgres(load)
  const single = checks < choices.singleBelow && regions === 1 ? makeSingle({ ...load, postgres }) : null
  const parts = { apis: makeApis(load), postgres, probes: makeProbes(load), runners: makeRunners(load), single }
  return {
    ...load,
    ...parts,
    connections: makeConnections(parts),
    kafka: makeKafka(load),
    outages: makeOutages({ ...load, ...parts }),
    filling: firstOf(makeFilling(parts)),
    wall: firstOf(makeWalls(parts))
  }
}

/** The sizes of docs/reference-architectures.md and of the chart, each monitor every minute. */
export const references = [
  { monitors: 1000, regions: 1 },
  { monitors: 10_000, regions: 1 },
  { monitors: 100_000, regions: 3 },
  { monitors: 1_000_000, regions: 3 }
]
