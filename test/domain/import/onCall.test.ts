/** Schedules of other services, in the shapes that their documentation shows: the same people at the same times here. */
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, DateTime, Either, FastCheck as fc } from "effect"
import { UserId } from "../../../schema/Ids.ts"
import type { ScheduleEntry } from "../../../schema/plan/WorkspaceDocument.ts"
import { makeNotes } from "../../../src/domain/import/Carry.ts"
import type { Inventory } from "../../../src/domain/import/Inventory.ts"
import { grafanaInventory } from "../../../src/domain/import/oncall/GrafanaSchedules.ts"
import { opsgenieInventory } from "../../../src/domain/import/oncall/OpsgenieSchedules.ts"
import { pagerDutyInventory } from "../../../src/domain/import/oncall/PagerDutySchedules.ts"
import { foundSchedule, hoursOf } from "../../../src/domain/import/oncall/SourceSchedule.ts"
import { settledRotation } from "../../../src/domain/oncall/Rotation.ts"
import { shiftsAt } from "../../../src/domain/oncall/Shifts.ts"

const at = (iso: string) => DateTime.unsafeMake(iso)
const now = at("2026-11-22T12:00:00Z")

const asUser = (address: string) => UserId.make(`usr_${address.replace(/@.*/, "")}`)

const rotationOf = ({ layers = [], participants, ...entry }: ScheduleEntry) =>
  settledRotation({
    ...entry,
    participants: Arr.map(participants, asUser),
    layers: layers.map((layer) => ({ ...layer, participants: Arr.map(layer.participants, asUser) }))
  }, now)

/** Who is on call at a time by the only schedule that was found. */
const onCall = ({ schedules }: Inventory, iso: string) =>
  shiftsAt(rotationOf(schedules[0]!.entry), [], at(iso)).map(({ userId }) => userId.slice(4)).sort()

const pagerDuty = (...layers: ReadonlyArray<object>) => ({
  schedules: [{
    schedule: {
      id: "PI7DH85",
      type: "schedule",
      name: "Daily Engineering Rotation",
      time_zone: "America/New_York",
      schedule_layers: layers,
      overrides_subschedule: {
        name: "Overrides",
        rendered_schedule_entries: [{
          start: "2026-12-01T09:00:00-05:00",
          end: "2026-12-01T17:00:00-05:00",
          user: { id: "P2", type: "user_reference" }
        }]
      }
    }
  }],
  users: [{ id: "P1", name: "Al", email: "Al@example.com" }, { id: "P2", name: "Bo", email: "bo@example.com" }]
})
const layer = (more: object) => ({
  start: "2026-11-01T20:00:00-05:00",
  end: null,
  rotation_virtual_start: "2026-11-02T09:00:00-05:00",
  rotation_turn_length_seconds: 604_800,
  users: [{ user: { id: "P1", type: "user_reference" } }, { user: { id: "P2", type: "user_reference" } }],
  restrictions: [],
  ...more
})

