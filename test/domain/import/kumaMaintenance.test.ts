/** The maintenance of an Uptime Kuma: each becomes a window at the same times, or the reason why not is said. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Either, Option } from "effect"
import * as fc from "fast-check"
import { kumaDatabase } from "../../../src/domain/import/kuma/KumaAccount.ts"
import { kumaInventory } from "../../../src/domain/import/kuma/KumaInventory.ts"
import { kumaMaintenance } from "../../../src/domain/import/kuma/KumaMaintenance.ts"
import { nextWindow } from "../../../src/domain/incident/MaintenanceClock.ts"
import { runSteps } from "../../../src/domain/tools/Steps.ts"
import { kumaMaintenanceFile } from "../../support/services/KumaFile.ts"

const now = DateTime.unsafeMake("2026-11-22T12:00:00Z")

const shown = { pageRefs: ["page:1"], componentRefs: ["component:1:2"], unshown: 0 }

/** A window of a page, with the columns that a strategy needs. */
const windowOf = (columns: Readonly<Record<string, unknown>>, at: DateTime.Utc = now) =>
  kumaMaintenance({ id: 1, title: "Reboot", active: 1, timezone: "UTC", ...columns }, shown, "Europe/Berlin", at)

const cron = (text: string, more: Readonly<Record<string, unknown>> = {}) =>
  windowOf({ strategy: "cron", cron: text, duration: 3600, ...more })

const iso = (
  at: DateTime.Utc | null | undefined
): string => (at === null || at === undefined ? "none" : DateTime.formatIso(at).slice(0, 16))

/** The starts of the next windows, as the series goes on after each. */
const starts = (found: ReturnType<typeof windowOf>, count: number): ReadonlyArray<string> | string =>
  Either.match(found, {
    onLeft: (why) => why,
    onRight: ({ scheduledEnd, scheduledStart, series }) => {
      if (series === null || scheduledStart === null || scheduledEnd === null) return [iso(scheduledStart)]
      const all = [{ scheduledStart, scheduledEnd }]
      for (let last = all[0]; last !== undefined && all.length < count;) {
        last = Option.getOrUndefined(nextWindow({ ...series, ...last }, now))
        if (last !== undefined) all.push(last)
      }
      return all.map((one) => iso(one.scheduledStart))
    }
  })

describe("the maintenance in a database of Uptime Kuma", () => {
  const inventory = runSteps(kumaInventory(Either.getOrThrow(kumaDatabase(kumaMaintenanceFile)), now))
  const window = (id: number) => inventory.incidents.find(({ ref }) => ref === `maintenance:${id}`)

  it("is read up to its newest 500 windows, and what is left out is counted", () => {
    const account = Either.getOrThrow(kumaDatabase(kumaMaintenanceFile))
    const maintenance = Array.from({ length: 502 }, (_, index) => ({ ...account.maintenance[0], id: index + 1 }))
    const { incidents, warnings } = runSteps(kumaInventory({ ...account, maintenance }, now))
    const said = warnings.filter((one) => one.startsWith("The maintenance")).length
    expect([incidents.length + said, warnings.includes("2 older maintenance windows are not carried")]).toEqual([500, true])
  })

  it("is carried with its pages and components, or says why not", () => {
    expect(
      inventory.incidents.map((
        { components, pageRefs, ref, series, status }
      ) => [ref, status, series?.rule ?? null, pageRefs, components.map((one) => one.ref)])
    ).toEqual([
      ["maintenance:1", "scheduled", null, ["page:1"], ["component:1:2", "component:1:3"]],
      ["maintenance:2", "scheduled", "FREQ=WEEKLY;BYDAY=SA,SU", ["page:1", "page:2"], ["component:1:2", "component:2:2"]],
      ["maintenance:3", "scheduled", "FREQ=MONTHLY;BYMONTHDAY=1,15,-1;UNTIL=20991231T050000Z", ["page:1"], []],
      ["maintenance:4", "scheduled", "FREQ=DAILY;INTERVAL=3", ["page:1"], ["component:1:3"]],
      ["maintenance:5", "scheduled", "FREQ=MONTHLY;BYDAY=2TU", ["page:2"], ["component:2:4"]],
      ["maintenance:8", "completed", null, ["page:1"], ["component:1:3"]]
    ])
    expect(inventory.warnings.filter((one) => one.startsWith("The maintenance"))).toEqual([
      "The maintenance \"Restarts\" (cron) is not carried: no recurrence rule says what its schedule \"*/10 * * * *\" says",
      "The maintenance \"By hand\" (manual) is not carried: it goes on until somebody ends it, and windows here have an end",
      "The maintenance \"Nobody told\" (single) is not carried: no status page announces it, and a window here belongs to one",
      "The maintenance \"Switched off\" (single) is not carried: it is switched off",
      "The maintenance \"Over\" (recurring-weekday) is not carried: it has ended",
      "The maintenance \"Nothing\" (recurring-interval) is not carried: it has no length",
      "The maintenance \"Endless\" (cron) is not carried: its next window begins before one ends"
    ])
  })

  it("keeps its times, its text and what is over", () => {
    expect([iso(window(1)?.scheduledStart), iso(window(1)?.scheduledEnd)]).toEqual(["2098-07-01T00:00", "2098-07-01T02:30"])
    expect(window(1)?.updates).toMatchObject([{ status: "scheduled", body: "We move to a new database." }])
    expect([iso(window(2)?.scheduledStart), iso(window(2)?.scheduledEnd)]).toEqual(["2026-11-22T23:30", "2026-11-23T01:00"])
    expect([iso(window(4)?.scheduledStart), window(4)?.series?.timezone]).toEqual(["2026-11-25T04:00", "Europe/Berlin"])
    expect(window(8)).toMatchObject({ updates: [{ status: "in_progress", body: "Last year" }] })
    expect([iso(window(8)?.startedAt), iso(window(8)?.resolvedAt)]).toEqual(["2024-03-01T00:00", "2024-03-01T01:00"])
  })

  it("says what is different here", () => {
    for (const id of [3, 8]) expect(window(id)?.notes).toEqual([])
    expect(window(4)?.notes).toEqual([
      "Every 3 days are counted from 2026-11-01",
      "Its monitors are still checked during it, and alert",
      "Its pages do not show 1 of its monitors"
    ])
  })
})

