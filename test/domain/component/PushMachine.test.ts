/** The laws of pushed components. */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc, Schema } from "effect"
import { ComponentStatus, type ComponentUpdate, EffectiveStatus } from "../../../schema/component/Component.ts"
import { PushedStatus, type PushState } from "../../../schema/component/Push.ts"
import { MonitorId } from "../../../schema/Ids.ts"
import type { PageSettings } from "../../../schema/page/Page.ts"
import { settleComponent, settleComponentEdit } from "../../../src/domain/component/ComponentSettings.ts"
import { deadlineOf, hear, initialPushState, lapse, type Report, silenceOf } from "../../../src/domain/component/PushMachine.ts"
import { impactOf } from "../../../src/domain/incident/AutomaticIncident.ts"
import { outageChange, type OutageRules, outageRules } from "../../../src/domain/incident/ComponentOutage.ts"

const start = 1_700_000_000_000

const reportOf = (status: ComponentStatus, more: Partial<Report> = {}): Report => ({
  status,
  message: null,
  confirmed: false,
  observedAt: null,
  ...more
})

/** Severity in the order of the specification; maintenance is not a failure. */
const badness = { unknown: 0, operational: 0, maintenance: 0, degraded: 1, partial_outage: 2, major_outage: 3 }

/** Reports one second apart, and every intermediate state. */
const play = (reports: ReadonlyArray<Report>, confirmations: number): ReadonlyArray<PushState> => {
  const states = [initialPushState(start)]
  reports.forEach((report, index) =>
    states.push(hear(states[index] ?? initialPushState(start), confirmations, report, start + (index + 1) * 1000).state)
  )
  return states
}

const shownAfter = (statuses: ReadonlyArray<ComponentStatus>, confirmations: number) =>
  play(statuses.map((status) => reportOf(status)), confirmations).slice(1).map(({ shown }) => shown)

const status = fc.constantFrom(...ComponentStatus.literals)
const confirmations = fc.integer({ min: 1, max: 10 })
const statuses = fc.array(status, { maxLength: 40 })

describe("a pushed component", () => {
  it("is unknown before its first report, and operational immediately after a good one", () => {
    expect(initialPushState(start).shown).toBe("unknown")
    expect(shownAfter(["operational"], 10)).toEqual(["operational"])
  })

  it("shows a worse status after the required number of reports in a row, and never for a single blip", () => {
    expect(shownAfter(["operational", "major_outage", "operational", "major_outage", "major_outage"], 2))
      .toEqual(["operational", "operational", "operational", "operational", "major_outage"])
    expect(shownAfter(["degraded", "degraded", "degraded"], 3)).toEqual(["unknown", "unknown", "degraded"])
  })

  it("shows the mildest status of the confirming reports, and a worse one once that is confirmed too", () => {
    expect(shownAfter(["operational", "degraded", "major_outage", "major_outage"], 2))
      .toEqual(["operational", "operational", "degraded", "major_outage"])
  })

  it.prop("never shows a status worse than every report that confirms it", [statuses, confirmations], ([given, needed]) => {
    const shown = shownAfter(given, needed)
    shown.forEach((now, index) => {
      const before = shown[index - 1] ?? "unknown"
      if (badness[now] <= badness[before]) return
      const confirming = given.slice(Math.max(0, index + 1 - needed), index + 1)
      expect(confirming).toHaveLength(needed)
      for (const one of confirming) expect(badness[one]).toBeGreaterThanOrEqual(badness[now])
    })
  })

  it.prop("shows a report that is not worse immediately", [statuses, confirmations], ([given, needed]) => {
    const shown = shownAfter(given, needed)
    given.forEach((reported, index) => {
      if (badness[reported] <= badness[shown[index - 1] ?? "unknown"]) expect(shown[index]).toBe(reported)
    })
  })

  it.prop("does not delay a worse status for longer than that", [statuses, confirmations, status], ([given, needed, worst]) => {
    const last = shownAfter([...given, ...Array.from({ length: needed }, () => worst)], needed).at(-1) ?? "unknown"
    expect(badness[last]).toBe(badness[worst])
  })

  it.prop(
    "with one required confirmation, or with confirmed reports, shows the last report",
    [statuses, confirmations],
    ([given, needed]) => {
      expect(shownAfter(given, 1)).toEqual(given)
      const sure = play(given.map((one) => reportOf(one, { confirmed: true })), needed)
      expect(sure.slice(1).map(({ shown }) => shown)).toEqual(given)
    }
  )

  it.prop("remembers no more reports than it needs", [statuses, confirmations], ([given, needed]) => {
    for (const { shown, streak } of play(given.map((one) => reportOf(one)), needed)) {
      expect(streak.length).toBeLessThan(needed)
      for (const one of streak) expect(badness[one.status]).toBeGreaterThan(badness[shown])
    }
  })

  it("dates a worse status from the first report of it", () => {
    const states = play([reportOf("operational"), reportOf("major_outage"), reportOf("major_outage")], 2)
    expect(states.at(-1)).toMatchObject({ shown: "major_outage", since: start + 2000, streak: [] })
    expect(play([reportOf("degraded"), reportOf("degraded")], 1).at(-1)).toMatchObject({ since: start + 1000 })
  })

  it("keeps the message of the shown status until the status changes", () => {
    const states = play([
      reportOf("operational", { message: "fine" }),
      reportOf("major_outage", { message: "db" }),
      reportOf("major_outage", { message: "db is gone" }),
      reportOf("operational")
    ], 2)
    expect(states.slice(1).map(({ message }) => message)).toEqual(["fine", "fine", "db is gone", null])
  })
})

