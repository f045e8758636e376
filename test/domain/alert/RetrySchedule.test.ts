import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration, FastCheck, Option } from "effect"
import { longestWait, maxAttempts, nextAttemptAt, parseRetryAfter } from "../../../src/domain/alert/RetrySchedule.ts"

const now = DateTime.unsafeMake("2026-11-20T08:00:00.000Z")
const waitAfter = (attempts: number, asked: Option.Option<Duration.Duration> = Option.none()) =>
  Option.map(nextAttemptAt(attempts, now, asked), (at) => DateTime.distance(now, at) / 1000)

const attempt = FastCheck.integer({ min: 1, max: 7 })

describe("the retry schedule", () => {
  it("waits 30 s, 2 min, 10 min, 30 min, 1 h, 3 h and 6 h, and gives up after the eighth attempt", () => {
    expect([1, 2, 3, 4, 5, 6, 7].map((n) => Option.getOrNull(waitAfter(n)))).toEqual([30, 120, 600, 1800, 3600, 10_800, 21_600])
    expect(maxAttempts).toBe(8)
    expect(waitAfter(8)).toEqual(Option.none())
  })

  it.prop(
    "never schedules an attempt after the eighth",
    [FastCheck.integer({ min: 8, max: 1000 })],
    ([attempts]) => Option.isNone(nextAttemptAt(attempts, now, Option.none()))
  )

  it.prop("is never shortened by the receiver, nor extended beyond an hour or the schedule", [
    attempt,
    FastCheck.integer({ min: 0, max: 1_000_000 })
  ], ([attempts, seconds]) => {
    const scheduled = Option.getOrThrow(waitAfter(attempts))
    const asked = Option.getOrThrow(waitAfter(attempts, Option.some(Duration.seconds(seconds))))
    return asked >= scheduled && asked <= Math.max(scheduled, 3600) && asked <= Duration.toSeconds(longestWait)
  })

  it("waits as long as the receiver asks, if that is later than the schedule and at most an hour", () => {
    const asking = (attempts: number, seconds: number) =>
      Option.getOrThrow(waitAfter(attempts, Option.some(Duration.seconds(seconds))))
    expect(asking(1, 90)).toBe(90)
    expect(asking(1, 3600)).toBe(3600)
    expect(asking(1, 3601)).toBe(30)
    expect(asking(3, 90)).toBe(600)
  })

  it("reads Retry-After in seconds and as a date, and nothing else", () => {
    const read = (value: string | undefined) => Option.getOrNull(Option.map(parseRetryAfter(value, now), Duration.toSeconds))
    expect(read("120")).toBe(120)
    expect(read("Fri, 20 Nov 2026 08:02:00 GMT")).toBe(120)
    expect(read("Fri, 20 Nov 2026 07:00:00 GMT")).toBe(0)
    expect(read("soon")).toBe(null)
    expect(read("-5")).toBe(null)
    expect(read(undefined)).toBe(null)
  })
})
