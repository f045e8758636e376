/** Rotations of several layers against a plain reading of their fields by the wall clock, in every zone, around its clock changes. */
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, DateTime, FastCheck as fc } from "effect"
import { OverrideId, UserId } from "../../../schema/Ids.ts"
import type { OverrideWindow } from "../../../src/domain/oncall/Overrides.ts"
import type { LayerSettings, RotationSettings } from "../../../src/domain/oncall/Rotation.ts"
import { pagingTurns, shiftsAt, shiftsBetween, uncovered } from "../../../src/domain/oncall/Shifts.ts"

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const at = (ms: number) => DateTime.unsafeMake(ms)
const ms = DateTime.toEpochMillis
const user = (name: string | number) => UserId.make(`usr_${name}`)

const formats = new Map<string, Intl.DateTimeFormat>()
const formatOf = (timeZone: string) => {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23"
  })
  formats.set(timeZone, format)
  return format
}

/** The time on the wall clock, as ms as if it were UTC. */
const wallOf = (one: number, zone: string): number => {
  const [date = "", time = ""] = formatOf(zone).format(one).split(", ")
  return Date.parse(`${date}T${time}Z`)
}
const offsetOf = (one: number, zone: string) => wallOf(one, zone) - one

/** The last clock change of a zone before 2028; a day in 2026 for zones that have none since 2024. */
const changeOf = (zone: string): number => {
  for (let one = Date.UTC(2028, 0, 1); one > Date.UTC(2024, 0, 1); one -= 20 * day) {
    if (offsetOf(one - 20 * day, zone) === offsetOf(one, zone)) continue
    let [before, after] = [one - 20 * day, one]
    while (after - before > minute) {
      const middle = before + Math.floor((after - before) / 2 / minute) * minute
      if (offsetOf(middle, zone) === offsetOf(before, zone)) before = middle
      else after = middle
    }
    return after
  }
  return Date.UTC(2026, 5, 10, 9)
}

/** When the wall clock shows a time first; as long after the change as the time is after its start if it skips it. */
const shownAt = (wall: number, zone: string): number => {
  const [before, after] = [offsetOf(wall - day, zone), offsetOf(wall + day, zone)]
  const shown = [wall - before, wall - after].filter((one) => wallOf(one, zone) === wall)
  return shown.length === 0 ? wall - before : Math.min(...shown)
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
const weekdayOf = (date: number) => (new Date(date).getUTCDay() + 6) % 7

/** Who is on call in a layer, by its fields as the interface describes them. */
const inLayer = (layer: LayerSettings, zone: string, now: number): ReadonlyArray<string> => {
  const { activeFrom, activeUntil, atOnce = 1, hours = [], participants, turnLength = 1, turnUnit = "week" } = layer
  if ((activeFrom && now < ms(activeFrom)) || (activeUntil && now >= ms(activeUntil))) return []
  const today = Math.floor(wallOf(now, zone) / day) * day
  const isOpen = hours.length === 0 || hours.some(({ days, from, to }) =>
    [-2, -1, 0, 1].some((back) => {
      const date = today + back * day
      if (!days.includes(weekdayOf(date))) return false
      const last = date + (minutesOf(to) > minutesOf(from) ? 0 : day)
      return shownAt(date + minutesOf(from) * minute, zone) <= now && now < shownAt(last + minutesOf(to) * minute, zone)
    })
  )
  if (!isOpen) return []
  const start = Date.parse(`${layer.startDay}T00:00:00Z`)
  const first = turnUnit === "day" ? start : start - ((weekdayOf(start) - layer.handoffDay + 7) % 7) * day
  const length = turnLength * (turnUnit === "day" ? 1 : 7) * day
  const handoff = (index: number) => shownAt(first + index * length + minutesOf(layer.handoffTime) * minute, zone)
  const about = Math.floor((today - first) / length)
  const turn = [about + 1, about, about - 1, about - 2].find((index) => handoff(index) <= now) ?? Number.NaN
  const count = participants.length
  const people = Array.from({ length: atOnce }, (_, nth) => participants[(((turn * atOnce + nth) % count) + count) % count]!)
  return [...new Set(people)]
}

const onCall = ({ layers = [], timezone, ...own }: RotationSettings, now: number): ReadonlyArray<string> =>
  layers.reduce<ReadonlyArray<string>>((below, layer) => {
    const people = inLayer(layer, timezone, now)
    return people.length === 0 ? below : layer.beside === true ? [...new Set([...below, ...people])] : people
  }, inLayer(own, timezone, now))

const clock = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom("00", "30", "15"))
  .map(([hours, minutes]) => `${String(hours).padStart(2, "0")}:${minutes}`)

