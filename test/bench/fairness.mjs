// How late neighbours are checked beside hostile patterns, a tarpit and targets that hang: see fairness.bench.ts.
// Usage: node test/bench/fairness.mjs [seconds] [scale]
import { runBundled } from "../../infra/bundle.mjs"
import { startTarget } from "./support/processes.mjs"

const [seconds = 30, scale = 1] = process.argv.slice(2).map(Number)
// All of 127.0.0.0/8, where each host has an address of its own.
const target = await startTarget("0.0.0.0")
try {
  await runBundled("test/bench/fairness.bench.ts", [new URL(target.url).port, seconds, scale])
} finally {
  target.stop()
}
