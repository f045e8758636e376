/** When which assignments are published again, and which old partitions are emptied. */
import { expect, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, TestClock } from "effect"
import { makeKeepPartitions } from "../../../cluster/monitor/AssignmentPublisher.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { Bus, type OneRegion } from "../../../src/bus/Bus.ts"
import { LocalBus } from "../../../src/bus/LocalBus.ts"
import { Regions } from "../../../src/store/check/Regions.ts"
import { PublishedPartitions } from "../../../src/store/monitor/PublishedPartitions.ts"

type Places = Readonly<Record<string, number>>
const countsOf = (partitions: Places) =>
  new Map(Object.entries(partitions).map(([region, partitions]) => [RegionId.make(region), partitions]))

/** Regions and a record whose numbers of partitions the test sets, what was replayed, and the region that takes no messages. */
const makeWorld = (partitions: Places, recorded: Places, stuck?: string) => {
  const world = { partitions, recorded, replays: Array<OneRegion | null>() }
  const opened = new Set<string>()
  const bus = Layer.effect(
    Bus,
    Effect.map(Bus, (bus): Bus["Type"] => ({
      ...bus,
      publishKeys: Effect.void,
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
  const start = makeKeepPartitions((only) =>
    Effect.zipRight(Effect.sync(() => world.replays.push(only)), only?.region === stuck ? Effect.never : Effect.void)
  ).pipe(Effect.flatten, Effect.scoped, Effect.fork, Effect.provide(Layer.mergeAll(bus, record, regions)))
  return { world, start }
}

const [eu, us] = [{ region: RegionId.make("eu") }, { region: RegionId.make("us") }]

it.effect("all assignments are published once at the start, and the numbers of partitions are recorded", () =>
  Effect.gen(function*() {
    const { start, world } = makeWorld({ eu: 4, us: 4 }, {})
    yield* start
    yield* TestClock.adjust("10 minutes")
    expect(world).toEqual({ partitions: { eu: 4, us: 4 }, recorded: { eu: 4, us: 4 }, replays: [eu, us] })
  }))

it.effect("a region that comes later gets its assignments, and no other region gets any", () =>
  Effect.gen(function*() {
    const { start, world } = makeWorld({ eu: 4 }, { eu: 4 })
    yield* start
    yield* TestClock.adjust("1 minute")
    world.partitions = { eu: 4, us: 16 }
    yield* TestClock.adjust("10 minutes")
    expect(world.replays).toEqual([eu, us])
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
    expect(world.replays).toEqual([eu, us, us])
  }))

it.effect("more partitions: the region's are published first, and old partitions emptied once workers know the new ones", () =>
  Effect.gen(function*() {
    const { start, world } = makeWorld({ eu: 4, us: 4 }, { eu: 4, us: 4 })
    yield* start
    yield* TestClock.adjust("1 minute")
    world.partitions = { eu: 7, us: 4 }
    yield* TestClock.adjust("1 minute")
    expect(world.recorded).toEqual({ eu: 4, us: 4 })
    expect(world.replays).toEqual([eu, us, eu])
    yield* TestClock.adjust("10 minutes")
    expect(world.recorded).toEqual({ eu: 7, us: 4 })
    expect(world.replays.slice(3)).toEqual([{ ...eu, formerly: 4 }])
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
      replays: [eu, eu, { ...eu, formerly: 4 }]
    })
  }))

it.effect("a region whose topic takes no messages holds up no other: not its start, its growth, nor a region that comes", () =>
  Effect.gen(function*() {
    const { start, world } = makeWorld({ eu: 4, us: 4 }, { eu: 3, us: 4 }, "eu")
    yield* start
    yield* TestClock.adjust("1 minute")
    expect(world.replays).toEqual([eu, us])
    world.partitions = { eu: 4, us: 7 }
    yield* TestClock.adjust("10 minutes")
    expect(world.replays.slice(2)).toEqual([us, { ...us, formerly: 4 }])
    expect(world.recorded).toEqual({ eu: 3, us: 7 })
  }))
