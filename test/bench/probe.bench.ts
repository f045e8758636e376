/** CPU of one http check, beside a bare node:http loop against the same target: one line of JSON (milliseconds a check). */
import { Effect, Either, Layer, Runtime } from "effect"
import { get } from "node:http"
import type { Assignment } from "../../schema/check/Bus.ts"
import { parseAllowList } from "../../src/domain/check/address/Egress.ts"
import { EgressGuard } from "../../src/egress/EgressGuard.ts"
import { Browsers } from "../../src/probe/browser/Browsers.ts"
import { IsolationSettings } from "../../src/probe/isolation/Isolation.ts"
import { Judging } from "../../src/probe/judging/Judging.ts"
import { Pings } from "../../src/probe/Pings.ts"
import type { ProbeNeeds } from "../../src/probe/Probe.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { Rdap } from "../../src/probe/Rdap.ts"
import { Scripts } from "../../src/probe/script/Scripts.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"

const url = process.argv[2] ?? ""
const [checks = 4000, rounds = 5] = process.argv.slice(3).map(Number)
const concurrency = 32

const bareGet = (url: string) =>
  new Promise<number>((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let bytes = 0
      response.on("data", (chunk: Buffer) => (bytes += chunk.length))
      response.on("end", () => resolve(bytes))
    }).on("error", reject)
  })

/** Milliseconds of CPU that each of `checks` calls took, `concurrency` at a time. */
const cpuPerCall = async (call: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage()
  let started = 0
  await Promise.all(Array.from({ length: concurrency }, async () => {
    while (started++ < checks) await call()
  }))
  const { system, user } = process.cpuUsage(before)
  return (user + system) / 1000 / checks
}

const median = (values: ReadonlyArray<number>): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const round = (value: number): number => Math.round(value * 1000) / 1000

const measure = Effect.gen(function*() {
  const assignment: Assignment = assignmentOf({ url })
  const runtime = yield* Effect.runtime<ProbeNeeds>()
  const run = Runtime.runPromise(runtime)
  const probe = () => run(probeOnce(assignment))

  const bare: Array<number> = []
  const probed: Array<number> = []
  const first = yield* probeOnce(assignment)
  if (first.outcome !== "up") return yield* Effect.dieMessage(`The target is ${first.outcome}: ${first.error}`)
  for (let i = 0; i <= rounds; i++) {
    const one = yield* Effect.promise(() => cpuPerCall(() => bareGet(url)))
    const other = yield* Effect.promise(() => cpuPerCall(probe))
    // The first round warms up.
    if (i > 0) {
      bare.push(one)
      probed.push(other)
    }
  }
  const bareMs = median(bare)
  const probeMs = median(probed)
  console.log(JSON.stringify({
    bench: "probe",
    checks,
    rounds,
    probeMs: round(probeMs),
    bareMs: round(bareMs),
    extraMs: round(probeMs - bareMs),
    timesBare: round(probeMs / bareMs)
  }))
})

const allow = Either.getOrThrow(parseAllowList("127.0.0.0/8"))
const environment = Layer.provideMerge(
  Layer.mergeAll(
    Judging.Default,
    Pings.Default,
    Rdap.Default,
    Layer.provideMerge(Browsers.Default, Scripts.Default).pipe(
      // Nothing is looked for at the start, beside the measurement.
      Layer.provide(Layer.succeed(IsolationSettings, { isRequired: false, hidden: [] }))
    )
  ),
  EgressGuard.Default({ allow })
)
await Effect.runPromise(Effect.provide(measure, environment))