describe("PagerDuty's schedules", () => {
  it("keep layers, restrictions and overrides; the first of the document is the highest", () => {
    const nights = layer({
      name: "Nights",
      users: [{ user: { id: "P2" } }],
      restrictions: [{ type: "daily_restriction", start_time_of_day: "22:00:00", duration_seconds: 36_000 }]
    })
    const found = pagerDutyInventory(pagerDuty(nights, layer({ name: "Weekly" })), now)
    expect(found.warnings).toEqual([])
    expect(found.schedules[0]).toMatchObject({ ref: "schedule:PI7DH85", notes: [] })
    expect(found.schedules[0]?.entry.overrides).toEqual([
      { user: "bo@example.com", start: at("2026-12-01T14:00:00Z"), end: at("2026-12-01T22:00:00Z") }
    ])
    // Al has the weeks of 2 and 16 November, from 9:00 in New York.
    expect(onCall(found, "2026-11-16T13:59:59Z")).toEqual(["bo"])
    expect(onCall(found, "2026-11-16T14:00:00Z")).toEqual(["al"])
    expect(onCall(found, "2026-11-17T02:59:59Z")).toEqual(["al"])
    expect(onCall(found, "2026-11-17T03:00:00Z")).toEqual(["bo"])
    expect(onCall(found, "2026-11-17T12:59:59Z")).toEqual(["bo"])
  })

  it("have weekends across days, ends, and begin in the future", () => {
    const weekend = layer({
      restrictions: [{
        type: "weekly_restriction",
        start_time_of_day: "18:00:00",
        start_day_of_week: 5,
        duration_seconds: 226_800
      }]
    })
    const found = pagerDutyInventory(pagerDuty(weekend, layer({ end: "2026-11-20T00:00:00Z" })), now)
    const [one] = found.schedules
    expect(one?.entry.layers).toEqual([])
    expect(one?.entry.hours).toEqual([
      { days: [4], from: "18:00", to: "00:00" },
      { days: [5, 6], from: "00:00", to: "00:00" },
      { days: [0], from: "00:00", to: "09:00" }
    ])
    expect(onCall(found, "2026-11-20T22:59:00Z")).toEqual([])
    expect(onCall(found, "2026-11-20T23:00:00Z")).toEqual(["al"])
    expect(onCall(found, "2026-11-23T13:59:00Z")).toEqual(["al"])
    const later = pagerDutyInventory(pagerDuty(layer({ start: "2026-12-01T09:00:00-05:00" })), now)
    expect([onCall(later, "2026-12-01T13:59:00Z"), onCall(later, "2026-12-01T14:00:00Z")]).toEqual([[], ["al"]])
  })

  it("say what is missing", () => {
    const { users: _, ...alone } = pagerDuty(layer({ name: "Weekly" }))
    expect(pagerDutyInventory(alone, now).warnings[0]).toMatch(/Weekly is not carried: the document has no address/)
    expect(pagerDutyInventory(pagerDuty(layer({ rotation_turn_length_seconds: 5 * 3600 })), now).warnings[0])
      .toMatch(/turns of 5 hours have no like here/)
    expect(pagerDutyInventory({ schedules: [{ id: "P", name: "Bare" }] }, now).warnings[0]).toMatch(/GET \/schedules\/\{id\}/)
  })
})

describe("Opsgenie's schedules", () => {
  const rotation = (more: object) => ({
    id: "r",
    startDate: "2026-11-02T08:00:00Z",
    type: "weekly",
    length: 1,
    participants: [{ type: "user", username: "Al@example.com" }, { type: "user", username: "bo@example.com" }],
    ...more
  })
  const read = (...rotations: ReadonlyArray<object>) =>
    opsgenieInventory({ data: [{ id: "o1", name: "Ops", timezone: "Europe/Istanbul", enabled: true, rotations }] }, now)

  it("have everyone of all rotations on call together, at their hours", () => {
    const found = read(
      rotation({ name: "first" }),
      rotation({
        name: "second",
        type: "daily",
        participants: [{ type: "user", username: "cy@example.com" }],
        timeRestriction: {
          type: "weekday-and-time-of-day",
          restrictions: [{ startDay: "monday", startHour: 8, startMin: 30, endDay: "monday", endHour: 18, endMin: 0 }]
        }
      })
    )
    expect([found.warnings, found.schedules[0]?.notes]).toEqual([[], []])
    expect(onCall(found, "2026-11-23T05:29:00Z")).toEqual(["al"].sort())
    expect(onCall(found, "2026-11-23T05:30:00Z")).toEqual(["al", "cy"])
    expect(onCall(found, "2026-11-23T15:00:00Z")).toEqual(["bo"])
    expect(
      onCall(
        read(
          rotation({
            timeRestriction: { type: "time-of-day", restriction: { startHour: 22, startMin: 0, endHour: 6, endMin: 0 } }
          })
        ),
        "2026-11-24T02:59:00Z"
      )
    )
      .toEqual(["bo"])
  })

  it("leave out rotations of teams, with a note", () => {
    const found = read(rotation({ name: "good" }), rotation({ name: "team", participants: [{ type: "team", name: "ops" }] }))
    expect(found.schedules[0]?.notes).toEqual([
      "The rotation team is not carried: teams, escalations and nobody have no turns here"
    ])
  })
})

