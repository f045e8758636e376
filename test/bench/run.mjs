// Runs all benches one after another; prints each line of JSON as it comes and at the end the Markdown table for docs/figures.md.
import { spawn } from "node:child_process"
import { cpus, totalmem } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))

const benches = [
  ["idle.mjs"],
  ["probe.mjs"],
  ["fairness.mjs"],
  ["neighbours.mjs"],
  ["checks.mjs"],
  ["results.mjs"],
  ["runners.mjs"],
  ["bytes.mjs"],
  ["scale.mjs"],
  ["memory.mjs"],
  ["requests.mjs"],
  ["list.mjs"],
  ["pages.mjs"],
  ["visitors.mjs"],
  ["load.mjs"],
  ["latency.mjs"],
  ["paging.mjs"],
  ["detection.mjs"],
  ["worstInput.mjs"],
  ["heartbeats.mjs"],
  ["heartbeats.mjs", 5000, 128, 20, 1000],
  ["history.mjs"],
  ["dashboard.mjs"],
  ["paint.mjs"],
  ["delivery.mjs"],
  ["storm.mjs"],
  ["storm.mjs", 30_000, 60, 1]
]

/** The lines of JSON that a bench prints; everything else goes through as it is. */
const run = async ([script, ...args]) => {
  const child = spawn(process.execPath, [join(here, script), ...args.map(String)], { stdio: ["ignore", "pipe", "inherit"] })
  const exited = new Promise((resolve) => child.once("exit", resolve))
  const found = []
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line)
    if (line.startsWith("{\"bench\":")) found.push(JSON.parse(line))
  }
  if ((await exited) !== 0) throw new Error(`${script} failed`)
  return found
}

const number = (value) => value.toLocaleString("en-US")

