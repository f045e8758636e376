/**
 * The decision path as a whole, in simulated time: probes check, the bus delays, repeats and fails, runners die, freeze and
 * hang and take over from each other, while the state of each monitor must follow what a majority of its regions sees.
 */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { Outcome } from "../../schema/check/Check.ts"
import type { Rules } from "../../schema/monitor/Monitor.ts"
import { usualConfirmAfter } from "../../src/domain/monitor/Confirmation.ts"
import { type CommittedTransition, makeRunners } from "./Runners.ts"
import {
  during,
  type Logged,
  makeChoices,
  makeWorld,
  type RegionFault,
  regionIds,
  type RunnerFault,
  type Script,
  start,
  type Stretch,
  tickMs,
  truthStep,
  type World
} from "./World.ts"

/** When all faults are over, s from the start. */
const troubles = 320

/** A report this much later than the first of its round may come too late, ms: less than the wait for a region. */
const inTime = 25_000

const anyRules = (intervals: ReadonlyArray<number>): fc.Arbitrary<Rules> =>
  fc.record({
    intervalSec: fc.constantFrom(...intervals),
    timeoutMs: fc.constantFrom(1000, 5000, 10_000),
    failureThreshold: fc.integer({ min: 1, max: 3 }),
    recoveryThreshold: fc.integer({ min: 1, max: 2 }),
    confirmAfterSec: fc.constantFrom<number | "usual" | null>(null, 2, 5, 9, "usual"),
    failureRate: fc.constant(null),
    regions: fc.integer({ min: 1, max: 5 }).map((count) => regionIds.slice(0, count))
  }).map(({ confirmAfterSec, ...rules }) => ({
    ...rules,
    confirmAfterSec: confirmAfterSec === "usual" ? usualConfirmAfter(rules.intervalSec) : confirmAfterSec
  }))

const anyTruth: fc.Arbitrary<ReadonlyArray<Outcome>> = fc.array(
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom<Outcome>("up", "down") }, {
    weight: 1,
    arbitrary: fc.constant<Outcome>("degraded")
  }),
  { minLength: 1, maxLength: troubles / truthStep }
)

const anyStretch = (longest: number): fc.Arbitrary<Stretch> =>
  fc.record({ from: fc.nat(troubles - 20), length: fc.integer({ min: 1, max: longest }) })
    .map(({ from, length }) => ({ from, length: Math.min(length, troubles - from) }))

const anyRegionFault: fc.Arbitrary<RegionFault> = fc.tuple(
  anyStretch(200),
  fc.constantFrom<RegionFault["kind"]>("dead", "stopped", "cut", "beatless", "slow", "clock", "distrust", "rebalance"),
  fc.nat(4),
  fc.nat(60)
).map(([stretch, kind, region, amount]) => ({ ...stretch, kind, region, amount: kind === "clock" ? (amount % 7) - 3 : amount }))

const anyRunnerFault: fc.Arbitrary<RunnerFault> = fc.tuple(
  anyStretch(120),
  fc.constantFrom<RunnerFault["kind"]>("crash", "stop", "hang", "clock"),
  fc.nat(2),
  fc.integer({ min: -100, max: 100 })
).map(([stretch, kind, runner, amount]) => ({ ...stretch, kind, runner, amount }))

