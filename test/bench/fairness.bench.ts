/**
 * How late a worker checks its neighbours' monitors beside hostile ones: one line of JSON per scenario. Neighbours answer at
 * once; their lateness is measured from the slots of their results, and a slot without a result is counted as missed.
 */
import { Duration, Effect, Fiber, Layer, Stream } from "effect"
import type { Assignment, CheckResult } from "../../schema/check/Bus.ts"
import { WorkspaceId } from "../../schema/Ids.ts"
import { Bus, ShareSignal } from "../../src/bus/Bus.ts"
import { phaseOf, slotAt, slotStart } from "../../src/domain/check/round/CheckSlot.ts"
import { run } from "../../src/probe/Worker.ts"
import { assignmentOf, region } from "../support/probe/Assignments.ts"
import { probing } from "../support/targets/LocalTargets.ts"

const port = process.argv[2] ?? "80"
const [seconds = 30, scale = 1] = process.argv.slice(3).map(Number)

/** Before measuring, so that the slowness of targets is known, as it is in the long run. */
const warmUpSec = 35

const workspaceOf = (name: string): WorkspaceId => WorkspaceId.make(`ws_${name.padStart(26, "0")}`)

interface Group {
  readonly count: number
  readonly intervalSec: number
  readonly path: string
  readonly workspaces: number
  readonly name: string
  readonly pattern?: string
  readonly timeoutMs?: number
}

/** Each monitor has a host of its own at an address and network of its own, so that their limits are not what is measured. */
const monitorsOf = (
  { count, intervalSec, name, path, pattern, timeoutMs = 10_000, workspaces }: Group
): ReadonlyArray<Assignment> =>
  Array.from({ length: Math.round(count * scale) }, (_, index) =>
    assignmentOf({
      url: `http://${name}${index}.test:${port}${path}`,
      assertions: pattern === undefined ? [] : [{ source: "body", op: "matches", value: pattern }]
    }, { intervalSec, timeoutMs, workspaceId: workspaceOf(`${name}${index % workspaces}`) }))

const neighbours = (intervalSec: number, count: number): Group => ({
  name: "neighbour",
  count,
  intervalSec,
  path: "/",
  workspaces: 20
})

const scenarios: ReadonlyArray<{ readonly row: string; readonly good: Group; readonly hostile: ReadonlyArray<Group> }> = [
  { row: "neighbours alone", good: neighbours(10, 500), hostile: [] },
  {
    row: "beside ten monitors with a hostile pattern",
    good: neighbours(10, 500),
    hostile: [{ name: "pattern", count: 10, intervalSec: 10, path: "/ab", workspaces: 1, pattern: "a(?:a|b){250}[c-d]" }]
  },
  {
    row: "beside a workspace with 3,650 monitors at a tarpit",
    good: neighbours(10, 500),
    hostile: [{ name: "tarpit", count: 3650, intervalSec: 10, path: "/hang", workspaces: 1 }]
  },
  { row: "10,000 targets, all answer", good: neighbours(60, 10_000), hostile: [] },
  {
    row: "10,000 targets, 30 % of which hang until their timeout of 30 s",
    good: neighbours(60, 7000),
    hostile: [{ name: "hanging", count: 3000, intervalSec: 60, path: "/hang", workspaces: 20, timeoutMs: 30_000 }]
  }
]

const busOf = (assignments: ReadonlyArray<Assignment>, results: Array<CheckResult>) =>
  Layer.succeed(Bus, {
    open: () => Effect.succeed(true),
    assign: () => Effect.void,
    partitions: Effect.succeed(new Map()),
    share: () =>
      Stream.concat(
        Stream.fromIterable(
          assignments.map((assignment) =>
            ShareSignal.Changed({ partition: 0, change: { monitorId: assignment.monitorId, assignment } })
          )
        ),
        Stream.never
      ),
    report: (batch) => Effect.sync(() => void results.push(...batch)),
    results: () => Effect.void,
    beat: () => Effect.void,
    beats: Stream.empty,
    publishTime: () => Effect.void,
    publishKeys: null,
    times: null,
    ask: () => Effect.never,
    answer: () => Effect.void,
    ping: Effect.void
  })

/** The slots of a monitor that began between two instants, and how late each was checked; null for those that were not. */
const latenessOf = (assignment: Assignment, results: ReadonlyMap<string, CheckResult>, from: number, to: number) => {
  const intervalMs = assignment.intervalSec * 1000
  const phase = phaseOf(assignment.monitorId, intervalMs)
  const found: Array<number | null> = []
  for (let slot = slotAt(from, phase, intervalMs) + 1; slotStart(slot, phase, intervalMs) < to; slot++) {
    const result = results.get(`${assignment.monitorId}/${slot}`)
    found.push(result === undefined ? null : Math.max(result.at - slotStart(slot, phase, intervalMs), 0))
  }
  return found
}

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN)

const measure = Effect.fn("measure")(function*({ good, hostile, row }: (typeof scenarios)[number]) {
  const measured = monitorsOf(good)
  const results: Array<CheckResult> = []
  const worker = run({ region, workerId: "bench", canaries: [] }).pipe(
    Effect.provide(busOf([...hostile.flatMap(monitorsOf), ...measured], results))
  )
  const fiber = yield* Effect.fork(worker)
  yield* Effect.sleep(Duration.seconds(warmUpSec))
  const from = Date.now()
  yield* Effect.sleep(Duration.seconds(seconds))
  const to = Date.now()
  // What began late still counts.
  yield* Effect.sleep("3 seconds")
  yield* Fiber.interrupt(fiber)
  const bySlot = new Map(results.map((result) => [`${result.monitorId}/${result.slot}`, result]))
  const late = measured.flatMap((assignment) => latenessOf(assignment, bySlot, from, to))
  const made = late.filter((ms) => ms !== null).sort((a, b) => a - b)
  const ours = new Set<string>(measured.map(({ monitorId }) => monitorId))
  const wrong = results.filter(({ monitorId, outcome }) => ours.has(monitorId) && outcome !== "up").length
  console.log(JSON.stringify({
    bench: "fairness",
    row,
    slots: late.length,
    missed: late.length - made.length,
    notUp: wrong,
    latenessMs: { p50: quantile(made, 0.5), p99: quantile(made, 0.99), max: made.at(-1) ?? null }
  }))
})

const addresses = new Map<string, string>()

const addressOf = (host: string): string => {
  const known = addresses.get(host)
  if (known !== undefined) return known
  const index = addresses.size + 256
  const address = `127.${index >> 8}.${index & 255}.1`
  addresses.set(host, address)
  return address
}

const resolve: NonNullable<Parameters<typeof probing>[0]>["resolve"] = (host, done) =>
  done(null, [{ address: addressOf(host), family: 4 }])

await Effect.runPromise(
  Effect.provide(Effect.forEach(scenarios, measure, { discard: true }), probing({ resolve }))
)
process.exit(0)
