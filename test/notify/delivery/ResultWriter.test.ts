/** Results of attempts that wait while their process ends: of a workspace that somebody has locked, and those that have just come. */
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, TestClock } from "effect"
import { WorkspaceId } from "../../../schema/Ids.ts"
import { makeResultWriter } from "../../../src/notify/delivery/ResultWriter.ts"

const workspaceId = WorkspaceId.make("ws_1")
const locked = { code: "55P03" }

/** A database that answers each write by the next of `answers`, and those after them immediately. */
const database = (...answers: ReadonlyArray<Effect.Effect<void, unknown>>) => {
  const written: Array<string> = []
  let count = 0
  return {
    written,
    options: {
      of: "deliveries",
      workspaceOf: () => workspaceId,
      write: (results: ReadonlyArray<string>) =>
        Effect.suspend(() => answers[count++] ?? Effect.void).pipe(
          Effect.zipRight(Effect.sync(() => void written.push(...results)))
        )
    }
  }
}

/** A process that ends after `before`, which adds results; `during` happens while it ends. */
const ends = <A>(
  options: Parameters<typeof makeResultWriter<A>>[0],
  before: (add: (result: A) => void) => Effect.Effect<void>,
  during: Effect.Effect<void>
) =>
  Effect.gen(function*() {
    const process = Effect.scoped(Effect.gen(function*() {
      const writer = yield* makeResultWriter(options)
      yield* Effect.addFinalizer(() => writer.flush)
      yield* before(writer.add)
    }))
    const fiber = yield* Effect.fork(process)
    yield* TestClock.adjust("5 seconds")
    yield* during
    yield* Fiber.join(fiber)
  })

it.effect("the results of a locked workspace that are being tried again when the process ends are written before it does", () =>
  Effect.gen(function*() {
    const [begun, free] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const again = Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(free))
    const { options, written } = database(Effect.fail(locked), Effect.fail(locked), again)
    const isTriedAgain = (add: (result: string) => void) => Effect.zipRight(Effect.sync(() => add("one")), Deferred.await(begun))
    yield* ends(options, isTriedAgain, Effect.zipRight(Effect.yieldNow(), Deferred.succeed(free, undefined)))
    expect(written).toEqual(["one"])
  }))

it.effect("so are results that come while those of their workspace are tried again", () =>
  Effect.gen(function*() {
    const [begun, free] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const again = Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(free))
    const { options, written } = database(Effect.fail(locked), Effect.fail(locked), again)
    const comesLater = (add: (result: string) => void) =>
      Effect.sync(() => add("one")).pipe(Effect.zipRight(Deferred.await(begun)), Effect.zipRight(Effect.sync(() => add("two"))))
    yield* ends(options, comesLater, Effect.zipRight(Effect.yieldNow(), Deferred.succeed(free, undefined)))
    expect(written).toEqual(["one", "two"])
  }))

it.effect("so are results whose first write is under way", () =>
  Effect.gen(function*() {
    const [begun, free] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const { options, written } = database(Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(free)))
    const isWritten = (add: (result: string) => void) => Effect.zipRight(Effect.sync(() => add("one")), Deferred.await(begun))
    yield* ends(options, isWritten, Effect.zipRight(Effect.yieldNow(), Deferred.succeed(free, undefined)))
    expect(written).toEqual(["one"])
  }))