describe("Grafana OnCall's schedules", () => {
  const users = [["U1", "al"], ["U2", "bo"], ["U3", "cy"]].map(([id, name]) => ({
    id,
    email: `${name}@example.com`,
    username: name
  }))
  const shift = (id: string, more: object) => ({
    id,
    name: id,
    type: "rolling_users",
    time_zone: null,
    level: 0,
    start: "2026-11-02T09:00:00",
    duration: 604_800,
    frequency: "weekly",
    interval: 1,
    rolling_users: [["U1"], ["U2"]],
    ...more
  })
  const read = (...shifts: ReadonlyArray<{ id: string }>) =>
    grafanaInventory({
      schedules: {
        results: [{ id: "S", name: "Web", type: "web", time_zone: "Europe/Berlin", shifts: shifts.map(({ id }) => id) }]
      },
      on_call_shifts: { results: shifts },
      users: { results: users }
    }, now)

  it("have the highest priority on call, and all of one priority together", () => {
    const hours = (start: string, duration: number, user: string) => ({
      level: 1,
      frequency: "daily",
      start: `2026-11-02T${start}:00`,
      duration,
      rolling_users: [[user]]
    })
    const found = read(shift("A", {}), shift("B", hours("09:00", 10_800, "U2")), shift("C", hours("11:00", 10_800, "U3")))
    expect([found.warnings, found.schedules[0]?.notes]).toEqual([[], []])
    expect(["07:00", "08:30", "10:30", "12:30", "14:00"].map((time) => onCall(found, `2026-11-18T${time}:00Z`))).toEqual([
      ["al"],
      ["bo"],
      ["bo", "cy"],
      ["cy"],
      ["al"]
    ])
  })

  it("have groups of any size, days of the week, and events of one time", () => {
    const found = read(
      shift("G", { rolling_users: [["U1"], ["U2", "U3"]], by_day: ["MO", "TU"], duration: 28_800 }),
      shift("E", { type: "single_event", start: "2026-12-01T10:00:00", duration: 3600, users: ["U1"] })
    )
    expect(onCall(found, "2026-11-16T08:00:00Z")).toEqual(["al"])
    expect(onCall(found, "2026-11-24T15:59:00Z")).toEqual(["bo", "cy"])
    expect(onCall(found, "2026-11-24T16:00:00Z")).toEqual([])
    expect(found.schedules[0]?.entry.overrides?.map(({ start, user }) => [user, start])).toEqual([
      ["al@example.com", at("2026-12-01T09:00:00Z")]
    ])
    expect(read(shift("M", { frequency: "monthly" })).warnings[0]).toMatch(/repeat by hours, days or weeks/)
  })
})

describe("turns of other services", () => {
  it("of hours that fill a day have the same person at each time", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 2, 3, 4, 6, 8, 12).filter((hours) => 24 / hours <= 11),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 0, max: 1439 }),
        fc.integer({ min: -40_000, max: 40_000 }),
        (hours, count, begin, later) => {
          const start = DateTime.add(at("2026-11-02T00:00:00Z"), { minutes: begin })
          const people = Array.from({ length: count }, (_, one) => `u${one}@example.com`)
          const found = foundSchedule(
            {
              id: "1",
              name: "Hours",
              timezone: "UTC",
              overrides: [],
              layers: [{
                name: null,
                people,
                atOnce: 1,
                turnSec: hours * 3600,
                start,
                from: null,
                until: null,
                hours: [],
                beside: false
              }]
            },
            now,
            makeNotes()
          )
          if (Either.isLeft(found)) throw new Error(found.left)
          const time = DateTime.add(start, { minutes: later })
          const turn = Math.floor(later / (hours * 60))
          expect(shiftsAt(rotationOf(found.right.entry), [], time).map(({ userId }) => userId))
            .toEqual([`usr_u${((turn % count) + count) % count}`])
        }
      )
    )
  })

  it("at hours of a week cover just those", () => {
    const week = 10_080
    fc.assert(
      fc.property(fc.nat({ max: 6 }), fc.nat({ max: 1439 }), fc.integer({ min: 1, max: week - 1 }), fc.nat({ max: week - 1 }), (
        day,
        start,
        minutes,
        time
      ) => {
        const covered = hoursOf([day], start, minutes).some(({ days, from, to }) => {
          const [begin, end] = [from, to].map((one) => Number(one.slice(0, 2)) * 60 + Number(one.slice(3))) as [number, number]
          const length = end > begin ? end - begin : end - begin + 1440
          return days.some((one) => (time - one * 1440 - begin + 2 * week) % week < length)
        })
        expect(covered).toBe((time - day * 1440 - start + 2 * week) % week < minutes)
      }),
      { numRuns: 500 }
    )
  })

  it("of documents of any shape are read without a fault", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (schedules, users, shifts, policies) => {
        const document = JSON.parse(JSON.stringify({
          schedules,
          users,
          on_call_shifts: shifts,
          escalations: policies,
          escalation_chains: policies,
          escalation_policies: policies
        }))
        for (const read of [pagerDutyInventory, opsgenieInventory, grafanaInventory]) read(document, now)
      })
    )
  })
})
