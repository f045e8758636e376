import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration, FastCheck } from "effect"
import {
  calmTime,
  type Change,
  endsAt,
  flappingTroubles,
  flappingWindow,
  noStreak,
  type Streak,
  takeChange,
  type Telling
} from "../../../src/domain/alert/Flapping.ts"

const start = DateTime.unsafeMake("2026-11-20T08:00:00Z")

/** Changes of one monitor in order: each with the time since the one before. */
const history = FastCheck.array(
  FastCheck.record({ afterSec: FastCheck.integer({ min: 0, max: 2400 }), troubled: FastCheck.boolean() }),
  { maxLength: 40 }
).map((steps) => {
  let at = start
  return steps.map(({ afterSec, troubled }): Change => ({ at: at = DateTime.add(at, { seconds: afterSec }), troubled }))
})

type Told = Telling | "ended"

/** What a channel hears: the runner ends a streak as soon as it is due, before any later change. */
const hear = (changes: ReadonlyArray<Change>) => {
  const told: Array<{ readonly at: DateTime.Utc; readonly told: Told }> = []
  let streak: Streak | null = null
  const end = (now: DateTime.Utc | null) => {
    if (streak === null || (now !== null && DateTime.greaterThan(endsAt(streak), now))) return
    if (streak.flapping) told.push({ at: endsAt(streak), told: "ended" })
    streak = null
  }
  for (const change of changes) {
    end(change.at)
    const taken = takeChange(streak ?? noStreak(change.at), change)
    streak = taken.streak
    told.push({ at: change.at, told: taken.telling })
  }
  end(null)
  return told
}

/**
 * The troubles of a history, independently of the machine. One that becomes worse after a calm time is a new one, because what
 * was before is forgotten.
 */
const troublesOf = (changes: ReadonlyArray<Change>) =>
  changes.filter(({ at, troubled }, index) => {
    const before = changes[index - 1]
    return troubled && (before?.troubled !== true || DateTime.distance(before.at, at) >= Duration.toMillis(calmTime))
  })

describe("a flapping monitor", () => {
  it.prop("is reported once, and its end once, before it can be reported again", [history], ([changes]) => {
    const marks = hear(changes).map(({ told }) => told).filter((told) => told === "flapping" || told === "ended")
    expect(marks).toEqual(marks.map((_, index) => (index % 2 === 0 ? "flapping" : "ended")))
    // Nothing stays open: a reader who got the report gets its end.
    expect(marks.length % 2).toBe(0)
  })

  it.prop("sends no alert of its own until that has ended", [history], ([changes]) => {
    let flapping = false
    for (const { told } of hear(changes)) {
      if (told === "flapping") flapping = true
      if (told === "ended") flapping = false
      expect(told === "nothing").toBe(flapping && told !== "flapping")
    }
  })

  it.prop("is not reported before its third trouble within half an hour", [history], ([changes]) => {
    for (const { at } of hear(changes).filter(({ told }) => told === "flapping")) {
      const oldest = DateTime.subtractDuration(at, flappingWindow)
      const recent = troublesOf(changes).filter((one) =>
        DateTime.greaterThan(one.at, oldest) && DateTime.lessThanOrEqualTo(one.at, at)
      )
      expect(recent.length).toBeGreaterThanOrEqual(flappingTroubles)
    }
  })

  it.prop("ends when nothing has changed for 15 minutes", [history], ([changes]) => {
    for (const { at } of hear(changes).filter(({ told }) => told === "ended")) {
      const before = DateTime.subtractDuration(at, calmTime)
      const meanwhile = changes.filter((one) => DateTime.greaterThan(one.at, before) && DateTime.lessThan(one.at, at))
      expect(meanwhile).toEqual([])
      expect(changes.some((one) => DateTime.Equivalence(one.at, before))).toBe(true)
    }
  })

  it.prop("forgets what it does not need", [history], ([changes]) => {
    const last = changes.reduce<Streak>((streak, change) => takeChange(streak, change).streak, noStreak(start))
    expect(last.troubles.length).toBeLessThanOrEqual(flappingTroubles)
  })

  it("is every outage of a service that fails every five minutes, from the third on", () => {
    const changes = [0, 2, 5, 7, 10, 12, 15].map((minutes, index): Change => ({
      at: DateTime.add(start, { minutes }),
      troubled: index % 2 === 0
    }))
    expect(hear(changes).map(({ told }) => told))
      .toEqual(["alert", "alert", "alert", "alert", "flapping", "nothing", "nothing", "ended"])
  })

  it("is not one that becomes worse, or that recovers for good", () => {
    const changes = [true, true, true, true, false].map((troubled, minutes): Change => ({
      at: DateTime.add(start, { minutes }),
      troubled
    }))
    expect(hear(changes).map(({ told }) => told)).toEqual(["alert", "alert", "alert", "alert", "alert"])
  })
})
