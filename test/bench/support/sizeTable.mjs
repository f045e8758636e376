// A size in words and figures, as docs/reference-architectures.md and the README of the chart show it.
import { choices, walls } from "./sizes.mjs"

/** With two digits that count, or three from 100 on. */
const short = (value) => {
  const digits = value >= 100 ? 3 : 2
  return Number(value.toPrecision(digits)).toLocaleString("en-US", { maximumFractionDigits: 6 })
}

const units = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]
const bytes = (value) => {
  const [unit, name] = units.find(([least]) => value >= least) ?? [1, "bytes"]
  return `${short(value / unit)} ${name}`
}
const cores = (value) => value < 0.01 ? "under 0.01 cores" : `${short(value)} cores`
const count = (value) => short(value)
const monitorsAt = ({ monitors }, times) => `${count(monitors * times)} monitors`
const pod = ({ memoryMi, requestM }) => `${requestM} m and ${memoryMi} MiB`

const range = ({ least, most }) => most === least ? String(least) : `${least} to ${most}`

const wallNames = {
  core: "half of one core",
  runners: `${walls.runners.most} runners`,
  probes: `${walls.probes.most} probes in a region`,
  databaseCores: `${walls.databaseCores.most} cores of PostgreSQL`,
  walMbASec: `WAL of ${walls.walMbASec.most} MB a second`,
  diskTb: `${walls.diskTb.most} TB of disk of PostgreSQL`
}
const byWhom = { assumed: ", a limit that is assumed", program: "", setting: "" }

const wallText = (size) => {
  const { name, times } = size.wall
  const { by, moves } = walls[name]
  const passed = times < 1 ? `**passed: this load does not fit.** ` : ""
  return `${passed}${wallNames[name]}${byWhom[by]}, at ${monitorsAt(size, times)}; what moves it: ${moves}`
}

const processRows = (size) => {
  const { apis, probes, regions, runners, single } = size
  if (single !== null) {
    return [[
      "one process with the built-in database",
      `${cores(single.cores)} used; a pod of ${pod(single)}, a volume of ${single.volumeGi} GiB`
    ]]
  }
  return [
    ["apis", `${range(apis)}, each ${pod(apis)}`],
    ["runners", `${range(runners)}, each ${pod(runners)}; together ${cores(runners.cores)} used`],
    [
      regions === 1 ? "probes" : "probes of each region",
      `${probes.count}, each ${pod(probes)}; together ${cores(probes.cores)} used`
    ]
  ]
}

const databaseRows = ({ connections, keepChecksDays, postgres, single }) => [
  ...(single === null
    ? [
      ["PostgreSQL", `${postgres.cores} cores, ${short(postgres.used)} used`],
      ["its connections", `${connections.most} at most; \`max_connections\` ${connections.max}`]
    ]
    : []),
  [
    "growth of its disk a day",
    `${bytes(postgres.growthBytes)} of checks, for ${keepChecksDays} days; ${bytes(postgres.historyBytes)} of outages`
  ],
  [
    "its disk when it no longer grows",
    `${bytes(postgres.fullBytes)}, of it ${bytes(postgres.newestBytes)} for checks of the last two hours`
  ],
  ["WAL a day", `${bytes(postgres.walBytes)}; ${short(postgres.walMbASec)} MB a second`],
  ["row versions a day for vacuum", count(postgres.replacedRows)]
]

const kafkaRows = ({ kafka, resultsHours, single }) =>
  single === null
    ? [[
      "Kafka",
      `${choices.brokers} brokers; ${bytes(kafka.aDay)} a day and copy, ${
        bytes(kafka.brokerBytes)
      } on each broker for ${resultsHours} hours`
    ]]
    : []

/** Each row of the table of a size: what, and how much. */
export const rowsOf = (size) => [
  ["checks a second", count(size.checks)],
  ...processRows(size),
  ...databaseRows(size),
  ...kafkaRows(size),
  [`${count(size.outages.count)} monitors fail at the same time`, `all decided after ${short(size.outages.seconds)} s of work`],
  ["fills up first", `${size.filling.name}, at ${monitorsAt(size, size.filling.times)}`],
  ["the wall behind", wallText(size)]
]

/** The table of a size as Markdown. */
export const tableOf = (size) =>
  [
    `| ${count(size.monitors)} monitors every ${size.intervalSec} s from ${
      size.regions === 1 ? "one region" : `${size.regions} regions`
    } | |`,
    "|---|---|",
    ...rowsOf(size).map(([what, much]) => `| ${what} | ${much} |`)
  ].join("\n")

/** The processes of a size, in a row of the chart's README. */
export const podsOf = ({ apis, probes, regions, runners, single }) => {
  if (single !== null) return "one, with the built-in database on a volume"
  const ofRegions = regions === 1 ? "" : " in each region"
  return `${range(apis)} apis, ${range(runners)} runners, ${probes.count} probes${ofRegions}`
}
