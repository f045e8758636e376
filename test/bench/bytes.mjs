// Bytes of a check in Kafka's log and in the write-ahead log, and what the processes use for it, at several rates one after another:
// a reporter sends results as a worker does, over a real Kafka, to a runner that stores them. Each rate is kept for a while before it is
// measured. Full pages, which PostgreSQL logs after a checkpoint, are counted apart: how many a check causes depends on how often it
// makes checkpoints.
// Usage: node test/bench/bytes.mjs [results a second, such as 50,5000] [intervalSec] [seconds] [warmSec]
import { missing } from "../../infra/kafka/kafka.mjs"
import { sleep, until } from "./support/processes.mjs"
import { between, makeReading } from "./support/readings.mjs"
import { withReportedCluster } from "./support/reportedCluster.mjs"

const [list = "50,250,5000", ...numbers] = process.argv.slice(2)
const [intervalSec = 10, seconds = 20, warmSec = 20] = numbers.map(Number)
const rates = list.split(",").map(Number)
const countOf = (rate) => rate * intervalSec
/** Until all actors have started. */
const startMs = 300_000

const measure = async (reported) => {
  const { reporter, stored } = reported
  const read = makeReading(reported)
  for (const rate of rates) {
    const from = await stored()
    reporter.pace(countOf(rate))
    // The first results start the actors.
    await until(stored, (now) => now >= from + 2 * countOf(rate), startMs)
    await sleep(warmSec * 1000)
    const before = await read()
    await sleep(seconds * 1000)
    console.log(JSON.stringify({ bench: "bytes", intervalSec, ...between(before, await read()) }))
  }
}

const reason = await missing()
if (reason !== null) console.error(`No rows for bytes. ${reason}`)
else await withReportedCluster({ runners: 1, monitors: countOf(Math.max(...rates)), intervalSec }, measure)
