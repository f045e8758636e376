/** The schedule: each slot once at its start, edits immediately, no storm after a gap, and never a silent stop. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { Assignment } from "../../schema/check/Bus.ts"
import { phaseOf, slotAt, slotStart } from "../../src/domain/check/round/CheckSlot.ts"
import { makeRota } from "../../src/probe/Rota.ts"
import type { Duty, Rota } from "../../src/probe/Rota.ts"
import { assignmentOf } from "../support/Assignments.ts"

const start = 1_700_000_000_000
const url = "http://127.0.0.1/"

/** Advances time in ticks; checks end immediately, or never if `busy`. */
const pass = (rota: Rota, from: number, ms: number, tick = 50, busy = false): ReadonlyArray<Duty & { readonly at: number }> => {
  const made: Array<Duty & { readonly at: number }> = []
  for (let now = from; now <= from + ms; now += tick) {
    for (const duty of rota.takeDue(now, () => {})) {
      made.push({ ...duty, at: now })
      if (!busy) duty.post.busy = false
    }
  }
  return made
}

const assign = (rota: Rota, assignment: Assignment, now: number, partition = 0): void =>
  rota.change(partition, { monitorId: assignment.monitorId, assignment }, now)

describe("the schedule", () => {
  it("checks each slot once, at its start", () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 60 }), fc.nat(300_000), (intervalSec, offset) => {
        const rota = makeRota(start)
        const from = start + offset
        const assignment = assignmentOf({ url }, { intervalSec })
        assign(rota, assignment, from)
        const made = pass(rota, from, 1_000_000)
        const phase = phaseOf(assignment.monitorId, intervalSec * 1000)
        const first = slotAt(from - 1, phase, intervalSec * 1000) + 1
        expect(made.map(({ slot }) => slot)).toEqual(made.map((_, index) => first + index))
        expect(made.length).toBeGreaterThanOrEqual(Math.floor(1000 / intervalSec))
        for (const { at, due, slot } of made) {
          expect(due).toBe(slotStart(slot, phase, intervalSec * 1000))
          expect(at - due).toBeLessThanOrEqual(50)
        }
      }),
      { numRuns: 20 }
    )
  })

  it("checks within a minute of assignment, instead of waiting for the end of a long slot that may be unchecked", () => {
    fc.assert(
      fc.property(fc.integer({ min: 61, max: 86_400 }), fc.nat(86_400_000), (intervalSec, offset) => {
        const rota = makeRota(start)
        const from = start + offset
        const assignment = assignmentOf({ url }, { intervalSec })
        assign(rota, assignment, from)
        const phase = phaseOf(assignment.monitorId, intervalSec * 1000)
        const [first, second] = pass(rota, from, 60_050)
        expect(first!.slot).toBe(slotAt(first!.at, phase, intervalSec * 1000))
        // After that, at the start of each slot.
        expect(second?.due ?? first!.post.timer?.due).toBe(
          slotStart(slotAt(first!.at, phase, intervalSec * 1000) + 1, phase, intervalSec * 1000)
        )
      }),
      { numRuns: 20 }
    )
  })

  it("checks an edit immediately, and skips a slot that starts soon after", () => {
    for (let i = 0; i < 50; i++) {
      const rota = makeRota(start)
      assign(rota, assignmentOf({ url }, { changedAt: start - 1000 }), start)
      const [edit, next] = pass(rota, start, 120_000)
      expect(edit).toMatchObject({ at: start, due: start })
      expect(next!.due - start).toBeGreaterThanOrEqual(29_000)
      expect(next!.due - start).toBeLessThan(89_000)
    }
  })

  it("checks an edit in the same slot in all regions, even if they receive it in different slots", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 600 }),
        fc.nat(600_000),
        fc.nat(3000),
        fc.nat(3000),
        (intervalSec, offset, one, other) => {
          const changedAt = start + offset
          const assignment = assignmentOf({ url }, { intervalSec, changedAt })
          const slotsOf = (delay: number) => {
            const rota = makeRota(changedAt)
            assign(rota, assignment, changedAt + delay)
            return pass(rota, changedAt + delay, 1_300_000 - delay).map(({ slot }) => slot)
          }
          expect(slotsOf(one)).toEqual(slotsOf(other))
        }
      ),
      { numRuns: 30 }
    )
  })

  it("ignores replays and earlier revisions", () => {
    const rota = makeRota(start)
    const assignment = assignmentOf({ url }, { revision: 3, changedAt: start })
    assign(rota, assignment, start)
    expect(pass(rota, start, 1000)).toHaveLength(1)
    assign(rota, { ...assignment }, start + 1000)
    assign(rota, { ...assignment, revision: 2 }, start + 1000)
    expect(pass(rota, start + 1000, 10_000)).toHaveLength(0)
    assign(rota, { ...assignment, revision: 4 }, start + 12_000)
    expect(pass(rota, start + 12_000, 1000).map(({ post }) => post.assignment.revision)).toEqual([4])
  })

  it("replaces an assignment during a check, without delaying the new revision", () => {
    const rota = makeRota(start)
    const assignment = assignmentOf({ url }, { changedAt: start })
    assign(rota, assignment, start)
    expect(pass(rota, start, 0, 50, true)).toHaveLength(1)
    assign(rota, { ...assignment, revision: 2 }, start + 100)
    expect(pass(rota, start + 100, 100)).toHaveLength(1)
  })

  it("drops unassigned monitors, and monitors of partitions it no longer owns", () => {
    const rota = makeRota(start)
    const [one, two] = [assignmentOf({ url }), assignmentOf({ url })]
    rota.own(new Set([1, 2]))
    assign(rota, one, start, 1)
    assign(rota, two, start, 2)
    assign(rota, assignmentOf({ url }), start, 3)
    expect(rota.size()).toBe(2)
    rota.change(1, { monitorId: one.monitorId, assignment: null }, start)
    rota.own(new Set([1]))
    expect(rota.size()).toBe(0)
    expect(pass(rota, start, 120_000)).toHaveLength(0)
  })

  it("keeps a monitor that moves to another partition, whichever place it reads first, and its latest revision", () => {
    const assignment = assignmentOf({ url }, { revision: 2 })
    const { monitorId } = assignment
    const events: ReadonlyArray<(rota: Rota) => void> = [
      (rota) => assign(rota, { ...assignment, revision: 1 }, start, 1),
      (rota) => rota.change(1, { monitorId, assignment: null }, start),
      (rota) => assign(rota, assignment, start, 2)
    ]
    for (const order of [[0, 1, 2], [0, 2, 1], [2, 0, 1]]) {
      const rota = makeRota(start)
      rota.own(new Set([1, 2]))
      for (const n of order) events[n]?.(rota)
      expect(pass(rota, start, 60_000).at(-1)?.post.assignment.revision).toBe(2)
      rota.own(new Set([2]))
      expect(rota.size()).toBe(1)
      rota.change(2, { monitorId, assignment: null }, start)
      expect(rota.size()).toBe(0)
    }
  })

  it("skips a monitor whose last check is still running, and counts the skip", () => {
    const rota = makeRota(start)
    assign(rota, assignmentOf({ url }, { intervalSec: 10 }), start)
    const [first] = pass(rota, start, 10_000, 50, true)
    let skips = 0
    for (let now = start + 10_050; now <= start + 40_000; now += 50) expect(rota.takeDue(now, () => skips++)).toEqual([])
    expect(skips).toBe(3)
    first!.post.busy = false
    expect(pass(rota, start + 40_050, 10_000)).toHaveLength(1)
  })

  it("causes no storm after hours of sleep: checks each monitor once, spread over a minute", () => {
    const rota = makeRota(start)
    const intervals = [10, 60, 300, 86_400]
    for (let i = 0; i < 1000; i++) assign(rota, assignmentOf({ url }, { intervalSec: intervals[i % 4]! }), start)
    pass(rota, start, 60_000)
    const awake = start + 30 * 3_600_000
    const made = pass(rota, awake, 60_000)
    const bySecond = new Map<number, number>()
    for (const { at } of made) bySecond.set(Math.floor(at / 1000), (bySecond.get(Math.floor(at / 1000)) ?? 0) + 1)
    expect(Math.max(...bySecond.values())).toBeLessThan(120)
    const counts = new Map<string, number>()
    for (const { post } of made) counts.set(post.assignment.monitorId, (counts.get(post.assignment.monitorId) ?? 0) + 1)
    expect(counts.size).toBe(1000)
    for (const { post } of made) {
      if (post.rhythm.intervalMs >= 60_000) expect(counts.get(post.assignment.monitorId)).toBeLessThanOrEqual(2)
    }
  })

  it("continues after the clock steps back", () => {
    const rota = makeRota(start)
    for (let i = 0; i < 100; i++) assign(rota, assignmentOf({ url }), start)
    expect(pass(rota, start, 60_000).length).toBeGreaterThanOrEqual(100)
    const earlier = start - 3 * 3_600_000
    // Slightly more than one interval: every monitor has its check, and a few have a second one.
    const made = pass(rota, earlier, 60_100)
    expect(new Set(made.map(({ post }) => post.assignment.monitorId)).size).toBe(100)
    expect(made.length).toBeLessThan(110)
  })

  it("continues even if every tick is late", () => {
    const rota = makeRota(start)
    assign(rota, assignmentOf({ url }), start)
    expect(pass(rota, start, 3_600_000, 47_000).length).toBeGreaterThan(20)
  })

  describe("with confirmations", () => {
    /** Advances time; each check takes `tookMs` and ends as told. */
    const confirming = (rota: Rota, ms: number, isDown: (made: number) => boolean, tookMs = 0) => {
      const made: Array<Pick<Duty, "slot" | "attempt"> & { readonly at: number }> = []
      const open: Array<{ readonly duty: Duty; readonly endsAt: number; readonly isDown: boolean }> = []
      for (let now = start; now <= start + ms; now += 50) {
        for (const { duty, isDown } of open.filter(({ endsAt }) => endsAt === now)) {
          duty.post.busy = false
          rota.ended(duty.post, isDown, now)
        }
        for (const duty of rota.takeDue(now, () => {})) {
          Object.assign(duty.post.look, { slot: duty.slot, attempt: duty.attempt, at: now })
          open.push({ duty, endsAt: now + Math.max(tookMs, 50), isDown: isDown(made.length) })
          made.push({ slot: duty.slot, attempt: duty.attempt, at: now })
        }
      }
      return made
    }
    const assignment = (rest: Partial<Assignment> = {}) =>
      assignmentOf({ url }, { intervalSec: 60, timeoutMs: 5000, confirm: { afterSec: 10, most: 2 }, ...rest })

    it("repeats a failed check in its slot, as often as wanted, and none that succeeds", () => {
      const rota = makeRota(start)
      assign(rota, assignment(), start)
      const failing = confirming(rota, 200_000, () => true)
      expect(failing.slice(0, 5).map(({ attempt }) => attempt)).toEqual([0, 1, 2, 0, 0])
      expect(failing.slice(0, 3).map(({ at }) => at - failing[0]!.at)).toEqual([0, 10_000, 20_000])
      expect(new Set(failing.slice(0, 3).map(({ slot }) => slot)).size).toBe(1)
      const recovering = makeRota(start)
      assign(recovering, assignment(), start)
      expect(confirming(recovering, 200_000, (made) => made % 2 === 0).slice(0, 4).map(({ attempt }) => attempt))
        .toEqual([0, 1, 0, 1])
    })

    it("repeats a slow check as soon as it has ended", () => {
      const rota = makeRota(start)
      assign(rota, assignment({ timeoutMs: 15_000 }), start)
      const made = confirming(rota, 100_000, () => true, 15_000)
      expect(made.slice(0, 3).map(({ at }) => at - made[0]!.at)).toEqual([0, 15_000, 30_000])
    })

    it("never costs a slot its own check", () => {
      fc.assert(
        fc.property(
          fc.integer({ min: 10, max: 120 }),
          fc.integer({ min: 1, max: 60 }),
          fc.integer({ min: 1, max: 9 }),
          fc.integer({ min: 1, max: 200 }),
          fc.infiniteStream(fc.boolean()),
          (intervalSec, afterSec, most, took, outcomes) => {
            const timeoutMs = Math.min(intervalSec * 1000, 10_000)
            const rota = makeRota(start)
            assign(rota, assignment({ intervalSec, timeoutMs, confirm: { afterSec, most } }), start)
            const ends = outcomes[Symbol.iterator]()
            const tookMs = Math.min(took * 50, timeoutMs - 50)
            const made = confirming(rota, 600_000, () => ends.next().value ?? false, tookMs)
            const own = made.filter(({ attempt }) => attempt === 0)
            expect(own.map(({ slot }) => slot)).toEqual(own.map((_, index) => own[0]!.slot + index))
            for (const { attempt } of made) expect(attempt).toBeLessThanOrEqual(most)
          }
        ),
        { numRuns: 30 }
      )
    })
  })
})
