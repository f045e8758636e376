/** An outage is logged when it begins and when it ends, and its end says how long it was. */
import { expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { makeOutage } from "../../src/loops/Outage.ts"
import { collectingLog } from "../support/measure/CollectingLog.ts"

it.effect("logs one line for the beginning and one for the end, with the time between the first failure and the end", () => {
  const lines: Array<string> = []
  return Effect.gen(function*() {
    const outage = makeOutage("Storing pings")
    yield* outage.worked
    yield* outage.failed("no answer")
    yield* TestClock.adjust("100 seconds")
    yield* outage.failed("no answer")
    yield* TestClock.adjust("25 seconds")
    yield* outage.worked
    yield* outage.worked
    expect(lines).toEqual(["Storing pings failed; retrying: no answer", "Storing pings works again after 2 minutes 5 seconds"])
    yield* outage.failed("no answer")
    yield* TestClock.adjust("1 second")
    yield* outage.worked
    expect(lines.slice(2)).toEqual(["Storing pings failed; retrying: no answer", "Storing pings works again after 1 second"])
  }).pipe(Effect.provide(collectingLog(lines)))
})

it.effect("logs nothing of the failures that it tolerates", () => {
  const lines: Array<string> = []
  return Effect.gen(function*() {
    const outage = makeOutage("Asking monitors", 2)
    yield* outage.failed("busy")
    yield* outage.failed("busy")
    yield* outage.worked
    expect(lines).toEqual([])
  }).pipe(Effect.provide(collectingLog(lines)))
})
