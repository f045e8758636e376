/** The schedule: each slot once at its start, edits immediately, no storm after a gap, and never a silent stop. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { Assignment } from "../../schema/check/Bus.ts"
import { phaseOf, slotAt, slotStart } from "../../src/domain/check/round/CheckSlot.ts"
import { makeProbeSchedule } from "../../src/probe/ProbeSchedule.ts"
import type { DueCheck, ProbeSchedule } from "../../src/probe/ProbeSchedule.ts"
import { assignmentOf, lateInSlot } from "../support/probe/Assignments.ts"

const start = 1_700_000_000_000
const url = "http://127.0.0.1/"

/** Advances time in ticks; checks end immediately, or never if `busy`. */
const pass = (
  schedule: ProbeSchedule,
  from: number,
  ms: number,
  tick = 50,
  busy = false
): ReadonlyArray<DueCheck & { readonly at: number }> => {
  const made: Array<DueCheck & { readonly at: number }> = []
  for (let now = from; now <= from + ms; now += tick) {
    for (const dueCheck of schedule.takeDue(now, () => {})) {
      made.push({ ...dueCheck, at: now })
      if (!busy) dueCheck.monitor.busy = false
    }
  }
  return made
}

const assign = (schedule: ProbeSchedule, assignment: Assignment, now: number, partition = 0): void =>
  schedule.change(partition, { monitorId: assignment.monitorId, assignment }, now)

