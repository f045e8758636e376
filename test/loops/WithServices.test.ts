import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, FiberRef } from "effect"
import { keepingServices, withReference } from "../../src/loops/WithServices.ts"

class Color extends Context.Reference<Color>()("test/Color", { defaultValue: () => "grey" }) {}

const red = Context.make(Color, "red")

describe("services given to an effect", () => {
  it.effect("stay until the surrounding call restores its own, where the fiber keeps them", () =>
    Effect.gen(function*() {
      const blue = Context.make(Color, "blue")
      const inner = Effect.zipRight(keepingServices(Effect.void, red), Color)
      expect(yield* Effect.provide(inner, blue)).toBe("red")
      expect(yield* Color).toBe("grey")
    }))
})

describe("a reference changed for an effect", () => {
  const size = FiberRef.unsafeMake(1)
  const double = (before: number) => before * 2

  it.effect("is restored after a failure, and for what runs after an interruption", () =>
    Effect.gen(function*() {
      expect(yield* Effect.exit(withReference(Effect.fail("no"), size, double))).toEqual(Exit.fail("no"))
      expect(yield* FiberRef.get(size)).toBe(1)
      const seen: Array<number> = []
      const running = withReference(Effect.interrupt, size, double).pipe(
        Effect.ensuring(Effect.map(FiberRef.get(size), (now) => void seen.push(now)))
      )
      yield* Effect.flatMap(Effect.fork(running), Fiber.await)
      expect(seen).toEqual([1])
    }))

  it.effect("leaves the effect as interruptible as it was", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.fork(withReference(Effect.never, size, double))
      yield* Effect.yieldNow()
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
    }))

  it.effect("is restored at the end of the effect, which is reported once", () =>
    Effect.gen(function*() {
      let ended = 0
      const doubled = withReference(FiberRef.get(size), size, double, () => ended++)
      expect([yield* doubled, yield* FiberRef.get(size), ended]).toEqual([2, 1, 1])
    }))
})
