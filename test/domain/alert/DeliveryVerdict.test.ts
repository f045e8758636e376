import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration, FastCheck, Option } from "effect"
import { Answer, judge } from "../../../src/domain/alert/DeliveryVerdict.ts"

const now = DateTime.unsafeMake("2026-11-20T08:00:00.000Z")
const answered = (statusCode: number, retryAfter: Option.Option<Duration.Duration> = Option.none()) =>
  Answer.Answered({ statusCode, retryAfter })
const status = FastCheck.integer({ min: 100, max: 599 })
const attempts = FastCheck.integer({ min: 1, max: 8 })

describe("the verdict on an attempt", () => {
  it.prop(
    "is delivered exactly for 2xx",
    [status, attempts],
    ([code, n]) => (judge(answered(code), n, now)._tag === "Delivered") === (code >= 200 && code < 300)
  )

  it.prop(
    "is dead immediately for any 4xx except 408 and 429",
    [FastCheck.integer({ min: 400, max: 499 })],
    ([code]) => (judge(answered(code), 1, now)._tag === "Dead") === (code !== 408 && code !== 429)
  )

  it.prop("is dead after the eighth failure, and a retry before it", [
    FastCheck.oneof(FastCheck.integer({ min: 300, max: 399 }), FastCheck.integer({ min: 500, max: 599 })),
    attempts
  ], ([code, n]) => judge(answered(code), n, now)._tag === (n === 8 ? "Dead" : "Again"))

  it("is dead when an answer is impossible, and a retry when there is none yet", () => {
    expect(judge(Answer.Impossible({ reason: "No" }), 1, now)).toMatchObject({ _tag: "Dead", error: "No", statusCode: null })
    expect(judge(Answer.Unanswered({ reason: "Refused" }), 1, now)).toMatchObject({ _tag: "Again", error: "Refused" })
    expect(judge(Answer.Unanswered({ reason: "Refused" }), 8, now)).toMatchObject({
      _tag: "Dead",
      error: "Refused; gave up after 8 attempts"
    })
  })

  it("includes the status of the answer", () => {
    expect(judge(answered(410), 1, now)).toMatchObject({ error: "Answered 410 Gone", statusCode: 410 })
    expect(judge(answered(302), 1, now)).toMatchObject({ error: "Answered 302 Found; redirects are not followed" })
    expect(judge(answered(599), 1, now)).toMatchObject({ error: "Answered 599" })
  })

  it("respects Retry-After of 429 and 503 only", () => {
    const inFiveMinutes = Option.some(Duration.minutes(5))
    const wait = (code: number) => {
      const verdict = judge(answered(code, inFiveMinutes), 1, now)
      return verdict._tag === "Again" ? DateTime.distance(now, verdict.at) : null
    }
    expect([429, 503].map(wait)).toEqual([300_000, 300_000])
    expect([408, 500, 502].map(wait)).toEqual([30_000, 30_000, 30_000])
  })
})
