// CPU of an http check's look alone, beside a bare node:http loop in the same process: see probe.bench.ts.
// Usage: node test/bench/probe.mjs [checks] [rounds]
import { runBundled } from "../../infra/bundle.mjs"
import { startTarget } from "./support/processes.mjs"

const [checks = 4000, rounds = 5] = process.argv.slice(2).map(Number)
const target = await startTarget()
try {
  await runBundled("test/bench/probe.bench.ts", [target.url, checks, rounds])
} finally {
  target.stop()
}
