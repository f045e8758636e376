// From the check that decides (the instant its result is there) to a page at a push service, beside ordinary monitors at their pace:
// see paging.bench.ts. Fails above the goal.
// Usage: node test/bench/paging.mjs [monitors] [outages]
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runBundled } from "../../infra/bundle.mjs"
import { bootstrap, startProgram, startTarget } from "./support/processes.mjs"
import { passwordIn, seedMonitors } from "./support/seed.mjs"

const [monitors = 1000, outages = 200] = process.argv.slice(2).map(Number)

const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
// Lets the database's user enter when the bench runs as root.
chmodSync(dataDir, 0o755)
const target = await startTarget()
const belltower = await startProgram({ BELLTOWER_DATA_DIR: dataDir, BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" })
try {
  const { apiKey, call } = await bootstrap(belltower.baseUrl)
  await seedMonitors(belltower, dataDir, call, monitors, { url: target.url, intervalSec: 60 })
  const host = join(dataDir, "postgres")
  const database = `postgresql://postgres:${passwordIn(dataDir)}@localhost/postgres?host=${encodeURIComponent(host)}&port=5432`
  await runBundled("test/bench/paging.bench.ts", [belltower.baseUrl, apiKey, database, monitors, outages])
} finally {
  await belltower.stop()
  target.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