describe("an observation", () => {
  const seen = (seconds: number) => start + seconds * 1000
  const before = hear(initialPushState(start), 2, reportOf("operational", { observedAt: seen(5) }), seen(10)).state

  it.prop("sent any number of times confirms once", [
    fc.integer({ min: 1, max: 20 }),
    fc.integer({ min: 2, max: 10 })
  ], ([times, needed]) => {
    let state = before
    const taken = Array.from({ length: times }, (_, index) => {
      const heard = hear(state, needed, reportOf("major_outage", { observedAt: seen(11) }), seen(12 + index))
      state = heard.state
      return heard.taken
    })
    expect(taken).toEqual(["counted", ...Array.from({ length: times - 1 }, () => "repeated")])
    expect(state.shown).toBe("operational")
    expect(hear(state, 2, reportOf("major_outage", { observedAt: seen(40) }), seen(41)).state.shown).toBe("major_outage")
  })

  it("older than the last one is ignored and does not extend the time to live", () => {
    const late = hear(before, 1, reportOf("major_outage", { observedAt: seen(4), confirmed: true }), seen(30))
    expect(late).toEqual({ state: before, taken: "outdated" })
  })

  it("sent again as confirmed shows immediately", () => {
    const doubted = hear(before, 2, reportOf("major_outage", { observedAt: seen(11) }), seen(12)).state
    expect(hear(doubted, 2, reportOf("major_outage", { observedAt: seen(11), confirmed: true }), seen(13)).state.shown)
      .toBe("major_outage")
  })

  it.prop("from the future does not suppress later observations", [fc.integer({ min: 1, max: 300 })], ([ahead]) => {
    const early = hear(before, 1, reportOf("degraded", { observedAt: seen(20 + ahead) }), seen(20)).state
    expect(hear(early, 1, reportOf("major_outage", { observedAt: seen(20 + ahead) }), seen(21)).taken).toBe("repeated")
    expect(hear(early, 1, reportOf("major_outage", { observedAt: seen(20) }), seen(22)).state.shown).toBe("major_outage")
    expect(hear(early, 1, reportOf("major_outage"), seen(22)).state.shown).toBe("major_outage")
  })
})

