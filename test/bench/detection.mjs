// Whether each outage of scripted targets is told once, in time and rightly dated, and no blip is: see detection.bench.ts. With Java 17
// and Maven also from three regions. Fails outside the bound.
// Usage: node test/bench/detection.mjs [scale]
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { runBundled } from "../../infra/bundle.mjs"
import { startCluster } from "../../infra/cluster.mjs"
import { missing } from "../../infra/kafka/kafka.mjs"
import { bootstrap, startProgram } from "./support/processes.mjs"

const [scale = 1] = process.argv.slice(2).map(Number)
const regions = { eu: "127.0.1.1", us: "127.0.1.2", ap: "127.0.1.3" }
const hook = fileURLToPath(new URL("../flows/support/regionalNames.mjs", import.meta.url))
const env = { BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8", BELLTOWER_CAPS: "unclaimed.monitors=10000" }

const dataDir = mkdtempSync(join(tmpdir(), "belltower-bench-"))
// Lets the database's user enter when the bench runs as root.
chmodSync(dataDir, 0o755)

const inOneRegion = async () => {
  const belltower = await startProgram({ ...env, BELLTOWER_DATA_DIR: join(dataDir, "one") })
  try {
    const { apiKey } = await bootstrap(belltower.baseUrl)
    await runBundled("test/bench/detection.bench.ts", [belltower.baseUrl, apiKey, scale])
  } finally {
    await belltower.stop()
  }
}

const inRegions = async () => {
  const cluster = await startCluster({
    folder: join(dataDir, "regions"),
    runners: 1,
    regions: Object.fromEntries(Object.keys(regions).map((region) => [region, 1])),
    supervised: false,
    env: { ...env, BELLTOWER_LOG_LEVEL: "warning" },
    probeEnv: (region) => ({ NODE_OPTIONS: `--import ${hook}`, TEST_REGION_ADDRESS: regions[region] }),
    tell: () => {}
  })
  try {
    const { apiKey } = await bootstrap(cluster.baseUrl)
    const addresses = Object.entries(regions).map(([region, address]) => `${region}=${address}`)
    await runBundled("test/bench/detection.bench.ts", [cluster.baseUrl, apiKey, scale, ...addresses])
  } finally {
    await cluster.stop()
  }
}

try {
  await inOneRegion()
  const lacking = await missing()
  if (lacking === null) await inRegions()
  else console.error(`Several regions are left out: ${lacking}`)
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
