/** Since when no report can have been missed, from what processes record that begin, beat and die at any time. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { beat, begin, interrupt, listened, type Listeners } from "../../../src/domain/monitor/ListeningProcesses.ts"

const start = 1_700_000_000_000
const second = 1000
const none: Listeners = []

/** A process from its begin until it is killed, s. */
interface Life {
  readonly from: number
  readonly to: number
}

/** The record at a time (s) if these processes live: each beats every 3 s. */
const recordedAt = (lives: ReadonlyArray<Life>, until: number, before = none): Listeners =>
  lives.flatMap(({ from, to }, index) =>
    Array.from({ length: Math.floor((to - from) / 3) + 1 }, (_, beats) => ({
      id: `${index}`,
      at: from + 3 * beats,
      record: beats === 0 ? begin : beat
    }))
  ).filter(({ at }) => at <= until).sort((a, b) => a.at - b.at).reduce(
    (listeners, { at, id, record }) => record(listeners, id, start + at * second),
    before
  )

/** Seconds after the start. */
const at = (listeners: Listeners, now: number) => {
  const { openUntil, since } = listened(listeners, start + now * second)
  return { since: (since - start) / second, openUntil: openUntil === null ? null : (openUntil - start) / second }
}

describe("reports were received all the time", () => {
  it("while one process listens, however many others begin together and die early", () => {
    const life = fc.record({
      from: fc.double({ min: 1, max: 120, noNaN: true }),
      lasts: fc.double({ min: 0, max: 60, noNaN: true })
    })
    const others = fc.array(life.map(({ from, lasts }) => ({ from, to: from + lasts })), { maxLength: 12 })
    fc.assert(fc.property(others, fc.double({ min: 1, max: 120, noNaN: true }), (lives, now) => {
      expect(at(recordedAt([{ from: 0, to: 200 }, ...lives], now), now).since).toBeCloseTo(0, 2)
    }))
  })

  it("through a chain of processes, each of which began while the one before still listened", () => {
    const chain = Array.from({ length: 10 }, (_, index) => ({ from: 60 * index, to: 60 * index + 65 }))
    for (let now = 4; now < 600; now += 7) expect(at(recordedAt(chain, now), now).since).toBe(0)
  })
})

describe("reports may have been missed", () => {
  it("before a process that began while no other listened, however short the pause was", () => {
    const lives = fc.array(
      fc.record({ from: fc.integer({ min: 0, max: 120 }), lasts: fc.integer({ min: 0, max: 60 }) }).map(({ from, lasts }) => ({
        from: from + from / 1000,
        to: from + from / 1000 + lasts
      })),
      { minLength: 1, maxLength: 12 }
    )
    fc.assert(fc.property(lives, fc.integer({ min: 0, max: 130 }), (processes, now) => {
      const begun = processes.map(({ from }) => from).filter((from) => from <= now)
      const alone = begun.filter((time) => !processes.some(({ from, to }) => from < time && time <= to))
      const { openUntil, since } = at(recordedAt(processes, now), now)
      if (openUntil === null && alone.length > 0) expect(since).toBeGreaterThanOrEqual(Math.max(...alone) - 0.001)
      else if (openUntil !== null) expect(openUntil).toBeLessThanOrEqual(now + 4)
    }))
  })

  it("which stays open for as long as those before it may take to beat", () => {
    const lives = [{ from: -3600, to: -2 }, { from: 0, to: 100 }]
    expect(at(recordedAt(lives, 3), 3)).toEqual({ since: -3600, openUntil: 4 })
    expect(at(recordedAt(lives, 4), 4)).toEqual({ since: 0, openUntil: null })
    expect(at(recordedAt(lives, 40), 40)).toEqual({ since: 0, openUntil: null })
  })

  it("while no process has sent a beat for 10 s", () => {
    expect(at(recordedAt([{ from: 0, to: 60 }], 70), 70).since).toBe(0)
    expect(at(recordedAt([{ from: 0, to: 60 }], 71), 71).since).toBe(71)
    expect(at(none, 5).since).toBe(5)
  })

  it("in spite of processes that listen, if one of them lost some", () => {
    const both = recordedAt([{ from: 0, to: 100 }, { from: 10, to: 100 }], 60)
    const lost = interrupt(both, "1", start + 61 * second)
    expect(at(lost, 61).since).toBe(61)
    expect(at(beat(beat(lost, "0", start + 62 * second), "1", start + 64 * second), 65).since).toBe(61)
  })
})

describe("the record", () => {
  it("names only the processes of the last minute", () => {
    const lives = Array.from({ length: 50 }, (_, index) => ({ from: 20 * index, to: 20 * index + 1 }))
    expect(recordedAt(lives, 1000).length).toBeLessThanOrEqual(5)
  })
})