/** The table's row for each kind of line: the measurement, its result, and the yardstick. */
const rows = {
  idle: (line) =>
    line.row !== "one process" ?
      [
        `Idle, no monitor, ${line.row}`,
        `${line.msASecond} ms of CPU a second` + (line.wakesASecond === undefined ? "" : `, ${line.wakesASecond} wake-ups`),
        line.goal === undefined ? "" : `goal: ${line.goal} ms`
      ] :
      [
        "Idle, everything up and no monitor",
        `${line.nodePercent} % of a core, PostgreSQL ${line.postgresPercent} %; ${line.memoryMb.node} MB and PostgreSQL ${line.memoryMb.postgres} MB`,
        ""
      ],
  probe: (line) => [
    "CPU of an http check's look alone, 32 at a time",
    `${line.probeMs} ms`,
    `bare node:http loop: ${line.bareMs} ms in the same process`
  ],
  neighbours: (line) => [
    `\`GET /monitors/{id}\` of a workspace while another client keeps ${line.atOnce} requests under way: ${line.flood}`,
    `p50 ${line.p50Ms} ms, p95 ${line.p95Ms} ms; ${line.failed} of ${line.of} failed`,
    ""
  ],
  fairness: (line) => [
    `Lateness of ${line.row}`,
    `p50 ${line.latenessMs.p50} ms, p99 ${line.latenessMs.p99} ms; ${number(line.missed)} of ${number(line.slots)} slots missed`,
    ""
  ],
  checks: (line) => [
    `CPU per http check, all in, ${number(line.monitors)} monitors every ${line.intervalSec} s`,
    `${line.msPerCheck} ms (node ${line.nodeMs}, PostgreSQL ${line.postgresMs})`,
    `bare node:http loop: ${line.bareSamePaceMs} ms at the same pace (${line.timesBareSamePace} times), ` +
    `${line.bareFullSpeedMs} ms at full speed`
  ],
  results: (line) =>
    line.row === "road"
      ? [
        `Check results through bus (${line.bus}), actors and rows, ${number(line.monitors)} monitors, ` +
        (line.regions === 1 ? "one region" : `${line.regions} regions`),
        `${number(line.perSecond)} a second; ${number(line.perCpuSecond)} a second of node's CPU`,
        ""
      ]
      : [
        `${line.row[0].toUpperCase()}${line.row.slice(1)}`,
        `${number(line.perSecond)} a second; ${number(line.perCpuSecond)} a second of node's CPU`,
        "what the rest of the road is to be compared with"
      ],
  runners: (line) =>
    line.row === "paced"
      ? [
        `Node's CPU per check result over Kafka, one runner and four together, ${number(line.monitors)} monitors every ` +
        `${line.intervalSec} s, ${number(line.perSecond)} results a second`,
        `${line.oneMs} ms and ${line.fourMs} ms (${line.times} times), of which beyond what idle runners cost ${line.beyondIdleOneMs} ms ` +
        `and ${line.beyondIdleFourMs} ms (idle: ${line.idleOneMs} ms and ${line.idleFourMs} ms a second)`,
        `goal: at most ${line.goal} times`
      ]
      : [
        `The same of a backlog, ${number(line.monitors)} monitors`,
        `${line.fullOneMs} ms and ${line.fullFourMs} ms (${line.fullTimes} times), so ${
          number(line.perCpuSecond)
        } a second of one ` +
        "runner's CPU",
        "goal: 10,000 a second of one runner's CPU"
      ],
  bytes: (line) => [
    `Bytes of a check in Kafka and in the write-ahead log, ${number(line.perSecond)} a second, every ${line.intervalSec} s`,
    `${line.kafkaBytes} and ${line.walBytes} in ${line.walRecords} records, with ${line.fullPages} full pages; CPU: reporter ` +
    `${line.probeMs} ms, runner ${line.runnerMs} ms, broker ${line.brokerMs} ms, PostgreSQL ${line.postgresMs} ms`,
    ""
  ],
  scale: ({ intervalSec, measuredAndModel, minutes, monitors }) => [
    `Of a check, ${number(monitors)} monitors every ${intervalSec} s over Kafka at one runner, ${minutes} minutes`,
    Object.entries(measuredAndModel).map(([name, [measured]]) => `${name} ${number(measured)}`).join(", "),
    `the sizing model: ${Object.entries(measuredAndModel).map(([name, [, model]]) => `${name} ${number(model)}`).join(", ")}`
  ],
  memory: ({ intervalSec, kbEach, rows, where }) => [
    `What stays after a collection of the whole heap, ${where}, ${
      rows.map(({ monitors }) => number(monitors)).join(", ")
    } monitors every ${intervalSec} s`,
    `${rows.map(({ buffersMb, heapMb }) => Math.round(heapMb + buffersMb)).join(", ")} MB: ${kbEach} kB a monitor`,
    ""
  ],
  requests: (line) => [
    `Node's CPU of ${line.name}`,
    line.goal === undefined ? `${line.ms} ms` : `${line.ms} ms: ${line.times} times (goal ${line.goal})`,
    line.goal === undefined ? "" : `Fastify with pg and the same statements (${line.statements}): ${line.baseMs} ms`
  ],
  list: (line) => [
    `Node's CPU of GET /monitors, a monitor, and its longest turn of the event loop, ${number(line.monitors)} monitors`,
    `${line.msPerMonitor} ms (goal ${line.goals.msPerMonitor}) and ${line.turnMs} ms (goal ${line.goals.turnMs})`,
    ""
  ],
  load: (line) => [
    `${number(line.monitors)} monitors every ${line.intervalSec} s in one process`,
    `lateness p50 ${line.latenessMs.p50} ms, p99 ${line.latenessMs.p99} ms; ${line.memoryMb.node} MB and PostgreSQL ` +
    `${line.memoryMb.postgres} MB; after a restart ready in ${line.readyMs} ms, all checked after ${line.allCheckedAfterSec} s, ` +
    `the busiest second ${line.busiestSecondTimesMean} times the mean; stopped in ${line.stopMs} ms`,
    ""
  ],
  latency: (line) => [
    `From the deciding check's result to the SSE frame, beside ${number(line.monitors)} monitors`,
    `p50 ${line.p50Ms} ms, p99 ${line.p99Ms} ms over ${line.transitions} transitions`,
    `goal: p99 under ${line.goalP99Ms} ms`
  ],
  paging: ({ stagesMs: { handed, paged, planned, recorded }, ...line }) => [
    `From the deciding check's result to a page at the push service, ${line.outages} outages beside ${
      number(line.monitors)
    } monitors; ` +
    "of that until the outage was recorded, the person paged, the delivery planned, and handed over",
    `p50 ${line.p50Ms} ms, p99 ${line.p99Ms} ms; ${line.pages} pages; p50 ${recorded.p50}, ${paged.p50}, ${planned.p50} and ` +
    `${handed.p50} ms, p99 ${recorded.p99}, ${paged.p99}, ${planned.p99} and ${handed.p99} ms`,
    `goal: p99 under ${line.goalP99Ms} ms`
  ],
  detection: (line) => [
    `${line.outages} scripted outages and ${line.blippedMonitors} monitors with blips, ` +
    (line.regions === 1 ? "one region" : `${line.regions} regions`),
    `slowest outage told after ${line.slowestIntervals} intervals, as timeouts after ${line.slowestIntervalsOfTimeouts}; ` +
    `${line.missed} missed, ${line.late} late, ${line.falseAlarms} false, ${line.doubles} twice, ${line.misdated} misdated`,
    "goal: 1.5 intervals, and none"
  ],
  storm: (line) => [
    `${
      number(line.monitors)
    } monitors of ${line.workspaces} workspaces go down within ${line.seconds} s: the time from the last check until all are decided, ` +
    "recorded as events, handed to delivery",
    `${line.decidedSec} s, ${line.recordedSec} s and ${line.handedSec} s; CPU per monitor: node ${line.nodeMsPerMonitor} ms, ` +
    `PostgreSQL ${line.postgresMsPerMonitor} ms`,
    `goal: within ${line.goalSec} s`
  ],
  pages: (line) => [
    `Public status page of 30 components (${line.name}, ${number(line.bytes)} bytes), requests a second on one core`,
    number(line.perSecond),
    `static file server: ${number(line.basePerSecond)} (${line.part} of it, goal: ${line.goal})`
  ],
  visitors: (line) => [
    `An open status page, of ${
      number(line.visitors)
    }: memory, Node's CPU to open it, in a minute without news, and for one visible change`,
    `${line.kbEach} KB, ${line.openMs} ms, ${line.idleMsAMinute} ms and ${line.changeMsEach} ms (all ${
      number(line.changeMs)
    } ms)`,
    ""
  ],
  worstInput: (line) => [
    `Longest turn of the event loop under the worst legal input of each operation, ${number(line.metered)} metered`,
    `${line.longestMs} ms, by ${line.name}`,
    `goal: under ${line.goalMs} ms`
  ],
  history: (line) =>
    line.row === "bytes"
      ? [
        `Bytes of a check at rest, indexes included, ${number(line.checks)} checks in blocks`,
        `${line.bytesACheck} (blocks ${line.inBlocks}, rollups ${line.inRollups})`,
        `goal: ${line.goal}`
      ]
      : line.row === "cost"
      ? [
        `Checks made blocks per second by ${line.processes} processes; Node's CPU per check for its row and for its block`,
        `${
          number(line.compactPerSecond)
        }; ${line.insertCpuMicros} µs and ${line.compactCpuMicros} µs; longest step ${line.longestStepMs} ms`,
        `goal: 5,000 with several; as a row: ${line.bytesAsRow} bytes`
      ]
      : line.row === "scrape"
      ? [
        `Scrape of /metrics/monitors with ${number(line.monitors)} monitors: longest turn of the event loop`,
        `${line.longestTurnMs} ms of ${number(line.ms)} ms, ${number(line.bytes)} bytes`,
        `goal: under ${line.goalMs} ms`
      ]
      : [
        `${line.row}, ${number(line.monitors)} monitors with ${line.days} days`,
        `p50 ${line.p50Ms} ms, p95 ${line.p95Ms} ms; CPU: node ${line.cpuMs} ms, PostgreSQL ${line.postgresMs} ms`,
        ""
      ],
  dashboard: ({ days, goalP95Ms, median, monitors, slowest, views }) => [
    `Server time of the dashboard's ${views} views, ${
      number(monitors)
    } monitors with ${days} days: the slowest (${slowest.view}) and ` +
    "the median",
    `p95 ${slowest.p95Ms} ms and ${median.p95Ms} ms; CPU: node ${slowest.nodeMs} ms and ${median.nodeMs} ms, PostgreSQL ` +
    `${slowest.postgresMs} ms and ${median.postgresMs} ms`,
    `goal: p95 under ${goalP95Ms} ms`
  ],
  paint: ({ goalMs, runs, slowest, views }) => [
    `Largest contentful paint on a phone with slow 4G, ${views} views, the slowest (${slowest.view})`,
    `median of ${runs} ${slowest.medianMs} ms, at most ${slowest.mostMs} ms`,
    `goal: under ${goalMs} ms`
  ],
  delivery: ({ bench: _, row, ...figures }) => [
    `${row[0].toUpperCase()}${row.slice(1)}`,
    Object.entries(figures).filter(([name]) => !name.startsWith("goal")).map(([name, value]) => `${name} ${number(value)}`).join(
      ", "
    ),
    Object.entries(figures).filter(([name]) => name.startsWith("goal")).map(([name, value]) => `${name}: ${number(value)}`).join(
      ", "
    )
  ],
  heartbeats: (line) => [
    `Pings of ${
      number(line.heartbeats)
    } heartbeats over ${line.connections} keep-alive connections, with ${line.bytes} bytes of output, each stored before its answer`,
    `${line.msPerPing} ms of CPU (node ${line.nodeMs}, PostgreSQL ${line.postgresMs}), so ${
      number(line.perCoreSecond)
    } a second ` +
    `on one core; ${number(line.ok)} answered, ${number(line.stored)} stored`,
    `bare node:http server that stores nothing: ${line.bareMs} ms`
  ]
}

const lines = []
for (const bench of benches) lines.push(...(await run(bench)))

const [cpu] = cpus()
const machine = `${cpu.model.trim()}, ${cpus().length} cores, ${
  Math.round(totalmem() / 2 ** 30)
} GB, Node ${process.version}, ${process.platform}`
const table = [
  ["What", `Measured on ${machine}`, "Beside it, in the same run"],
  ["---", "---", "---"],
  ...lines.map((line) => rows[line.bench](line))
]
console.log(`\n${table.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}`)
