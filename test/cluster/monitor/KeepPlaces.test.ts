/** When all assignments are published again, and which old places are emptied. */
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { makeKeepPlaces } from "../../../cluster/monitor/AssignmentPublisher.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { LocalBus } from "../../../src/bus/LocalBus.ts"
import { AssignmentPlaces } from "../../../src/store/monitor/AssignmentPlaces.ts"

/** A topic and a record whose numbers of partitions the test sets, and what was replayed. */
const makeWorld = (partitions: number, recorded: number | null) => {
  const world = { partitions, recorded, replays: Array<number | null>() }
  const bus = Layer.effect(
    Bus,
    Effect.map(Bus, (bus): Bus["Type"] => ({ ...bus, partitions: Effect.sync(() => world.partitions) }))
  ).pipe(Layer.provide(LocalBus.layer))
  const places = Layer.succeed(
    AssignmentPlaces,
    AssignmentPlaces.make({
      partitions: Effect.sync(() => world.recorded),
      record: (count) =>
        Effect.sync(() => {
          world.recorded = count
        })
    })
  )
  const start = Effect.flatMap(
    makeKeepPlaces((formerly) => Effect.sync(() => void world.replays.push(formerly))),
    Effect.fork
  ).pipe(Effect.provide(Layer.merge(bus, places)))
  return { world, start }
}

it.effect("all assignments are published once at the start, and the number of partitions is recorded", () =>
  Effect.gen(function*() {
    const { start, world } = makeWorld(4, null)
    yield* start
    yield* TestClock.adjust("10 minutes")
    expect(world).toEqual({ partitions: 4, recorded: 4, replays: [null] })
  }))

it.effect("more partitions: all are published first, and old places emptied once workers know the new ones", () =>
  Effect.gen(function*() {
    const { start, world } = makeWorld(4, 4)
    yield* start
    yield* TestClock.adjust("1 minute")
    world.partitions = 7
    yield* TestClock.adjust("1 minute")
    expect(world).toEqual({ partitions: 7, recorded: 4, replays: [null, null] })
    yield* TestClock.adjust("10 minutes")
    expect(world).toEqual({ partitions: 7, recorded: 7, replays: [null, null, 4] })
  }))

it.effect("old places that a process left when it died are emptied by the next", () =>
  Effect.gen(function*() {
    const { start, world } = makeWorld(7, 4)
    const first = yield* start
    yield* TestClock.adjust("1 minute")
    yield* Fiber.interrupt(first)
    yield* start
    yield* TestClock.adjust("10 minutes")
    expect(world).toEqual({ partitions: 7, recorded: 7, replays: [null, null, 4] })
  }))
