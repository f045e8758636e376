// The cost of the history of checks: bytes at rest, intake, compaction, and reads with 90 days in the database.
// Usage: node test/bench/history.mjs [monitors] [days of rollups] [days of checks]
import { runBundled } from "../../infra/bundle.mjs"

await runBundled("test/bench/history.bench.ts", process.argv.slice(2))
