/** Long turns of the event loop are counted under the name that took them. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { register } from "prom-client"
import { inTurnsOf } from "../../src/loops/TurnMeter.ts"

/** Holds the loop; what is measured is that it was noticed, not how long it took. */
const hold = (ms: number) =>
  Effect.sync(() => {
    const until = performance.now() + ms
    while (performance.now() < until);
  })

const nextTurn = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))

const valueOf = (metric: string, name: string) =>
  Effect.promise(async () =>
    (await register.getSingleMetric(metric)?.get())?.values.find(({ labels }) => labels.name === name)?.value ?? 0
  )

const long = (name: string) => valueOf("belltower_event_loop_long_turns_total", name)
const longest = (name: string) => valueOf("belltower_event_loop_longest_turn_seconds", name)

it.live("a turn above 50 ms is counted once, for the operation that held the loop", () =>
  Effect.gen(function*() {
    yield* Effect.all([
      inTurnsOf("quick")(Effect.zipRight(Effect.yieldNow(), hold(1))),
      inTurnsOf("slow")(Effect.zipRight(Effect.yieldNow(), hold(60)))
    ], { concurrency: 2 })
    yield* nextTurn
    yield* nextTurn
    expect([yield* long("slow"), yield* long("quick")]).toEqual([1, 0])
    expect(yield* longest("slow")).toBeGreaterThanOrEqual(0.06)
  }))

/** Turns that took at most this long, in seconds, and all of them. */
const turnsWithin = (most: number) =>
  Effect.promise(async () => {
    const { values = [] } = await register.getSingleMetric("belltower_event_loop_turn_seconds")?.get() ?? {}
    const counted = (le: number | string) => values.find(({ labels }) => "le" in labels && labels.le === le)?.value ?? 0
    return { short: counted(most), all: counted("+Inf") }
  })

it.live("all turns are counted by their length, the short ones, too", () =>
  Effect.gen(function*() {
    const before = yield* turnsWithin(0.05)
    yield* inTurnsOf("quick")(nextTurn)
    yield* inTurnsOf("slow")(Effect.zipRight(nextTurn, hold(60)))
    yield* nextTurn
    yield* nextTurn
    const after = yield* turnsWithin(0.05)
    const long = after.all - after.short - (before.all - before.short)
    expect([after.short > before.short, long > 0]).toEqual([true, true])
  }))

it.live("work in parts counts by its longest part, also in forked fibers; waiting counts nothing", () =>
  Effect.gen(function*() {
    const part = Effect.zipRight(nextTurn, hold(30))
    yield* inTurnsOf("parts")(Effect.forEach(Array.from({ length: 10 }), () => part))
    yield* inTurnsOf("waiting")(Effect.sleep("80 millis"))
    yield* Effect.flatMap(inTurnsOf("forked")(Effect.fork(Effect.zipRight(nextTurn, hold(60)))), (fiber) => fiber.await)
    yield* nextTurn
    yield* nextTurn
    expect([yield* long("waiting"), yield* long("forked")]).toEqual([0, 1])
    expect(yield* longest("parts")).toBeGreaterThanOrEqual(0.03)
    expect(yield* longest("parts")).toBeLessThan(0.3)
  }))

it.live("an operation within another takes the time that it spends", () =>
  Effect.gen(function*() {
    yield* inTurnsOf("outer")(Effect.zipRight(nextTurn, inTurnsOf("inner")(Effect.zipRight(nextTurn, hold(60)))))
    yield* nextTurn
    yield* nextTurn
    expect([yield* long("inner"), yield* long("outer")]).toEqual([1, 0])
  }))