describe("a maintenance of Uptime Kuma", () => {
  it("comes at the times of its schedule", () => {
    expect(starts(cron("30 3 * * *"), 2)).toEqual(["2026-11-23T03:30", "2026-11-24T03:30"])
    expect(starts(cron("0 3 30 3 * *"), 1)).toBe("no recurrence rule says what its schedule \"0 3 30 3 * *\" says")
    expect(starts(cron("0 30 3 * * MON-WED"), 4)).toEqual([
      "2026-11-23T03:30",
      "2026-11-24T03:30",
      "2026-11-25T03:30",
      "2026-11-30T03:30"
    ])
    expect(starts(cron("0 4 */10 * ?"), 3)).toEqual(["2026-12-01T04:00", "2026-12-11T04:00", "2026-12-21T04:00"])
    expect(starts(cron("0 4 10,L * *"), 2)).toEqual(["2026-11-30T04:00", "2026-12-10T04:00"])
    expect(starts(cron("0 4 * * 5#L"), 2)).toEqual(["2026-11-27T04:00", "2026-12-25T04:00"])
    const ruleOf = (text: string) => Either.getOrThrow(cron(text)).series?.rule
    for (const daily of ["0 3 */1 * *", "0 3 1-31 * *", "0 3 ? * *", "0 3 * 1-12 0-6", "0 0 3 * jan-dec ?", "0 3 * * 0-7"]) {
      expect([daily, ruleOf(daily)]).toEqual([daily, "FREQ=DAILY"])
    }
    expect(ruleOf("0 3 1,15 * *")).toBe("FREQ=MONTHLY;BYMONTHDAY=1,15")
    expect(ruleOf("0 3 */10 * *")).toBe("FREQ=MONTHLY;BYMONTHDAY=1,11,21,31")
    expect(ruleOf("0 3 1-10/3 * *")).toBe("FREQ=MONTHLY;BYMONTHDAY=1,4,7,10")
    expect(ruleOf("0 3 * * MON-FRI")).toBe("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR")
    expect(ruleOf("0 3 * * fri-sun")).toBe("FREQ=WEEKLY;BYDAY=FR,SA,SU")
    expect(ruleOf("0 3 * * 5#2")).toBe("FREQ=MONTHLY;BYDAY=2FR")
    const clock = { start_time: "22:00", end_time: "02:00" }
    expect(starts(windowOf({ ...clock, strategy: "recurring-weekday", weekdays: "[0]" }), 2)).toEqual([
      "2026-11-22T22:00",
      "2026-11-29T22:00"
    ])
    const interval = { ...clock, strategy: "recurring-interval", interval_day: 5 }
    expect(starts(windowOf({ ...interval, last_start_date: "2026-11-20 22:00:00" }), 2)).toEqual([
      "2026-11-25T22:00",
      "2026-11-30T22:00"
    ])
    expect(starts(windowOf({ ...interval, start_date: "2027-01-05 23:00:00" }), 1)).toEqual(["2027-01-10T22:00"])
  })

  it("keeps its clock time, even if a clock change moves its first window", () => {
    const found = windowOf(
      { strategy: "recurring-weekday", weekdays: "[0]", start_time: "02:30", end_time: "03:00", timezone: "Europe/Berlin" },
      DateTime.unsafeMake("2026-03-29T00:00:00Z")
    )
    const { series } = Either.getOrThrow(found)
    expect(iso(Either.getOrThrow(found).scheduledStart)).toBe("2026-03-29T01:30")
    const zone = DateTime.unsafeSetZoneNamed(series?.firstStart ?? now, "Europe/Berlin")
    expect([DateTime.toParts(zone).hours, DateTime.toParts(zone).minutes]).toEqual([2, 30])
  })

  it("that runs now goes on, and one whose schedule means dates or weekdays is not carried", () => {
    expect(Either.getOrThrow(cron("0 11 * * *", { duration: 7200 }))).toMatchObject({ status: "in_progress" })
    for (const text of ["0 4 1 * 1", "0 4 * 1 *", "0 4 0 * *", "0 4 * * 8", "0 4 5-1 * *", "@daily", ""]) {
      expect(Either.getLeft(cron(text)), text).toMatchObject({ _tag: "Some" })
    }
  })

  it("has a time zone, or says that none is known", () => {
    const noted = (columns: Readonly<Record<string, unknown>>, server: string | null) => {
      const single = { id: 1, strategy: "single", start_date: "2098-07-01 02:00:00", end_date: "2098-07-01 03:00:00" }
      const { notes, scheduledStart } = Either.getOrThrow(kumaMaintenance({ ...single, ...columns }, shown, server, now))
      return [iso(scheduledStart).slice(11), notes.some((note) => note.includes("time zone"))]
    }
    expect(noted({ timezone: "SAME_AS_SERVER" }, "Europe/Berlin")).toEqual(["00:00", false])
    expect(noted({ timezone: "SAME_AS_SERVER" }, null)).toEqual(["02:00", true])
    expect(noted({ timezone: "Asia/Tokyo" }, null)).toEqual(["17:00", false])
    expect(noted({ timezone: "Nowhere" }, null)).toEqual(["02:00", true])
    // Before version 1.21.2.
    expect(noted({}, "Europe/Berlin")).toEqual(["02:00", false])
  })

  it("of any content is carried or refused, never an error; what is carried is not over and can go on", () => {
    const value = fc.oneof(
      fc.constantFrom(
        "02:30",
        "23:59",
        "2026-11-22 02:30:00",
        "9999-12-31T23:59",
        "0000-01-01T00:00",
        "[0,6,7]",
        "[31,\"lastDay2\"]",
        "30 2 L * *"
      ),
      fc.constantFrom("Europe/Berlin", "America/New_York", "Pacific/Apia", "SAME_AS_SERVER"),
      fc.integer({ min: -5, max: 400 }),
      fc.jsonValue()
    )
    const strategies = ["single", "manual", "cron", "recurring-interval", "recurring-weekday", "recurring-day-of-month"]
    const clock = fc.constantFrom("02:30", "00:00", "23:59", "12:15")
    const columns = fc.tuple(
      fc.record({
        id: fc.nat(),
        strategy: fc.constantFrom(...strategies),
        start_time: clock,
        end_time: clock,
        weekdays: fc.constantFrom("[0,6]", "[1]"),
        days_of_month: fc.constantFrom("[31]", "[1,\"lastDay1\"]"),
        interval_day: fc.integer({ min: 1, max: 400 }),
        cron: fc.constantFrom("30 2 * * *", "30 2 * * 6", "15 12 31 * *", ""),
        duration: fc.nat(200_000),
        timezone: fc.constantFrom("Europe/Berlin", "America/New_York", "Pacific/Apia", null)
      }),
      fc.dictionary(
        fc.constantFrom(
          "start_date",
          "end_date",
          "last_start_date",
          "start_time",
          "weekdays",
          "cron",
          "duration",
          "timezone",
          "title"
        ),
        value
      )
    ).map(([usual, odd]) => ({ ...usual, ...odd }))
    fc.assert(
      fc.property(columns, fc.integer({ min: 0, max: 4_000_000_000 }), (window, second) => {
        const at = DateTime.unsafeMake(second * 1000)
        Either.match(kumaMaintenance(window, shown, "Europe/Athens", at), {
          onLeft: (why) => expect(why).not.toBe(""),
          onRight: ({ resolvedAt, scheduledEnd, scheduledStart, series, status }) => {
            const [start, end] = [scheduledStart ?? at, scheduledEnd ?? at]
            expect(DateTime.lessThan(start, end)).toBe(true)
            expect(resolvedAt === null).toBe(status !== "completed")
            if (series === null) return
            expect(DateTime.greaterThan(end, at)).toBe(true)
            const next = nextWindow({ ...series, scheduledStart: start, scheduledEnd: end }, at)
            expect(Option.exists(next, (one) => DateTime.lessThan(one.scheduledStart, end))).toBe(false)
          }
        })
      }),
      { numRuns: 500 }
    )
  })
})
