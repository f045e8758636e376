/** A region that is cut off for an hour and then sends what it has kept, in simulated time: nothing alarms falsely. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { Outcome } from "../../schema/check/Check.ts"
import type { Rules } from "../../schema/monitor/Monitor.ts"
import { makeRunners } from "./Runners.ts"
import { makeChoices, makeWorld, regionIds, type Script, start, tickMs, truthStep } from "./World.ts"

const cut = { from: 120, length: 3600 }
const endSec = cut.from + cut.length + 600

const rulesOf = (regions: number): Rules => ({
  intervalSec: 60,
  timeoutMs: 5000,
  failureThreshold: 2,
  recoveryThreshold: 1,
  confirmAfterSec: 30,
  failureRate: null,
  regions: regionIds.slice(0, regions)
})

/** The outcomes of a target that is down for a stretch, s. */
const truthOf = (downFrom: number, downFor: number): ReadonlyArray<Outcome> =>
  Array.from({ length: Math.ceil(endSec / truthStep) }, (_, step) => {
    const at = step * truthStep
    return at >= downFrom && at < downFrom + downFor ? "down" : "up"
  })

const play = (regions: number, truth: ReadonlyArray<Outcome>, seed: number) => {
  const script: Script = {
    rules: rulesOf(regions),
    truth: [Array.from({ length: 5 }, () => truth)],
    regionFaults: [{ ...cut, region: 0, kind: "cut", amount: 0 }],
    runnerFaults: [],
    busOutages: [],
    databaseOutages: [],
    lost: 0,
    runners: 2,
    seed
  }
  const choices = makeChoices(seed)
  const world = makeWorld(script, choices, start + endSec * 1000)
  const runners = makeRunners(script, world, choices)
  for (let now = start; now <= start + endSec * 1000; now += tickMs) {
    world.tick(now)
    runners.tick(now)
  }
  const changes = runners.shards[0]?.transitions ?? []
  return { changes, log: world.log(0), states: changes.map(({ to }) => to) }
}

const backAt = start + (cut.from + cut.length) * 1000

describe("a region that was away for an hour", () => {
  it.each([1, 3])("of %i alarms nobody when it returns, and what it kept arrives", (regions) => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { log, states } = play(regions, truthOf(0, 0), seed)
        expect(states).toEqual(["up"])
        const kept = log.filter(({ loggedAt, result }) =>
          result.region === regionIds[0] && loggedAt >= backAt && result.at < backAt - 60_000
        )
        expect(new Set(kept.map(({ result }) => result.slot)).size).toBeGreaterThan(55)
      }),
      { numRuns: 10 }
    )
  })

  it("does not repeat an outage that the others have announced, and ended, meanwhile", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 400, max: 2800 }), fc.integer({ min: 200, max: 600 }), (seed, from, length) => {
        const { changes, states } = play(3, truthOf(from, length), seed)
        expect(states).toEqual(["up", "down", "up"])
        // It was announced while the region was away, not when it came back.
        expect(changes.every(({ committedAt }) => committedAt < backAt)).toBe(true)
      }),
      { numRuns: 20 }
    )
  })
})
