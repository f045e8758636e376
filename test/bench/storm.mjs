// Thousands of monitors go down within a minute, with a receiver that answers for each workspace's alerts: see storm.bench.ts.
// Usage: node test/bench/storm.mjs [monitors] [seconds] [workspaces]
import { runBundled } from "../../infra/bundle.mjs"
import { startTarget } from "./support/processes.mjs"

const [monitors = 30_000, seconds = 60, workspaces = 100] = process.argv.slice(2)
const target = await startTarget()
try {
  await runBundled("test/bench/storm.bench.ts", [new URL(target.url).port, monitors, seconds, workspaces])
} finally {
  target.stop()
}
