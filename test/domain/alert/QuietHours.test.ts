import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck, Option } from "effect"
import type { QuietHours } from "../../../schema/alert/QuietHours.ts"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { eventTypes } from "../../../schema/event/EventData.ts"
import { EventId, WorkspaceId } from "../../../schema/Ids.ts"
import { quietUntil, waitsUntil } from "../../../src/domain/alert/QuietHours.ts"

const allDays = [0, 1, 2, 3, 4, 5, 6]
const night: QuietHours = { timezone: "Europe/Berlin", from: "22:00", to: "07:00", days: allDays, criticalPasses: false }

const zone = FastCheck.constantFrom("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC")
const time = FastCheck.tuple(FastCheck.integer({ min: 0, max: 23 }), FastCheck.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"))
const quietHours: FastCheck.Arbitrary<QuietHours> = FastCheck.record({
  timezone: zone,
  from: time,
  to: time,
  days: FastCheck.uniqueArray(FastCheck.constantFrom(...allDays), { minLength: 1 }),
  criticalPasses: FastCheck.boolean()
}).filter(({ from, to }) => from !== to)
/** Any second of two years, with all clock changes. */
const instant = FastCheck.integer({ min: 0, max: 2 * 366 * 86_400 }).map((seconds) =>
  DateTime.add(DateTime.unsafeMake("2026-01-01T00:00:00Z"), { seconds })
)

/** The local date, weekday (0 is Monday) and clock of an instant, by Intl instead of the code under test. */
const clockOf = (at: DateTime.Utc, timezone: string) => {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23"
  }).formatToParts(DateTime.toDateUtc(at))
  const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? ""
  return {
    weekday: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].indexOf(part("weekday")),
    time: `${part("hour")}:${part("minute")}`
  }
}

/** Whether the zone's offset changes within a day of an instant. */
const clockChanges = (at: DateTime.Utc, timezone: string): boolean => {
  const offset = (hours: number) =>
    Option.match(DateTime.setZoneNamed(DateTime.add(at, { hours }), timezone), { onNone: () => 0, onSome: DateTime.zonedOffset })
  return offset(-26) !== offset(26)
}

const event = (type: WorkspaceEvent["type"], data: Readonly<Record<string, unknown>> = {}): WorkspaceEvent => ({
  workspaceId: WorkspaceId.make("ws_one"),
  id: EventId.make("evt_one"),
  type,
  at: DateTime.unsafeMake("2026-11-20T23:00:00Z"),
  data
})

describe("quiet hours", () => {
  it.prop("follow the clock on the wall, except around a clock change", [quietHours, instant], ([quiet, at]) => {
    FastCheck.pre(!clockChanges(at, quiet.timezone))
    const { time, weekday } = clockOf(at, quiet.timezone)
    const overnight = quiet.to < quiet.from
    const today = quiet.days.includes(weekday) && time >= quiet.from && (overnight || time < quiet.to)
    const fromYesterday = overnight && quiet.days.includes((weekday + 6) % 7) && time < quiet.to
    expect(quietUntil(quiet, at) !== null).toBe(today || fromYesterday)
  })

  it.prop(
    "end after the instant, within 25 hours, and all of their instants have the same end",
    [quietHours, instant],
    ([quiet, at]) => {
      const end = quietUntil(quiet, at)
      FastCheck.pre(end !== null)
      if (end === null) return
      const left = DateTime.distance(at, end)
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThanOrEqual(25 * 3_600_000)
      const last = quietUntil(quiet, DateTime.subtract(end, { millis: 1 }))
      expect(last).toEqual(end)
      // What waited until the end is not held again by the same night.
      expect(quietUntil(quiet, end)).not.toEqual(end)
    }
  )

  it.each([
    ["in summer", "2026-07-10T21:00:00Z", "2026-07-11T05:00:00Z"],
    ["in winter", "2026-11-20T23:00:00Z", "2026-11-21T06:00:00Z"],
    ["over the change to summer time", "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"],
    ["over the change to winter time", "2026-10-24T21:00:00Z", "2026-10-25T06:00:00Z"]
  ])("end at 07:00 local time %s", (_, at, end) => {
    expect(quietUntil(night, DateTime.unsafeMake(at))).toEqual(DateTime.unsafeMake(end))
  })

  it("that begin in a skipped hour begin after it", () => {
    const skipped: QuietHours = { ...night, from: "02:30", to: "05:00" }
    expect(quietUntil(skipped, DateTime.unsafeMake("2026-03-29T01:29:59Z"))).toBe(null)
    expect(quietUntil(skipped, DateTime.unsafeMake("2026-03-29T01:30:00Z"))).not.toBe(null)
  })
})

describe("during quiet hours", () => {
  const now = DateTime.unsafeMake("2026-11-20T23:00:00Z")
  const passing = { ...night, criticalPasses: true }

  it("everything waits but tests, the digest, pages of people and summaries", () => {
    expect(eventTypes.filter((type) => waitsUntil(night, event(type), now) === null))
      .toEqual(["monitor.summary", "quiet.ended", "incident.escalated", "incident.paged", "digest.weekly", "test.ping"])
  })

  it.each([
    [event("monitor.down"), true],
    [event("monitor.reminder"), true],
    [event("monitor.flapping"), true],
    [event("monitor.up", { incident: { id: "inc_one" } }), true],
    [event("monitor.up", { incident: null }), false],
    [event("monitor.degraded"), false],
    [event("incident.created", { incident: { kind: "incident", impact: "critical" } }), true],
    [event("incident.resolved", { incident: { kind: "incident", impact: "major" } }), true],
    [event("incident.created", { incident: { kind: "incident", impact: "minor" } }), false],
    [event("maintenance.started", { incident: { kind: "maintenance", impact: "major" } }), false],
    [event("deploy.created"), false]
  ])("%# a critical alert passes if the channel says so, and nothing else", (one, critical) => {
    expect(waitsUntil(passing, one, now) === null).toBe(critical)
    expect(waitsUntil(night, one, now)).not.toBe(null)
  })

  it("no alert waits outside of them, or without them", () => {
    expect(waitsUntil(night, event("monitor.down"), DateTime.unsafeMake("2026-11-20T12:00:00Z"))).toBe(null)
    expect(waitsUntil(null, event("monitor.down"), now)).toBe(null)
  })
})
