// Deliveries to receivers that answer and beside tarpits, and the cost of claims: see delivery.bench.ts.
// Usage: node test/bench/delivery.mjs [webhooks] [alerts] [throughput | subscribers | tarpits | claims | idle]
import { runBundled } from "../../infra/bundle.mjs"
import { startTarget } from "./support/processes.mjs"

const [webhooks = 40_000, alerts = 200, ...only] = process.argv.slice(2)
const target = await startTarget("0.0.0.0")
try {
  await runBundled("test/bench/delivery.bench.ts", [new URL(target.url).port, webhooks, alerts, ...only])
} finally {
  target.stop()
}
