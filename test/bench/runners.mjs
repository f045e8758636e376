// CPU per check result of all runners together, one runner beside four, over a real Kafka: at the monitors' pace, for several numbers of
// monitors one after another, and in a backlog of all. What the runners cost when nothing comes is part of the first, and shown beside it
// (ms a second). Processes that run for days are warm, so each pace is kept for a while before it is measured.
// Usage: node test/bench/runners.mjs [monitors, such as 2000,10000] [intervalSec] [seconds] [rounds]
import { missing } from "../../infra/kafka/kafka.mjs"
import { cpu, sleep, until } from "./support/processes.mjs"
import { withReportedCluster } from "./support/reportedCluster.mjs"

const [list = "2000,20000,60000", ...numbers] = process.argv.slice(2)
const [intervalSec = 10, seconds = 30, rounds = 6] = numbers.map(Number)
const paces = list.split(",").map(Number)
const monitors = Math.max(...paces)
const settleMs = 10_000
/** How long each pace is kept before it is measured. */
const warmMs = 45_000
/** How long the runners are measured without any results. */
const idleMs = 15_000
/** Until all actors have started. */
const startMs = 600_000
/** CPU per result with four runners may be this many times that with one. */
const goal = 1.25

const round = (value) => Number(value.toFixed(4))

const measure = async ({ cluster, justStored, reporter, stored }) => {
  const used = () => cluster.runners.reduce((sum, { pid }) => sum + cpu(pid).ownMs, 0)
  const read = async () => {
    const count = await justStored()
    return { count, ms: used(), at: performance.now() }
  }
  const per = (before, after) => (after.ms - before.ms) / (after.count - before.count)

  await sleep(settleMs)
  const idle = [used()]
  await sleep(idleMs)
  idle.push(used())

  const idlePerSecond = (idle[1] - idle[0]) / idleMs * 1000

  const paced = []
  for (const count of paces) {
    const from = await stored()
    reporter.pace(count)
    // The first results start the actors.
    await until(stored, (now) => now >= from + 2 * count, startMs)
    await sleep(warmMs)
    const before = await read()
    await sleep(seconds * 1000)
    const after = await read()
    const perSecond = (after.count - before.count) / (after.at - before.at) * 1000
    paced.push({ count, perSecond, ms: per(before, after), beyondIdleMs: per(before, after) - idlePerSecond / perSecond })
  }

  const begun = await stored()
  await reporter.burst(2)
  await until(async () => (await sleep(1500), stored()), (count) => count >= begun + 2 * monitors)
  const full = [{ count: await stored(), ms: used() }]
  await reporter.burst(rounds)
  await until(stored, (count) => count >= full[0].count + rounds * monitors)
  full.push({ count: await stored(), ms: used() })
  return { idleMs: idlePerSecond, paced, fullMs: per(...full) }
}

const reason = await missing()
if (reason !== null) console.error(`No rows for runners. ${reason}`)
else {
  const one = await withReportedCluster({ runners: 1, monitors, intervalSec }, measure)
  const four = await withReportedCluster({ runners: 4, monitors, intervalSec }, measure)
  for (const [at, { beyondIdleMs, count, ms, perSecond }] of one.paced.entries()) {
    const together = four.paced[at]
    console.log(JSON.stringify({
      bench: "runners",
      row: "paced",
      monitors: count,
      intervalSec,
      perSecond: Math.round(perSecond),
      oneMs: round(ms),
      fourMs: round(together.ms),
      times: round(together.ms / ms),
      goal,
      beyondIdleOneMs: round(beyondIdleMs),
      beyondIdleFourMs: round(together.beyondIdleMs),
      idleOneMs: round(one.idleMs),
      idleFourMs: round(four.idleMs)
    }))
  }
  console.log(JSON.stringify({
    bench: "runners",
    row: "backlog",
    monitors,
    fullOneMs: round(one.fullMs),
    fullFourMs: round(four.fullMs),
    fullTimes: round(four.fullMs / one.fullMs),
    perCpuSecond: Math.round(1000 / one.fullMs)
  }))
}
