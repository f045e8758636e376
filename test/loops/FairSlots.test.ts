/** Work in slots that owners share. */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { makeFairQueue } from "../../src/domain/tools/queues/FairQueue.ts"
import { makeFairSlots } from "../../src/loops/FairSlots.ts"

const limits = { slots: 2, mostPerOwner: 1, room: { total: 100, perOwner: 2, weigh: () => 1 } }

const make = () => makeFairSlots(makeFairQueue<() => void>(limits), Effect.fail("full"))

/** Forks work that runs until its gate opens, and lets it come as far as it can. */
const forkGated = (turns: ReturnType<typeof make>, owner: string) =>
  Effect.gen(function*() {
    const begun = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    const work = Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(gate))
    const fiber = yield* Effect.fork(turns(owner, work))
    yield* Effect.yieldNow()
    return { fiber, begun: Deferred.isDone(begun), open: Deferred.succeed(gate, undefined) }
  })

describe("Fair turns", () => {
  it.effect("an owner with much work leaves a slot for another", () =>
    Effect.gen(function*() {
      const turns = make()
      const first = yield* forkGated(turns, "busy")
      const second = yield* forkGated(turns, "busy")
      const other = yield* forkGated(turns, "quiet")
      expect(yield* first.begun).toBe(true)
      expect(yield* second.begun).toBe(false)
      expect(yield* other.begun).toBe(true)
      yield* first.open
      yield* Fiber.join(first.fiber)
      yield* Effect.yieldNow()
      expect(yield* second.begun).toBe(true)
    }))

  it.effect("work that is interrupted while it waits takes no slot", () =>
    Effect.gen(function*() {
      const turns = make()
      const first = yield* forkGated(turns, "busy")
      const left = yield* forkGated(turns, "busy")
      const last = yield* forkGated(turns, "busy")
      yield* Fiber.interrupt(left.fiber)
      yield* first.open
      yield* Fiber.join(first.fiber)
      yield* Effect.yieldNow()
      expect(yield* left.begun).toBe(false)
      expect(yield* last.begun).toBe(true)
    }))

  it.effect("work that is interrupted frees its slot", () =>
    Effect.gen(function*() {
      const turns = make()
      const first = yield* forkGated(turns, "busy")
      const second = yield* forkGated(turns, "busy")
      yield* Fiber.interrupt(first.fiber)
      yield* Effect.yieldNow()
      expect(yield* second.begun).toBe(true)
    }))

  it.effect("work that finds no room to wait fails", () =>
    Effect.gen(function*() {
      const turns = make()
      yield* Effect.forEach([1, 2, 3], () => forkGated(turns, "busy"))
      expect(yield* Effect.exit(turns("busy", Effect.void))).toEqual(Exit.fail("full"))
      expect(yield* turns("quiet", Effect.succeed("done"))).toBe("done")
    }))
})
