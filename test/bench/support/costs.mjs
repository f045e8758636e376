// The measurements that the sizing model uses: read from docs/figures.md, so that a new figure there is the only edit.
import { readFileSync } from "node:fs"

const document = readFileSync(new URL("../../../docs/figures.md", import.meta.url), "utf8")

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(" ", "\\s+")

/** The numbers where docs/figures.md says this for the first time; "{}" stands for one of them, "..." for any text of the line. */
const figures = (says) => {
  const parts = says.split("...").map((part) => part.split("{}").map(escaped).join("([\\d.,]*\\d)"))
  const found = new RegExp(parts.join("[^\\n]*?")).exec(document)
  if (found === null) {
    throw new Error(`docs/figures.md no longer says "${says}". Adapt test/bench/support/costs.mjs to its words.`)
  }
  return found.slice(1).map((text) => Number(text.replaceAll(",", "")))
}

const [probeMs] = figures("an http check at the probe alone | {} ms of CPU")
const [processMs, databaseMs] = figures("5,000 monitors every 10 s | ... (Node {}, PostgreSQL {})")
const [idleNode, idleDatabase] = figures("idle, no monitor | {} % of a core, PostgreSQL {} %")
const [resultMs] = figures("6,000 results a second | ... and {} ms")
const [runnerIdleMs] = figures("10 to {} ms a second each")
const [compactMicros] = figures("its place in a block | ... to {} µs")
const [heapMb] = figures("heaps ... to {} MB")
const [monitorKb] = figures("one process that does everything | ... MB | {} kB")
const [runnerKb] = figures("one runner, its results over Kafka | ... MB | {} kB")
const [actorKb] = figures("without an actor, which would take {} kB more")
const [blockBytes, rowBytes] = figures("a check at rest, ... | {} bytes ... in its first hour, {}")
const [walBytes] = figures("WAL of a check | {} bytes")
const [kafkaBytes] = figures("a result in Kafka, each copy | {} bytes")
const [replacedRows] = figures("rows that a check replaces, ... | {} of")
const [outageNodeMs, outageDatabaseMs] = figures("{} ms of Node's CPU and {} ms of PostgreSQL's each")
const [soakFailing] = figures("{} of them failing at any time")
const [soakMbAnHour] = figures("all tables but those of checks | ... bytes; {} MB an hour")

/** Of that soak (infra/chaos/soak.mjs): so many monitors fail at any time, for 90 s each. */
const soakOutagesAnHour = soakFailing * 3600 / 90

/** CPU in ms, memory in MB and kB, the rest in bytes. */
export const costs = {
  /** Of a check: at the probe, at a runner as a result, at a runner when it becomes part of a block, at PostgreSQL. */
  probeMs,
  resultMs,
  compactMs: compactMicros / 1000,
  databaseMs,
  /** Of a check in one process that does all of it, without PostgreSQL. */
  processMs,
  /** Of each second, however little happens. */
  processIdleMs: idleNode * 10,
  runnerIdleMs,
  databaseIdleMs: idleDatabase * 10,
  /** Of a monitor that goes down, with its incident, events and alert. */
  outageNodeMs,
  outageDatabaseMs,
  /** The heap of a warm process, and what each monitor adds: in one process, at its runner, and (the rest) at a probe of each region. */
  heapMb,
  monitorKb,
  runnerKb,
  probeKb: monitorKb - runnerKb,
  /** The addition of a monitor that changes, at its runner: it has an actor. */
  actorKb,
  /** Of a check: as a row, for two hours; in a block, for as long as checks are kept; in the log of PostgreSQL; in Kafka. */
  rowBytes,
  blockBytes,
  walBytes,
  kafkaBytes,
  /** Of a check. */
  replacedRows,
  /** Of an outage with its end: incident, events, deliveries, spans. */
  outageBytes: soakMbAnHour * 2 ** 20 / soakOutagesAnHour
}