/** A layer that hands off, opens and closes near a wall time, often within what a clock change skips or repeats. */
const layerNear = (wall: number, change: number, name: string): fc.Arbitrary<LayerSettings> => {
  const near = fc.oneof(
    fc.constantFrom(-60, -30, -1, 0, 30, 60).map((minutes) => new Date(wall + minutes * minute).toISOString().slice(11, 16)),
    clock
  )
  return fc.record({
    handoffDay: fc.integer({ min: 0, max: 6 }),
    handoffTime: near,
    participants: fc.integer({ min: 1, max: 4 }).map((count) => Arr.makeBy(count, (one) => user(`${name}${one}`))),
    startDay: fc.integer({ min: -40, max: 40 }).map((days) => new Date(wall + days * day).toISOString().slice(0, 10)),
    turnUnit: fc.constantFrom("day" as const, "week" as const),
    turnLength: fc.constantFrom(1, 1, 2, 3),
    atOnce: fc.constantFrom(1, 1, 2, 3),
    hours: fc.array(
      fc.record({ days: fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }), from: near, to: near }),
      { maxLength: 2 }
    ),
    activeFrom: fc.option(fc.integer({ min: -30, max: 30 }).map((hours) => at(change + hours * hour)), { freq: 4, nil: null }),
    activeUntil: fc.option(fc.integer({ min: -30, max: 60 }).map((hours) => at(change + hours * hour)), { freq: 6, nil: null })
  })
}

const rotationIn = (timezone: string): fc.Arbitrary<readonly [change: number, rotation: RotationSettings]> => {
  const change = changeOf(timezone)
  const wall = wallOf(change, timezone)
  const over = fc.tuple(
    layerNear(wall, change, "b"),
    layerNear(wall, change, "c"),
    fc.boolean(),
    fc.boolean(),
    fc.nat({ max: 2 })
  )
    .map(([one, other, beside, alsoBeside, count]) => [{ ...one, beside }, { ...other, beside: alsoBeside }].slice(0, count))
  return fc.tuple(layerNear(wall, change, "a"), over).map(([own, layers]) => [change, { ...own, timezone, layers }] as const)
}

const zones = Intl.supportedValuesOf("timeZone")
const anyRotation = fc.constantFrom("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Antarctica/Troll", "Asia/Tokyo")
  .chain(rotationIn)

describe("a rotation of layers", () => {
  it("has on call exactly whom its layers name, in every zone, through its clock changes", () => {
    let covered = 0
    let empty = 0
    for (const [index, zone] of zones.entries()) {
      const samples = fc.sample(rotationIn(zone), { numRuns: 3, seed: 1 + index })
      for (const [change, rotation] of samples) {
        for (const minutes of [-1500, -61, -30, -1, 0, 1, 29, 60, 119, 700, 1500]) {
          const now = change + minutes * minute
          const expected = onCall(rotation, now)
          expect([zone, now, rotation, shiftsAt(rotation, [], at(now)).map(({ userId }) => userId).sort()])
            .toEqual([zone, now, rotation, [...expected].sort()])
          if (expected.length > 0) covered++
          else empty++
        }
      }
    }
    expect(Math.min(covered, empty)).toBeGreaterThan(1000)
  })

  it("has shifts and gaps that fill the time, and agree with who is on call at each instant", () => {
    fc.assert(
      fc.property(anyRotation, fc.integer({ min: -4000, max: 4000 }), ([change, rotation], minutes) => {
        const [from, to] = [at(change - 3 * day), at(change + 4 * day)]
        const shifts = shiftsBetween(rotation, [], from, to)
        const gaps = uncovered(shifts, from, to)
        for (const one of [...shifts, ...gaps]) expect(ms(one.start)).toBeLessThan(ms(one.end))
        const now = change + minutes * minute
        const within = ({ end, start }: { start: DateTime.Utc; end: DateTime.Utc }) => ms(start) <= now && now < ms(end)
        expect(shifts.filter(within)).toEqual(shiftsAt(rotation, [], at(now)))
        expect(gaps.some(within)).toBe(!shifts.some(within))
        // To the millisecond: a gap begins where a shift ends, and ends where one begins.
        for (const { end, start } of gaps) {
          if (ms(start) > ms(from)) expect(onCall(rotation, ms(start) - 1)).not.toEqual([])
          expect(onCall(rotation, ms(start))).toEqual([])
          expect(onCall(rotation, ms(end) - 1)).toEqual([])
          if (ms(end) < ms(to)) expect(onCall(rotation, ms(end))).not.toEqual([])
        }
      }),
      { numRuns: 150 }
    )
  })

  it("pages each person who is on call, and nobody in a gap", () => {
    fc.assert(
      fc.property(anyRotation, fc.integer({ min: -4000, max: 4000 }), ([change, rotation], minutes) => {
        const now = change + minutes * minute
        expect(pagingTurns(rotation, [], at(now)).map(([first]) => first).sort()).toEqual([...onCall(rotation, now)].sort())
      }),
      { numRuns: 100 }
    )
  })

  it("gives way to an override: of everybody, or of one person and nobody else", () => {
    const override = (rotation: RotationSettings, change: number) =>
      fc.record({
        instead: fc.option(fc.nat({ max: 3 }).map((one) => rotation.participants[one % rotation.participants.length]!)),
        start: fc.integer({ min: -60, max: 60 }),
        hours: fc.integer({ min: 1, max: 100 }),
        made: fc.nat({ max: 3 })
      }).map(({ hours, instead, made, start }) => ({
        insteadOf: instead,
        start: at(change + start * hour),
        end: at(change + (start + hours) * hour),
        createdAt: at(made)
      }))
    const overridden = anyRotation.chain(([change, rotation]) =>
      fc.tuple(fc.constant([change, rotation] as const), fc.array(override(rotation, change), { maxLength: 4 }))
    ).map(([around, list]) =>
      [
        ...around,
        list.map((one, index): OverrideWindow => ({ ...one, id: OverrideId.make(`ovr_${index}`), userId: user(`over${index}`) }))
      ] as const
    )
    fc.assert(
      fc.property(overridden, fc.integer({ min: -4000, max: 4000 }), ([change, rotation, overrides], minutes) => {
        const now = change + minutes * minute
        const active = overrides.filter(({ end, start }) => ms(start) <= now && now < ms(end))
          .sort((one, other) => ms(one.createdAt) - ms(other.createdAt) || (one.id < other.id ? -1 : 1))
        const expected = active.reduce<ReadonlyArray<string>>(
          (people, { insteadOf, userId }) =>
            insteadOf === null ? [userId] : people.map((one) => (one === insteadOf ? userId : one)),
          onCall(rotation, now)
        )
        const shifts = shiftsAt(rotation, overrides, at(now))
        expect(shifts.map(({ userId }) => userId).sort()).toEqual([...expected].sort())
        // Whole, however far they reach.
        const listed = shiftsBetween(rotation, overrides, at(change - 30 * day), at(change + 30 * day))
        expect(listed.filter(({ end, start }) => ms(start) <= now && now < ms(end))).toEqual(shifts)
      }),
      { numRuns: 150 }
    )
  })
})

