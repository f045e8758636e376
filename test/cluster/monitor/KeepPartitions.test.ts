/** When which assignments are published again, and which old partitions are emptied. */
import { expect, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, TestClock } from "effect"
import { makeKeepPartitions } from "../../../cluster/monitor/AssignmentPublisher.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { LocalBus } from "../../../src/bus/LocalBus.ts"
import { Regions } from "../../../src/store/check/Regions.ts"
import { PublishedPartitions } from "../../../src/store/monitor/PublishedPartitions.ts"

type Places = Readonly<Record<string, number>>
const countsOf = (partitions: Places) =>
  new Map(Object.entries(partitions).map(([region, partitions]) => [RegionId.make(region), partitions]))

/** Regions and a record whose numbers of partitions the test sets, and what was replayed. */
const makeWorld = (partitions: Places, recorded: Places) => {
  const world = { partitions, recorded, replays: Array<{ regions: ReadonlyArray<string> | null; formerly: Places }>() }
  const opened = new Set<string>()
  const bus = Layer.effect(
    Bus,
    Effect.map(Bus, (bus): Bus["Type"] => ({
      ...bus,
      open: (region) => Effect.as(Effect.sync(() => opened.add(region)), true),
      partitions: Effect.sync(() =>
        countsOf(Object.fromEntries(Object.entries(world.partitions).filter(([id]) => opened.has(id))))
      )
    }))
  ).pipe(Layer.provide(LocalBus.layer))
  const known = Effect.sync(() =>
    ["eu", "us"].map((id) => ({
      id: RegionId.make(id),
      lastBeatAt: DateTime.unsafeMake(0),
      newestCheckAt: null,
      lastResultAt: null,
      alone: false
    }))
  )
  const regions = Layer.succeed(
    Regions,
    Regions.make({ known, heard: () => Effect.void, stored: () => Effect.void, foundAlone: () => Effect.void })
  )
  const record = Layer.succeed(
    PublishedPartitions,
    PublishedPartitions.make({
      recorded: Effect.sync(() => countsOf(world.recorded)),
      record: (now) =>
        Effect.sync(() => {
          world.recorded = { ...world.recorded, ...Object.fromEntries(now) }
        })
    })
  )
  const start = Effect.flatMap(
    makeKeepPartitions(({ formerly, regions }) =>
      Effect.sync(() => void world.replays.push({ regions, formerly: Object.fromEntries(formerly) }))
    ),
    Effect.fork
  ).pipe(Effect.provide(Layer.mergeAll(bus, record, regions)))
  return { world, start }
}

const all = { regions: null, formerly: {} }

it.effect("all assignments are published once at the start, and the numbers of partitions are recorded", () =>
  Effect.gen(function*() {
    const { start, world } = makeWorld({ eu: 4, us: 4 }, {})
    yield* start
    yield* TestClock.adjust("10 minutes")
    expect(world).toEqual({ partitions: { eu: 4, us: 4 }, recorded: { eu: 4, us: 4 }, replays: [all] })
  }))

it.effect("a region that comes later gets its assignments, and no other region gets any", () =>
  Effect.gen(function*() {
    const { start, world } = makeWorld({ eu: 4 }, { eu: 4 })
    yield* start
    yield* TestClock.adjust("1 minute")
    world.partitions = { eu: 4, us: 16 }
    yield* TestClock.adjust("10 minutes")
    expect(world.replays).toEqual([all, { regions: ["us"], formerly: {} }])
    expect(world.recorded).toEqual({ eu: 4, us: 16 })
  }))

it.effect("a region whose topics were lost and come again gets its assignments again", () =>
  Effect.gen(function*() {
    const { start, world } = makeWorld({ eu: 4, us: 4 }, { eu: 4, us: 4 })
    yield* start
    yield* TestClock.adjust("1 minute")
    world.partitions = { eu: 4 }
    yield* TestClock.adjust("1 minute")
    world.partitions = { eu: 4, us: 4 }
    yield* TestClock.adjust("10 minutes")
    expect(world.replays).toEqual([all, { regions: ["us"], formerly: {} }])
  }))

it.effect("more partitions: the region's are published first, and old partitions emptied once workers know the new ones", () =>
  Effect.gen(function*() {
    const { start, world } = makeWorld({ eu: 4, us: 4 }, { eu: 4, us: 4 })
    yield* start
    yield* TestClock.adjust("1 minute")
    world.partitions = { eu: 7, us: 4 }
    yield* TestClock.adjust("1 minute")
    expect(world.recorded).toEqual({ eu: 4, us: 4 })
    expect(world.replays).toEqual([all, { regions: ["eu"], formerly: {} }])
    yield* TestClock.adjust("10 minutes")
    expect(world.recorded).toEqual({ eu: 7, us: 4 })
    expect(world.replays.slice(2)).toEqual([{ regions: ["eu"], formerly: { eu: 4, us: 4 } }])
  }))

it.effect("old partitions that a process left when it died are emptied by the next", () =>
  Effect.gen(function*() {
    const { start, world } = makeWorld({ eu: 7 }, { eu: 4 })
    const first = yield* start
    yield* TestClock.adjust("1 minute")
    yield* Fiber.interrupt(first)
    yield* start
    yield* TestClock.adjust("10 minutes")
    expect(world).toEqual({
      partitions: { eu: 7 },
      recorded: { eu: 7 },
      replays: [all, all, { regions: ["eu"], formerly: { eu: 4 } }]
    })
  }))