describe("the time to live of a push", () => {
  const heard = hear(initialPushState(start), 2, reportOf("operational", { observedAt: start }), start).state
  const ttl = 300

  it("has a deadline only if the shown status can expire", () => {
    expect(deadlineOf(initialPushState(start), ttl, start)).toBeNull()
    expect(deadlineOf(heard, null, start)).toBeNull()
    expect(deadlineOf(heard, ttl, start)).toBe(start + ttl * 1000)
    expect(deadlineOf(lapse(heard, start + ttl * 1000), ttl, start)).toBeNull()
    const doubted = hear(initialPushState(start), 2, reportOf("major_outage"), start).state
    expect(deadlineOf(doubted, ttl, start)).toBe(start + ttl * 1000)
  })

  it.prop("gets another minute after an outage of the service, and otherwise none", [
    fc.integer({ min: 60, max: 604_800 }),
    fc.integer({ min: -1_000_000, max: 1_000_000 })
  ], ([ttlSec, away]) => {
    const deadline = deadlineOf(heard, ttlSec, start + away * 1000) ?? 0
    expect(deadline).toBeGreaterThanOrEqual(start + ttlSec * 1000)
    if (away <= 0) expect(deadline).toBe(start + ttlSec * 1000)
    else expect(deadline).toBe(Math.max(start + ttlSec * 1000, start + (away + 60) * 1000))
  })

  it("does not end while it is open whether pushes were missed", () => {
    const end = start + ttl * 1000
    expect(silenceOf(heard, ttl, { since: start, openUntil: end + 4000 }, end)).toEqual({ lapsedAt: null, lookAt: end + 4000 })
    expect(silenceOf(heard, ttl, { since: start, openUntil: end + 4000 }, end - 1)).toEqual({ lapsedAt: null, lookAt: end })
    expect(silenceOf(heard, ttl, { since: start, openUntil: null }, end)).toEqual({ lapsedAt: end, lookAt: null })
  })

  it("makes the status unknown when it ends, and the next report counts", () => {
    const silent = lapse(hear(heard, 2, reportOf("major_outage"), start + 1000).state, start + ttl * 1000)
    expect(silent).toMatchObject({ shown: "unknown", since: start + ttl * 1000, message: null, streak: [] })
    const again = hear(silent, 2, reportOf("operational", { observedAt: start + 1000 }), start + 400_000)
    expect(again).toMatchObject({ state: { shown: "operational" }, taken: "counted" })
  })

  it("restarts with repeated reports", () => {
    const again = hear(
      hear(heard, 2, reportOf("degraded", { observedAt: start + 1 }), start + 1).state,
      2,
      reportOf("degraded", { observedAt: start + 1 }),
      start + 9000
    )
    expect(again.taken).toBe("repeated")
    expect(deadlineOf(again.state, ttl, start)).toBe(start + 9000 + ttl * 1000)
  })
})