describe("the schedule", () => {
  it("checks each slot once, at its start; if it takes a monitor over, also one that began just before, a little later", () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 60 }), fc.nat(300_000), (intervalSec, offset) => {
        const schedule = makeProbeSchedule(start)
        const from = start + offset
        const assignment = assignmentOf({ url }, { intervalSec })
        assign(schedule, assignment, from)
        const made = pass(schedule, from, 1_000_000)
        const phase = phaseOf(assignment.monitorId, intervalSec * 1000)
        const before = slotAt(from - 1, phase, intervalSec * 1000)
        const handOver = Math.min(15_000, intervalSec * 500)
        const isLeft = slotStart(before, phase, intervalSec * 1000) + handOver >= from
        const first = isLeft ? before : before + 1
        expect(made.map(({ slot }) => slot)).toEqual(made.map((_, index) => first + index))
        expect(made.length).toBeGreaterThanOrEqual(Math.floor(1000 / intervalSec))
        for (const { at, due, slot } of made) {
          expect(due - slotStart(slot, phase, intervalSec * 1000)).toBe(slot === before ? handOver : 0)
          expect(at - due).toBeLessThanOrEqual(50)
        }
      }),
      { numRuns: 20 }
    )
  })

  it("checks within a minute of assignment, instead of waiting for the end of a long slot that may be unchecked", () => {
    fc.assert(
      fc.property(fc.integer({ min: 61, max: 86_400 }), fc.nat(86_400_000), (intervalSec, offset) => {
        const schedule = makeProbeSchedule(start)
        const from = start + offset
        const assignment = assignmentOf({ url }, { intervalSec })
        assign(schedule, assignment, from)
        const phase = phaseOf(assignment.monitorId, intervalSec * 1000)
        const [first, second] = pass(schedule, from, 60_050)
        expect(first!.slot).toBe(slotAt(first!.at, phase, intervalSec * 1000))
        // After that, at the start of each slot.
        expect(second?.due ?? first!.monitor.timer?.due).toBe(
          slotStart(slotAt(first!.at, phase, intervalSec * 1000) + 1, phase, intervalSec * 1000)
        )
      }),
      { numRuns: 20 }
    )
  })

  it("checks an edit immediately, and from then on at least once an interval", () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 600 }), fc.nat(10_000), (intervalSec, ago) => {
        const schedule = makeProbeSchedule(start)
        assign(schedule, assignmentOf({ url }, { intervalSec, changedAt: start - ago }), start)
        const made = pass(schedule, start, 2_000_000)
        expect(made[0]).toMatchObject({ at: start })
        for (const [index, { at }] of made.entries()) {
          // One tick late, and one more if the slot after the edit had begun long ago.
          expect(at - (made[index - 1]?.at ?? start)).toBeLessThanOrEqual(intervalSec * 1000 + 100)
        }
      }),
      { numRuns: 30 }
    )
  })

  it("takes over a monitor whose edit is older than its interval as any other: its worker before has checked that", () => {
    const checked = (assignment: Assignment) => {
      const schedule = makeProbeSchedule(start)
      assign(schedule, assignment, start)
      return pass(schedule, start, 60_000).map(({ at, slot }) => ({ at, slot }))
    }
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 29 }), fc.nat(1000), (intervalSec, part) => {
        const ago = intervalSec * 1000 + 1 + Math.round(part / 1000 * (30_000 - intervalSec * 1000 - 1))
        const long = assignmentOf({ url }, { intervalSec, changedAt: start - 3_600_000 })
        expect(checked({ ...long, changedAt: start - ago })).toEqual(checked(long))
      })
    )
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
            const schedule = makeProbeSchedule(changedAt)
            assign(schedule, assignment, changedAt + delay)
            const last = changedAt + 1_300_000
            // A slot that starts after the last tick of one of them is seen by the other alone.
            return pass(schedule, changedAt + delay, last - changedAt - delay).filter(({ due }) => due <= last - 50).map((
              { slot }
            ) => slot)
          }
          expect(slotsOf(one)).toEqual(slotsOf(other))
        }
      ),
      { numRuns: 30 }
    )
  })

  it("ignores replays and earlier revisions", () => {
    const schedule = makeProbeSchedule(start)
    const assignment = assignmentOf({ url }, { intervalSec: 86_400, revision: 3, changedAt: start })
    assign(schedule, assignment, start)
    expect(pass(schedule, start, 1000)).toHaveLength(1)
    assign(schedule, { ...assignment }, start + 1000)
    assign(schedule, { ...assignment, revision: 2 }, start + 1000)
    expect(pass(schedule, start + 1000, 10_000)).toHaveLength(0)
    assign(schedule, { ...assignment, revision: 4 }, start + 12_000)
    expect(pass(schedule, start + 12_000, 1000).map(({ monitor }) => monitor.assignment.revision)).toEqual([4])
  })

  it("replaces an assignment during a check, without delaying the new revision", () => {
    const schedule = makeProbeSchedule(start)
    const assignment = assignmentOf({ url }, { changedAt: start })
    assign(schedule, assignment, start)
    expect(pass(schedule, start, 0, 50, true)).toHaveLength(1)
    assign(schedule, { ...assignment, revision: 2 }, start + 100)
    expect(pass(schedule, start + 100, 100)).toHaveLength(1)
  })

  it("drops unassigned monitors, and monitors of partitions it no longer owns", () => {
    const schedule = makeProbeSchedule(start)
    const [one, two] = [assignmentOf({ url }), assignmentOf({ url })]
    schedule.own(new Set([1, 2]))
    assign(schedule, one, start, 1)
    assign(schedule, two, start, 2)
    assign(schedule, assignmentOf({ url }), start, 3)
    expect(schedule.size()).toBe(2)
    schedule.change(1, { monitorId: one.monitorId, assignment: null }, start)
    schedule.own(new Set([1]))
    expect(schedule.size()).toBe(0)
    expect(pass(schedule, start, 120_000)).toHaveLength(0)
  })

  it("keeps a monitor that moves to another partition, whichever place it reads first, and its latest revision", () => {
    const assignment = assignmentOf({ url }, { revision: 2 })
    const { monitorId } = assignment
    const events: ReadonlyArray<(schedule: ProbeSchedule) => void> = [
      (schedule) => assign(schedule, { ...assignment, revision: 1 }, start, 1),
      (schedule) => schedule.change(1, { monitorId, assignment: null }, start),
      (schedule) => assign(schedule, assignment, start, 2)
    ]
    for (const order of [[0, 1, 2], [0, 2, 1], [2, 0, 1]]) {
      const schedule = makeProbeSchedule(start)
      schedule.own(new Set([1, 2]))
      for (const n of order) events[n]?.(schedule)
      expect(pass(schedule, start, 60_000).at(-1)?.monitor.assignment.revision).toBe(2)
      schedule.own(new Set([2]))
      expect(schedule.size()).toBe(1)
      schedule.change(2, { monitorId, assignment: null }, start)
      expect(schedule.size()).toBe(0)
    }
  })

  it("skips a monitor whose last check is still running, and counts the skip", () => {
    const schedule = makeProbeSchedule(start)
    assign(schedule, assignmentOf({ url }, { intervalSec: 10 }), start)
    const [first] = pass(schedule, start, 10_000, 50, true)
    let skips = 0
    for (let now = start + 10_050; now <= start + 40_000; now += 50) expect(schedule.takeDue(now, () => skips++)).toEqual([])
    expect(skips).toBe(3)
    first!.monitor.busy = false
    expect(pass(schedule, start + 40_050, 10_000)).toHaveLength(1)
  })

  it("causes no storm after hours of sleep: checks each monitor once, spread over a minute", () => {
    const schedule = makeProbeSchedule(start)
    const intervals = [10, 60, 300, 86_400]
    for (let i = 0; i < 1000; i++) assign(schedule, assignmentOf({ url }, { intervalSec: intervals[i % 4]! }), start)
    pass(schedule, start, 60_000)
    const awake = start + 30 * 3_600_000
    const made = pass(schedule, awake, 60_000)
    const bySecond = new Map<number, number>()
    for (const { at } of made) bySecond.set(Math.floor(at / 1000), (bySecond.get(Math.floor(at / 1000)) ?? 0) + 1)
    expect(Math.max(...bySecond.values())).toBeLessThan(120)
    const counts = new Map<string, number>()
    for (const { monitor } of made) counts.set(monitor.assignment.monitorId, (counts.get(monitor.assignment.monitorId) ?? 0) + 1)
    expect(counts.size).toBe(1000)
    for (const { monitor } of made) {
      if (monitor.rhythm.intervalMs >= 60_000) expect(counts.get(monitor.assignment.monitorId)).toBeLessThanOrEqual(2)
    }
  })

  it("continues after the clock steps back", () => {
    const schedule = makeProbeSchedule(start)
    for (let i = 0; i < 100; i++) assign(schedule, assignmentOf({ url }), start)
    expect(pass(schedule, start, 60_000).length).toBeGreaterThanOrEqual(100)
    const earlier = start - 3 * 3_600_000
    // Slightly more than one interval: every monitor has its check, and a few have a second one.
    const made = pass(schedule, earlier, 60_100)
    expect(new Set(made.map(({ monitor }) => monitor.assignment.monitorId)).size).toBe(100)
    expect(made.length).toBeLessThan(110)
  })

  it("continues even if every tick is late", () => {
    const schedule = makeProbeSchedule(start)
    assign(schedule, assignmentOf({ url }), start)
    expect(pass(schedule, start, 3_600_000, 47_000).length).toBeGreaterThan(20)
  })

  describe("with confirmations", () => {
    /** Advances time; each check takes `tookMs` and ends as told. */
    const confirming = (
      schedule: ProbeSchedule,
      ms: number,
      isDown: (made: number) => boolean,
      took: number | ((made: number) => number) = 0
    ) => {
      const made: Array<Pick<DueCheck, "slot" | "attempt"> & { readonly at: number }> = []
      const open: Array<{ readonly dueCheck: DueCheck; readonly endsAt: number; readonly isDown: boolean }> = []
      for (let now = start; now <= start + ms; now += 50) {
        for (const { dueCheck, isDown } of open.filter(({ endsAt }) => endsAt === now)) {
          dueCheck.monitor.busy = false
          dueCheck.monitor.run.stage = "idle"
          schedule.ended(dueCheck.monitor, isDown, now)
        }
        for (const dueCheck of schedule.takeDue(now, () => {})) {
          Object.assign(dueCheck.monitor.run, { slot: dueCheck.slot, attempt: dueCheck.attempt, at: now, stage: "under_way" })
          const tookMs = typeof took === "number" ? took : took(made.length)
          open.push({ dueCheck, endsAt: now + Math.max(tookMs, 50), isDown: isDown(made.length) })
          made.push({ slot: dueCheck.slot, attempt: dueCheck.attempt, at: now })
        }
      }
      return made
    }
    type Rest = Partial<Omit<Assignment, "secrets" | "target">>

    const assignment = (rest: Rest = {}) =>
      assignmentOf({ url }, { intervalSec: 60, timeoutMs: 5000, confirm: { afterSec: 10, most: 2 }, ...rest })

    const checkedBefore = (rest: Rest = {}): Assignment => lateInSlot(() => assignment(rest), start)

    it("repeats a failed check in its slot, as often as wanted, and none that succeeds", () => {
      const schedule = makeProbeSchedule(start)
      assign(schedule, checkedBefore(), start)
      const failing = confirming(schedule, 200_000, () => true)
      expect(failing.slice(0, 5).map(({ attempt }) => attempt)).toEqual([0, 1, 2, 0, 0])
      // 10 s after each end: the checks of this test take 50 ms.
      expect(failing.slice(0, 3).map(({ at }) => at - failing[0]!.at)).toEqual([0, 10_050, 20_100])
      expect(new Set(failing.slice(0, 3).map(({ slot }) => slot)).size).toBe(1)
      const recovering = makeProbeSchedule(start)
      assign(recovering, checkedBefore(), start)
      expect(confirming(recovering, 200_000, (made) => made % 2 === 0).slice(0, 4).map(({ attempt }) => attempt))
        .toEqual([0, 1, 0, 1])
    })

    it("repeats a check that took long sooner, so that the repetition ends in time, but 10 s after its end at the earliest", () => {
      const schedule = makeProbeSchedule(start)
      const confirm = { afterSec: 30, most: 1 }
      assign(schedule, checkedBefore({ timeoutMs: 15_000, confirm }), start)
      const made = confirming(schedule, 100_000, () => true, 8000)
      expect(made.slice(0, 2).map(({ at }) => at - made[0]!.at)).toEqual([0, 22_000])
      const hanging = makeProbeSchedule(start)
      assign(hanging, checkedBefore({ timeoutMs: 15_000, confirm }), start)
      const slow = confirming(hanging, 100_000, () => true, 15_000)
      expect(slow.slice(0, 2).map(({ at }) => at - slow[0]!.at)).toEqual([0, 25_000])
    })

    it("repeats sooner after the end of a check if that is wanted", () => {
      const schedule = makeProbeSchedule(start)
      assign(schedule, checkedBefore({ timeoutMs: 15_000, confirm: { afterSec: 3, most: 2 } }), start)
      const made = confirming(schedule, 100_000, () => true, 15_000)
      expect(made.slice(0, 3).map(({ at }) => at - made[0]!.at)).toEqual([0, 18_000, 36_000])
    })

    it("starts the next slot's check when a repetition that lasts beyond its beginning has ended", () => {
      const schedule = makeProbeSchedule(start)
      assign(schedule, checkedBefore({ intervalSec: 20, timeoutMs: 10_000, confirm: { afterSec: 10, most: 1 } }), start)
      const took = [50, 10_000, 50, 50]
      const made = confirming(schedule, 100_000, () => true, (index) => took[index] ?? 50)
      expect(made.slice(0, 4).map(({ at, attempt }) => [at - made[0]!.at, attempt])).toEqual([
        [0, 0],
        [10_050, 1],
        [20_250, 0],
        [40_000, 0]
      ])
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
            const schedule = makeProbeSchedule(start)
            assign(schedule, assignment({ intervalSec, timeoutMs, confirm: { afterSec, most } }), start)
            const ends = outcomes[Symbol.iterator]()
            const tookMs = Math.min(took * 50, timeoutMs - 50)
            const made = confirming(schedule, 600_000, () => ends.next().value ?? false, tookMs)
            const own = made.filter(({ attempt }) => attempt === 0)
            // A check that took nearly the interval may leave no time to rest before the next slot ends.
            const restSec = Math.min(afterSec, 10)
            if (tookMs + restSec * 1000 < intervalSec * 1000) {
              expect(own.map(({ slot }) => slot)).toEqual(own.map((_, index) => own[0]!.slot + index))
            }
            for (const { attempt } of made) expect(attempt).toBeLessThanOrEqual(most)
          }
        ),
        { numRuns: 100 }
      )
    })
  })
})
