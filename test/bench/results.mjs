// Check results through topic, actors and rows at full speed: see results.bench.ts. With Kafka where it can run here.
// Usage: [BENCH_TRACED=0.01] node test/bench/results.mjs [monitors] [rounds]
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runBundled } from "../../infra/bundle.mjs"
import { missing, start } from "../../infra/kafka/kafka.mjs"
import { freePort } from "./support/processes.mjs"

const [monitors = 5000, rounds = 12] = process.argv.slice(2).map(Number)

const reason = await missing()
if (reason !== null) console.error(`No row for Kafka. ${reason}`)
const dataDir = mkdtempSync(join(tmpdir(), "belltower-kafka-"))
const kafka = reason === null ? await start({ port: await freePort(), controllerPort: await freePort(), dataDir }) : null
try {
  await runBundled("test/bench/results.bench.ts", [monitors, rounds, ...(kafka === null ? [] : [`127.0.0.1:${kafka.port}`])])
} finally {
  await kafka?.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