describe("a failing component", () => {
  const rules = (settings: PageSettings = {}) => outageRules(settings, { hidden: false, reportsItself: true })
  const effective = fc.constantFrom(...EffectiveStatus.literals)

  it("opens or joins an incident from the status configured on its page", () => {
    const deeds = (given: OutageRules) =>
      EffectiveStatus.literals.filter((after) => outageChange(given, false, "operational", after, false)._tag === "Join")
    expect(deeds(rules())).toEqual(["partial_outage", "major_outage"])
    expect(deeds(rules({ incidentMinStatus: "degraded" }))).toEqual(["degraded", "partial_outage", "major_outage"])
    expect(deeds(rules({ autoIncidents: false }))).toEqual([])
    expect(deeds(outageRules({}, { hidden: true, reportsItself: true }))).toEqual([])
    // Its monitors have incidents while they are down, none while they are degraded.
    const follows = (incidentMinStatus: NonNullable<PageSettings["incidentMinStatus"]>) =>
      deeds(outageRules({ incidentMinStatus }, { hidden: false, reportsItself: false }))
    expect([follows("degraded"), follows("partial_outage"), follows("major_outage")]).toEqual([["degraded"], [], []])
  })

  it.prop(
    "stays in its incident until it is operational, even if the page's setting changes",
    [effective, fc.array(effective), fc.boolean()],
    ([first, rest, autoIncidents]) => {
      let inside = true
      let before: EffectiveStatus = first
      for (const after of rest) {
        const { _tag } = outageChange(rules({ autoIncidents }), inside, before, after, false)
        if (inside) expect(_tag === "Leave").toBe(after === "operational" || after === "maintenance")
        if (!inside) expect(["Join", "Nothing"]).toContain(_tag)
        inside = _tag === "Join" || (inside && _tag !== "Leave")
        before = after
      }
    }
  )

  it("leaves its incident when all of its monitors are paused, and not when reports are missing", () => {
    const unknown = (paused: boolean) => outageChange(rules(), true, "degraded", "unknown", paused)
    expect([unknown(true), unknown(false)]).toEqual([{ _tag: "Leave", reason: "monitoring was paused" }, { _tag: "Nothing" }])
  })

  it("gives an incident the worst impact of its components", () => {
    expect(impactOf(["degraded", "operational"])).toBe("minor")
    expect(impactOf(["degraded", "partial_outage"])).toBe("major")
  })
})

describe("a status in the pusher's spelling", () => {
  const read = Schema.decodeUnknownEither(PushedStatus)

  it("is recognised in any spelling", () => {
    for (const good of ["operational", "ok", "up", "true", "1", " OK ", "Up", true, 1]) {
      expect([good, read(good)]).toEqual([good, Either.right("operational")])
    }
    for (const bad of ["major_outage", "fail", "down", "false", "0", "DOWN", false, 0]) {
      expect([bad, read(bad)]).toEqual([bad, Either.right("major_outage")])
    }
    for (const same of ComponentStatus.literals) expect(read(same)).toEqual(Either.right(same))
  })

  it("is otherwise rejected with the list of accepted words", () => {
    for (const wrong of ["", "unknown", "okay", "constructor", 2, -1, 0.5, null, {}, []]) {
      expect([wrong, Either.isLeft(read(wrong))]).toEqual([wrong, true])
    }
    expect(String(Either.getOrThrow(Either.flip(read("okay"))))).toContain("operational, degraded, partial_outage")
  })
})

describe("the source of a component's status", () => {
  const pathsOf = (input: Parameters<typeof settleComponent>[0]) =>
    Either.match(settleComponent(input), { onLeft: (refusals) => refusals.map(({ path }) => path), onRight: () => [] })

  it("is one of monitors, pushes or people", () => {
    expect(pathsOf({ name: "A", push: true, manual: true })).toEqual(["manual"])
    expect(pathsOf({ name: "A", push: true, monitorIds: [MonitorId.make("mon_1")] })).toEqual(["push"])
    expect(pathsOf({ name: "A", push: false, manual: false, pushTtlSec: null })).toEqual([])
    expect(Either.getOrThrow(settleComponent({ name: "A", push: true }))).toMatchObject({
      push: true,
      pushTtlSec: null,
      confirmations: 2,
      manual: false
    })
    expect(Either.getOrThrow(settleComponent({ name: "A" }))).toMatchObject({ push: false, manual: true })
  })

  it("keeps settings that another source would use until a source is named", () => {
    const manual = Either.getOrThrow(settleComponent({ name: "A", confirmations: 10, pushTtlSec: 60 }))
    expect(manual).toMatchObject({ manual: true, confirmations: 10, pushTtlSec: 60 })
    const edited = (input: ComponentUpdate) => Either.getOrThrow(settleComponentEdit(manual, input))
    expect(edited({ name: "B" })).toEqual(manual)
    expect(edited({ push: true })).toMatchObject({ push: true, confirmations: 10, pushTtlSec: 60 })
    expect(edited({ monitorIds: [MonitorId.make("mon_1")] })).toMatchObject({ confirmations: 2, pushTtlSec: null })
  })
})
