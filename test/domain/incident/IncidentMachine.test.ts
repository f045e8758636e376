/** The laws of incidents and maintenance windows: what may follow what, and the events of each history. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc } from "effect"
import { IncidentKind, IncidentStatus, MaintenanceStatus, type ProgressStatus } from "../../../schema/incident/Incident.ts"
import {
  endOf,
  eventTypeOf,
  isOver,
  isStatusOf,
  keptWarnings,
  moved,
  type Standing
} from "../../../src/domain/incident/IncidentMachine.ts"
import { dueSteps, nextAlarm } from "../../../src/domain/incident/MaintenanceClock.ts"
import { timesAfter } from "../../../src/domain/incident/ManualIncident.ts"

const kind = fc.constantFrom(...IncidentKind.literals)
const anyStatus = fc.constantFrom<ProgressStatus>(...IncidentStatus.literals, ...MaintenanceStatus.literals)
const wishes = fc.array(fc.option(anyStatus), { maxLength: 12 })
const first = { incident: "investigating", maintenance: "scheduled" } as const

/** The statuses after each wish, and the events. */
const history = (kind: IncidentKind, wanted: ReadonlyArray<ProgressStatus | null>) => {
  const events: Array<string> = [eventTypeOf(kind, null, first[kind])]
  const statuses: Array<ProgressStatus> = [first[kind]]
  for (const wish of wanted) {
    const status = statuses.at(-1) ?? first[kind]
    const standing: Standing = { kind, status }
    const next = moved(standing, wish)
    events.push(eventTypeOf(kind, status, next))
    statuses.push(next)
  }
  return { events, statuses }
}

describe("An incident or maintenance window", () => {
  it.prop("only ever has a status of its kind, and stays over once it is over", [kind, wishes], ([of, wanted]) => {
    const { statuses } = history(of, wanted)
    for (const status of statuses) expect(isStatusOf(of, status)).toBe(true)
    const end = statuses.findIndex(isOver)
    if (end >= 0) expect(new Set(statuses.slice(end))).toEqual(new Set([endOf[of]]))
  })

  it.prop("begins, ends and starts with one event each", [kind, wishes], ([of, wanted]) => {
    const { events, statuses } = history(of, wanted)
    const count = (type: string) => events.filter((one) => one === type).length
    expect(count(of === "incident" ? "incident.created" : "maintenance.scheduled")).toBe(1)
    expect(count(of === "incident" ? "incident.resolved" : "maintenance.completed")).toBe(statuses.some(isOver) ? 1 : 0)
    expect(count("maintenance.started")).toBe(statuses.includes("in_progress") ? 1 : 0)
    expect(events.every((type) => type.startsWith(`${of}.`))).toBe(true)
  })

  it.prop("keeps its status without a wish, and can always be ended while it is open", [kind, wishes], ([of, wanted]) => {
    const status = history(of, wanted).statuses.at(-1) ?? first[of]
    expect(moved({ kind: of, status }, null)).toBe(status)
    expect(moved({ kind: of, status }, "resolved")).toBe(endOf[of])
    expect(moved({ kind: of, status }, "completed")).toBe(endOf[of])
  })

  it.prop("warns of each wish that it does not follow, and of no other", [kind, wishes, anyStatus], ([of, wanted, wish]) => {
    const status = history(of, wanted).statuses.at(-1) ?? first[of]
    const after = moved({ kind: of, status }, wish)
    const isFollowed = after === wish || (isOver(after) && isOver(wish))
    expect(keptWarnings({ kind: of, status }, wish)).toHaveLength(isFollowed ? 0 : 1)
    expect(keptWarnings({ kind: of, status }, null)).toEqual([])
  })

  it("keeps its status on one of the other kind, and on a step back", () => {
    const after = (of: IncidentKind, status: ProgressStatus, wish: ProgressStatus) => [
      moved({ kind: of, status }, wish),
      ...keptWarnings({ kind: of, status }, wish)
    ]
    expect(after("incident", "identified", "in_progress")).toEqual([
      "identified",
      "It stays identified: in_progress is not a status of incidents"
    ])
    expect(after("maintenance", "scheduled", "identified")).toEqual([
      "scheduled",
      "It stays scheduled: identified is not a status of maintenance windows"
    ])
    expect(after("maintenance", "in_progress", "scheduled")).toEqual([
      "in_progress",
      "It stays in_progress: it does not go back to scheduled"
    ])
    expect(after("incident", "resolved", "monitoring")).toEqual([
      "resolved",
      "It stays resolved: an update does not reopen what is over. If it is back, open another incident"
    ])
    expect(after("incident", "monitoring", "investigating")).toEqual(["investigating"])
  })
})

describe("The timetable of a maintenance window", () => {
  const at = (ms: number) => DateTime.unsafeMake(ms)
  const window = fc.tuple(fc.nat(1000), fc.integer({ min: 1, max: 1000 })).map(([start, length]) => ({
    status: "scheduled" as ProgressStatus,
    scheduledStart: at(start),
    scheduledEnd: at(start + length)
  }))
  /** Times at which an alarm fires or a process is up to look. */
  const looks = fc.array(fc.nat(2500), { maxLength: 10 }).map((times) => [...times].sort((a, b) => a - b))

  it.prop("takes each step once, at its time or later, however rarely somebody looks", [window, looks], ([given, times]) => {
    let current = given
    const taken: Array<{ readonly status: string; readonly seen: number }> = []
    for (const time of [...times, 3000]) {
      for (const step of dueSteps(current, at(time))) {
        expect(step.at.epochMillis).toBeLessThanOrEqual(time)
        taken.push({ status: step.status, seen: time })
        current = { ...current, status: step.status }
      }
      const alarm = nextAlarm(current)
      if (alarm !== null) expect(alarm.epochMillis).toBeGreaterThan(time)
    }
    expect(taken.map(({ status }) => status)).toEqual(["in_progress", "completed"])
    expect(nextAlarm(current)).toBeNull()
  })

  it.prop("has no steps for what is over, and none for an incident", [window, fc.nat(3000)], ([given, time]) => {
    expect(dueSteps({ ...given, status: "completed" }, at(time))).toEqual([])
    expect(nextAlarm({ status: "investigating", scheduledStart: null, scheduledEnd: null })).toBeNull()
  })

  it.prop("never ends before it began, even if it is cancelled early", [fc.nat(1000), fc.nat(1000)], ([start, now]) => {
    const times = timesAfter({ from: "scheduled", startedAt: at(start), resolvedAt: null }, "completed", at(now))
    expect(times.resolvedAt).toEqual(at(now))
    expect(times.startedAt.epochMillis).toBeLessThanOrEqual(now)
  })
})
