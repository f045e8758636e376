/** The joins of fibers, spared of a comparison. */
import { expect, it } from "@effect/vitest"
import { Context, Effect, Fiber, FiberRef } from "effect"
import { sparedJoins } from "../../src/loops/FiberJoins.ts"

class Word extends Context.Reference<Word>()("test/Word", { defaultValue: () => "none" }) {}
class Other extends Context.Reference<Other>()("test/Other", { defaultValue: () => "none" }) {}

const words = Effect.all([Word, Other])
const inherited = <A>(child: Effect.Effect<A>) => Effect.flatMap(Effect.fork(child), Fiber.join)

it.effect("services that a fiber provided for a moment do not reach its parent", () =>
  Effect.gen(function*() {
    yield* sparedJoins
    const seen = yield* inherited(Effect.zipLeft(Effect.provideService(words, Word, "child"), Effect.yieldNow()))
    expect(seen).toEqual(["child", "parent"])
    expect(yield* words).toEqual(["none", "parent"])
  }).pipe(Effect.provideService(Other, "parent")))

it.effect("services that a fiber changed for good reach its parent, and leave what the parent has", () =>
  Effect.gen(function*() {
    yield* sparedJoins
    yield* inherited(FiberRef.update(FiberRef.currentContext, Context.add(Word, "child")))
    expect(yield* words).toEqual(["child", "parent"])
  }).pipe(Effect.provideService(Other, "parent")))

it.effect("a fiber that changed nothing for good is not compared with its parent", () => {
  let comparisons = 0
  class Counted extends Map<string, unknown> {
    override entries() {
      comparisons++
      return super.entries()
    }
  }
  return Effect.gen(function*() {
    yield* sparedJoins
    comparisons = 0
    yield* inherited(Effect.provideService(Effect.yieldNow(), Word, "child"))
    expect(comparisons).toBe(0)
  }).pipe(Effect.mapInputContext((given: Context.Context<never>) => Context.unsafeMake<never>(new Counted(given.unsafeMap))))
})

it.effect("a clock of a fiber's own ends with it", () =>
  Effect.gen(function*() {
    yield* sparedJoins
    const clock = yield* Effect.clock
    const other = { ...clock, unsafeCurrentTimeMillis: () => 7 }
    expect(yield* inherited(Effect.withClock(Effect.clockWith((own) => Effect.succeed(own)), other))).toBe(other)
    expect(yield* Effect.clock).toBe(clock)
  }))