const anyScript = (intervals: ReadonlyArray<number>): fc.Arbitrary<Script> =>
  fc.record({
    rules: anyRules(intervals),
    truth: fc.array(fc.array(anyTruth, { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
    regionFaults: fc.array(anyRegionFault, { maxLength: 4 }),
    runnerFaults: fc.array(anyRunnerFault, { maxLength: 3 }),
    busOutages: fc.array(anyStretch(150), { maxLength: 1 }),
    databaseOutages: fc.array(anyStretch(100), { maxLength: 1 }),
    lost: fc.nat(1),
    runners: fc.integer({ min: 1, max: 3 }),
    seed: fc.integer()
  }).map((script) => ({ ...script, lost: script.rules.regions.length > 1 ? script.lost : 0 }))

/** The history of one monitor of the population. */
interface Run {
  readonly script: Script
  readonly world: World
  readonly monitor: number
  readonly transitions: ReadonlyArray<CommittedTransition>
  readonly end: number
  readonly openRounds: number
  readonly state: string
}

/** How long after the end of all faults the state must be correct, s. */
const bound = ({ failureThreshold, intervalSec, recoveryThreshold, timeoutMs }: Rules): number =>
  (Math.max(failureThreshold, recoveryThreshold) + 2) * intervalSec + timeoutMs / 1000 + 100

const simulate = (script: Script) => {
  const choices = makeChoices(script.seed)
  const world = makeWorld(script, choices, start + troubles * 1000)
  const runners = makeRunners(script, world, choices)
  const end = start + (troubles + bound(script.rules)) * 1000
  for (let now = start; now <= end; now += tickMs) {
    world.tick(now)
    runners.tick(now)
  }
  return { world, shards: runners.shards, end }
}

const play = (script: Script): ReadonlyArray<Run> => {
  const { end, shards, world } = simulate(script)
  return shards.map(({ row: { machine }, transitions }, monitor) => ({
    script,
    world,
    monitor,
    transitions,
    end,
    openRounds: machine.rounds.length,
    state: machine.state
  }))
}

/** A region that cannot be heard for this long may be considered gone, s: less than the threshold of 30. */
const silence = 20
/** How long until a reachable region is heard again, s: the reconnection to the bus, and the next beat. */
const comeback = 16

/** Whether a region had been silent for so long that no runner needs to wait for it. */
const isExcused = ({ regionFaults }: Script, region: string, now: number): boolean =>
  regionFaults.some(({ from, kind, length, region: index }) =>
    regionIds[index] === region && ["cut", "dead", "stopped", "beatless"].includes(kind) &&
    during({ from: from + silence, length: length - silence + comeback }, now)
  )

/** The trusted reports of a slot by regions that must be waited for, in time, one per region. */
const reportsOf = ({ monitor, script, world }: Run, slot: number): ReadonlyArray<Logged> => {
  const all = world.bySlot(monitor, slot).filter(({ result }) => result.attempt === undefined)
  const [first] = all
  if (first === undefined) return []
  return all.filter(({ loggedAt, result }, index) =>
    result.trusted && loggedAt - first.loggedAt <= inTime &&
    !isExcused(script, result.region, first.loggedAt) && !isExcused(script, result.region, loggedAt) &&
    all.findIndex((other) => other.result.region === result.region) === index
  )
}

/** The rounds of a slot that may have failed: its own, and those in which a region confirmed a failure. */
const failedRounds = (run: Run, slot: number): number => {
  if (!failed(run, slot)) return 0
  const confirmed = run.world.bySlot(run.monitor, slot).flatMap(({ result: { attempt, outcome, trusted } }) =>
    trusted && outcome === "down" && attempt !== undefined ? [attempt] : []
  )
  return 1 + new Set(confirmed).size
}

/** Whether, given the timely reports and what every region saw, a majority saw the slot fail. */
const failed = (run: Run, slot: number): boolean => {
  const downs = run.world.bySlot(run.monitor, slot).filter(({ result }) => result.trusted && result.outcome === "down")
  const seen = new Set(downs.map(({ result }) => result.region))
  const standing = reportsOf(run, slot).filter(({ result }) => result.outcome !== "down" && !seen.has(result.region))
  return seen.size * 2 > seen.size + standing.length
}

const noFalseAlarm = (run: Run): void => {
  for (const [index, { slot, to }] of run.transitions.entries()) {
    if (to !== "down") continue
    expect(failed(run, slot), `slot ${slot} failed`).toBe(true)
    const before = run.transitions[index - 1]?.slot ?? -1
    const slots = run.world.slots(run.monitor).filter((other) => other > before && other <= slot)
    const rounds = slots.reduce((sum, other) => sum + failedRounds(run, other), 0)
    expect(rounds).toBeGreaterThanOrEqual(run.script.rules.failureThreshold)
  }
}

const finalTruth = ({ monitor, script: { lost, rules, truth } }: Run) => {
  const living = rules.regions.map((_, index) => truth[monitor]?.[index]?.at(-1) ?? "up").slice(lost)
  const down = living.filter((outcome) => outcome === "down").length * 2 > living.length
  return { down, calm: living.every((outcome) => outcome === living[0]) }
}

const endsInTruth = (run: Run): void => {
  const { down } = finalTruth(run)
  expect(run.state === "down", `down is ${down}`).toBe(down)
}

const reportsOnce = ({ state, transitions }: Run): void => {
  let at = "pending"
  for (const { from, to } of transitions) {
    expect(from).toBe(at)
    expect(to).not.toBe(at)
    at = to
  }
  expect(state).toBe(at)
}

const goesOn = ({ end, monitor, openRounds, script, world }: Run): void => {
  const recent = end - (script.rules.intervalSec + 5) * 1000
  for (const region of script.rules.regions.slice(script.lost)) {
    expect(world.looks.some((look) => look.monitor === monitor && look.region === region && look.at >= recent), `${region} looks`)
      .toBe(true)
  }
  expect(openRounds).toBeLessThan(8)
}

const laws = (run: Run): void => {
  noFalseAlarm(run)
  reportsOnce(run)
  endsInTruth(run)
  goesOn(run)
}

/** How long a result waits in its partition at most, ms; while its shard moves, and while the runner that holds it hangs. */
const usualWait = 20_000
const hungWait = 70_000

/** Each run takes some milliseconds; more runs find more. */
const runs = 600

describe("whatever fails", () => {
  it("no alarm is false, none is missed, each is reported once, and checks continue", () => {
    fc.assert(fc.property(anyScript([10, 30, 60]), (script) => play(script).forEach(laws)), { numRuns: runs })
  }, 120_000)

  it("a hung runner delays only its own shards, and those no longer than until it gives up and is taken over", () => {
    const anyHang = anyScript([10, 30]).chain((script) =>
      fc.tuple(fc.integer({ min: 2, max: 3 }), fc.integer({ min: 30, max: 200 })).map(([runners, length]): Script => ({
        ...script,
        runners,
        regionFaults: [],
        busOutages: [],
        databaseOutages: [],
        runnerFaults: [{ kind: "hang", runner: 0, from: 60, length, amount: 0 }]
      }))
    )
    fc.assert(
      fc.property(anyHang, (script) => {
        for (const { waits } of simulate(script).shards) {
          expect(waits.length).toBeGreaterThan(0)
          for (const { at, heldByFirst, waited } of waits) {
            expect(waited, `taken in at ${at}`).toBeLessThan(heldByFirst >= at - waited ? hungWait : usualWait)
          }
        }
      }),
      { numRuns: 200 }
    )
  }, 120_000)
})