const own = {
  handoffDay: 0,
  handoffTime: "09:00",
  startDay: "2026-03-23",
  participants: [user("a"), user("b"), user("c")] as const
}
const named = (rotation: RotationSettings, from: string, days: number) =>
  shiftsBetween(rotation, [], DateTime.unsafeMake(from), DateTime.add(DateTime.unsafeMake(from), { days })).map((
    { end, start, userId }
  ) => `${userId.slice(4)} ${DateTime.formatIso(start).slice(5, 16)} ${DateTime.formatIso(end).slice(5, 16)}`)

describe("a rotation people have", () => {
  it("is daily, at the local time through a clock change", () => {
    expect(named({ ...own, timezone: "Europe/Berlin", turnUnit: "day" }, "2026-03-28T12:00:00Z", 2)).toEqual([
      "c 03-28T08:00 03-29T07:00",
      "a 03-29T07:00 03-30T07:00",
      "b 03-30T07:00 03-31T07:00"
    ])
  })

  it("is of two weeks, with two people at a time", () => {
    const rotation = { ...own, timezone: "UTC", turnLength: 2, atOnce: 2 }
    expect(named(rotation, "2026-03-24T00:00:00Z", 20)).toEqual([
      "a 03-23T09:00 04-06T09:00",
      "b 03-23T09:00 04-06T09:00",
      "c 04-06T09:00 04-20T09:00",
      "a 04-06T09:00 04-20T09:00"
    ])
  })

  it("has other people at the weekend, and gaps where nobody is", () => {
    const rotation = {
      ...own,
      timezone: "UTC",
      hours: [{ days: [0, 1, 2, 3, 4], from: "08:00", to: "18:00" }],
      layers: [{ ...own, participants: [user("w")] as const, hours: [{ days: [5, 6], from: "00:00", to: "00:00" }] }]
    }
    expect(named(rotation, "2026-03-27T12:00:00Z", 3)).toEqual([
      "a 03-27T08:00 03-27T18:00",
      "w 03-28T00:00 03-30T00:00",
      "a 03-30T08:00 03-30T09:00",
      "b 03-30T09:00 03-30T18:00"
    ])
    const [from, to] = [DateTime.unsafeMake("2026-03-27T12:00:00Z"), DateTime.unsafeMake("2026-03-30T12:00:00Z")]
    expect(
      uncovered(shiftsBetween(rotation, [], from, to), from, to).map(({ end, start }) => [start, end].map(DateTime.formatIso))
    )
      .toEqual([
        ["2026-03-27T18:00:00.000Z", "2026-03-28T00:00:00.000Z"],
        ["2026-03-30T00:00:00.000Z", "2026-03-30T08:00:00.000Z"]
      ])
  })

  it("follows the sun", () => {
    const shift = (name: string, from: string, to: string) => ({
      ...own,
      participants: [user(name)] as const,
      hours: [{ days: [0, 1, 2, 3, 4, 5, 6], from, to }]
    })
    const rotation = {
      ...shift("europe", "08:00", "16:00"),
      timezone: "UTC",
      layers: [shift("america", "16:00", "00:00"), shift("asia", "00:00", "08:00")]
    }
    expect(named(rotation, "2026-06-02T10:00:00Z", 1)).toEqual([
      "europe 06-02T08:00 06-02T16:00",
      "america 06-02T16:00 06-03T00:00",
      "asia 06-03T00:00 06-03T08:00",
      "europe 06-03T08:00 06-03T16:00"
    ])
  })
})
