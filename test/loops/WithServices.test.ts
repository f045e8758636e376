import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, FiberRef } from "effect"
import { keepingServices, withReference, withServices } from "../../src/loops/WithServices.ts"

class Color extends Context.Reference<Color>()("test/Color", { defaultValue: () => "grey" }) {}

const red = Context.make(Color, "red")

describe("services given to an effect", () => {
  it.effect("are there for it and its children, and not afterwards", () =>
    Effect.gen(function*() {
      expect(yield* withServices(Color, red)).toBe("red")
      expect(yield* withServices(Effect.flatMap(Effect.fork(Color), Fiber.join), red)).toBe("red")
      expect(yield* Color).toBe("grey")
    }))

  it.effect("are gone after a failure", () =>
    Effect.gen(function*() {
      expect(yield* Effect.exit(withServices(Effect.fail("no"), red))).toEqual(Exit.fail("no"))
      expect(yield* Color).toBe("grey")
    }))

  it.effect("are gone for what runs after an interruption", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const running = withServices(Effect.interrupt, red).pipe(
        Effect.ensuring(Effect.map(Color, (color) => void seen.push(color)))
      )
      yield* Effect.flatMap(Effect.fork(running), Fiber.await)
      expect(seen).toEqual(["grey"])
    }))

  it.effect("leave the effect as interruptible as it was", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.fork(withServices(Effect.never, red))
      yield* Effect.yieldNow()
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
    }))

  it.effect("stay until the surrounding call restores its own, where the fiber keeps them", () =>
    Effect.gen(function*() {
      const blue = Context.make(Color, "blue")
      const inner = Effect.zipRight(keepingServices(Effect.void, red), Color)
      expect(yield* withServices(inner, blue)).toBe("red")
      expect(yield* Color).toBe("grey")
    }))
})

describe("a reference changed for an effect", () => {
  it.effect("is restored at the end of the effect, which is reported once", () =>
    Effect.gen(function*() {
      const size = FiberRef.unsafeMake(1)
      let ended = 0
      const doubled = withReference(FiberRef.get(size), size, (before) => before * 2, () => ended++)
      expect([yield* doubled, yield* FiberRef.get(size), ended]).toEqual([2, 1, 1])
    }))
})
