// Says which stage of a check each sample of a CPU profile belongs to, by the source of the code that ran or had called it.
import { existsSync, readFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { fileURLToPath } from "node:url"

/** The first pattern that fits the path of a source decides. */
const stages = [
  [
    "schedule",
    /^src\/(probe\/(Scheduler|ProbeSchedule|FairRuns|SharedTime|StallMeter|Uplink)|domain\/check\/(probe|address|round))/
  ],
  ["schedule", /^src\/domain\/tools\/queues\/(Fifo|Lanes|FairQueue|SlotPool|WaitingShares|SlidingRate)/],
  ["response", /^src\/(egress\/(ResponseReader|HeadCollector|ChunkedBody|BodyDecoder|PlainHead)|domain\/check\/answer)/],
  ["response", /^src\/(probe\/(http|judging|ProbeResult|kinds)|domain\/(secret|words))/],
  ["request", /^src\/(egress|probe\/probes)/],
  ["metrics", /^(src\/probe\/Metrics|node_modules\/prom-client)/],
  ["result", /^src\/(probe|domain\/check\/history)/],
  ["bus", /^(src\/bus|node_modules\/kafkajs|src\/domain\/tools\/queues\/BoundedBuffer)/],
  ["rows", /^(src\/store|cluster\/check\/CheckWriter|node_modules\/(pg|@effect\/sql))/],
  ["decision", /^(cluster\/(check|monitor)|src\/domain\/monitor|src\/services\/(check\/RegionHealth|monitor))/],
  ["stream", /^src\/(services\/check\/LiveChecks|sse|operations\/event)/],
  ["other work", /^(src|cluster|schema)\//]
]

/** The stages by their names, in their order on the way of a check. */
export const stageTexts = {
  schedule: "what is due, its turn and its slot",
  request: "address, connection and request, with Node's sockets",
  response: "reading the response, and the verdict on it",
  result: "the result and its report",
  bus: "the bus in the process",
  decision: "the monitor's step: its round, the vote, its memory",
  rows: "rows and states: text, statements, PostgreSQL's protocol",
  metrics: "metrics",
  stream: "the live stream",
  "other work": "other work of the program",
  effect: "Effect's runtime, outside all of these",
  node: "Node's loop and timers, outside all of these",
  gc: "garbage collection on the main thread"
}

const readMap = (url) => {
  const path = `${fileURLToPath(url)}.map`
  return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, "utf8"))) : null
}

const makeSources = () => {
  const maps = new Map()
  return ({ columnNumber, lineNumber, url }) => {
    if (!url.startsWith("file:")) return url
    if (!maps.has(url)) maps.set(url, readMap(url))
    const source = maps.get(url)?.findEntry(lineNumber, columnNumber).originalSource ?? url
    return source.replace(/^.*?(src|cluster|schema|node_modules)\//, "$1/")
  }
}

const stageOfSource = (source) => stages.find(([, pattern]) => pattern.test(source))?.[0] ?? null

const outside = (source) =>
  source.startsWith("node_modules/") ? "effect" : /^node:(net|dns|internal\/(stream|net|dns))/.test(source) ? "request" : "node"

/** Calls of the system that Node makes for sockets outside any code of ours. */
const socketCalls = new Set(["connect", "close", "setNoDelay", "shutdown", "readStart", "getaddrinfo"])

/** A machine that stands still must not count as work, µs. */
const longestSample = 5000

/** The share of each stage in the busy time of a profile, 0 to 1. */
export const stageShares = ({ nodes, samples, timeDeltas }) => {
  const sourceOf = makeSources()
  const stageOf = new Map()
  const visit = (id, inherited) => {
    const { callFrame, children = [] } = byId.get(id)
    const own = callFrame.functionName === "(garbage collector)" ? "gc" : stageOfSource(sourceOf(callFrame))
    const nearest = own ?? inherited
    stageOf.set(
      id,
      callFrame.functionName === "(idle)"
        ? null
        : nearest ?? (socketCalls.has(callFrame.functionName) ? "request" : outside(sourceOf(callFrame)))
    )
    for (const child of children) visit(child, nearest)
  }
  const byId = new Map(nodes.map((node) => [node.id, node]))
  visit(nodes[0].id, null)
  const sums = new Map(Object.keys(stageTexts).map((stage) => [stage, 0]))
  samples.forEach((id, at) => {
    const stage = stageOf.get(id)
    if (stage !== null) sums.set(stage, sums.get(stage) + Math.min(timeDeltas[at], longestSample))
  })
  const all = [...sums.values()].reduce((sum, one) => sum + one, 0)
  return [...sums].map(([stage, sum]) => ({ stage, share: sum / all }))
}
