import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration, FastCheck } from "effect"
import {
  type Announcement,
  calmTime,
  type Change,
  endsAt,
  flappingTroubles,
  flappingWindow,
  noStreak,
  type Streak,
  takeChange
} from "../../../src/domain/alert/Flapping.ts"

const start = DateTime.unsafeMake("2026-11-20T08:00:00Z")

const anyState: ReadonlyArray<Change["state"]> = ["down", "degraded", "up"]

/** Changes of one monitor in order: each with the time since the one before. */
const history = FastCheck.array(
  FastCheck.record({
    afterSec: FastCheck.integer({ min: 0, max: 2400 }),
    state: FastCheck.constantFrom(...anyState)
  }),
  { maxLength: 40 }
).map((steps) => {
  let at = start
  return steps.map(({ afterSec, state }): Change => ({ at: at = DateTime.add(at, { seconds: afterSec }), state }))
})

type Announced = Announcement | "ended"

/** The alerts of a channel: the runner ends a streak as soon as it is due, before any later change. */
const hear = (changes: ReadonlyArray<Change>) => {
  const announced: Array<{ readonly at: DateTime.Utc; readonly announced: Announced; readonly state: Change["state"] | null }> =
    []
  let streak: Streak | null = null
  const end = (now: DateTime.Utc | null) => {
    if (streak === null || (now !== null && DateTime.greaterThan(endsAt(streak), now))) return
    if (streak.flapping) announced.push({ at: endsAt(streak), announced: "ended", state: null })
    streak = null
  }
  for (const change of changes) {
    end(change.at)
    const taken = takeChange(streak ?? noStreak(change.at), change)
    streak = taken.streak
    announced.push({ ...change, announced: taken.announcement })
  }
  end(null)
  return announced
}

/**
 * The troubles of a history, independently of the machine. One that becomes worse after a calm time is a new one, because what
 * was before is forgotten.
 */
const troublesOf = (changes: ReadonlyArray<Change>) =>
  changes.filter(({ at, state }, index) => {
    const before = changes[index - 1]
    return state !== "up" &&
      (before === undefined || before.state === "up" || DateTime.distance(before.at, at) >= Duration.toMillis(calmTime))
  })

describe("a flapping monitor", () => {
  it.prop("is reported once, and its end once, before it can be reported again", [history], ([changes]) => {
    const marks = hear(changes).map(({ announced }) => announced).filter((announced) =>
      announced === "flapping" || announced === "ended"
    )
    expect(marks).toEqual(marks.map((_, index) => (index % 2 === 0 ? "flapping" : "ended")))
    // Nothing stays open: a reader who got the report gets its end.
    expect(marks.length % 2).toBe(0)
  })

  it.prop(
    "sends no alert of its own until that has ended, except for its first outage and what follows that",
    [history],
    ([changes]) => {
      let flapping = false
      let alerts: Array<Change["state"] | null> = []
      for (const { state, announced } of hear(changes)) {
        if (announced === "flapping") {
          flapping = true
          alerts = []
        } else if (announced === "ended") flapping = false
        else if (flapping && announced === "alert") alerts.push(state)
        else expect(announced === "nothing").toBe(flapping)
        expect(alerts.length).toBeLessThanOrEqual(2)
        expect(alerts[0] ?? "down").toBe("down")
      }
    }
  )

  it.prop("never hides that it is down if all that was announced since half an hour before it flapped is that it is degraded", [
    history
  ], ([changes]) => {
    const heard = hear(changes)
    heard.forEach(({ state, announced }, index) => {
      if (state !== "down" || announced !== "nothing") return
      const began = heard.slice(0, index).findLastIndex((one) => one.announced === "flapping")
      const beginning = heard[began]
      if (beginning === undefined) throw new Error("Nothing is announced although nothing flaps")
      const oldest = DateTime.subtractDuration(beginning.at, flappingWindow)
      const outages = heard.slice(0, index).filter((one) =>
        one.state === "down" && one.announced !== "nothing" && DateTime.greaterThan(one.at, oldest)
      )
      expect(outages.length).toBeGreaterThan(0)
    })
  })

  it("that was only degraded is reported as down when it goes down, and as up again, once", () => {
    const states: ReadonlyArray<Change["state"]> = ["degraded", "up", "degraded", "up", "degraded", "down", "up", "down", "up"]
    const changes = states.map((state, minutes): Change => ({ at: DateTime.add(start, { minutes }), state }))
    expect(hear(changes).map(({ announced }) => announced))
      .toEqual(["alert", "alert", "alert", "alert", "flapping", "alert", "alert", "nothing", "nothing", "ended"])
  })

  it("is reported as down although it was down before, but for so short that perhaps nobody was alerted", () => {
    const sequence = (downSec: number) =>
      [["down", 0], ["up", downSec], ["degraded", 300], ["up", 400], ["degraded", 500], ["down", 600]] as const
    const announcedAt = (downSec: number) =>
      hear(sequence(downSec).map(([state, seconds]): Change => ({ at: DateTime.add(start, { seconds }), state })))
        .map(({ announced }) => announced)
    expect(announcedAt(50)).toEqual(["alert", "alert", "alert", "alert", "flapping", "alert", "ended"])
    expect(announcedAt(70)).toEqual(["alert", "alert", "alert", "alert", "flapping", "nothing", "ended"])
  })

  it.prop("is not reported before its third trouble within half an hour", [history], ([changes]) => {
    for (const { at } of hear(changes).filter(({ announced }) => announced === "flapping")) {
      const oldest = DateTime.subtractDuration(at, flappingWindow)
      const recent = troublesOf(changes).filter((one) =>
        DateTime.greaterThan(one.at, oldest) && DateTime.lessThanOrEqualTo(one.at, at)
      )
      expect(recent.length).toBeGreaterThanOrEqual(flappingTroubles)
    }
  })

  it.prop("ends when nothing has changed for 15 minutes", [history], ([changes]) => {
    for (const { at } of hear(changes).filter(({ announced }) => announced === "ended")) {
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
      state: index % 2 === 0 ? "down" : "up"
    }))
    expect(hear(changes).map(({ announced }) => announced))
      .toEqual(["alert", "alert", "alert", "alert", "flapping", "nothing", "nothing", "ended"])
  })

  it("is not one that becomes worse, or that recovers for good", () => {
    const states: ReadonlyArray<Change["state"]> = ["degraded", "down", "degraded", "down", "up"]
    const changes = states.map((state, minutes): Change => ({ at: DateTime.add(start, { minutes }), state }))
    expect(hear(changes).map(({ announced }) => announced)).toEqual(["alert", "alert", "alert", "alert", "alert"])
  })
})
