/** Durations formatted for people. */
import { expect, it } from "@effect/vitest"
import { durationText } from "../../../../src/domain/tools/time/Duration.ts"

it.each([
  [0, "0 seconds"],
  [1, "1 second"],
  [59.6, "1 minute"],
  [61, "1 minute 1 second"],
  [3600, "1 hour"],
  [3725, "1 hour 2 minutes"],
  [90_000, "1 day 1 hour"],
  [-5, "0 seconds"]
])("%d seconds are %s", (seconds, words) => {
  expect(durationText(seconds)).toBe(words)
})
