/** Results that a process has fetched and not passed on are bounded in results and in bytes. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeResultIntake } from "../../src/bus/ResultIntake.ts"
import { monitor, result } from "./Fixtures.ts"

const mebibyte = 1024 * 1024
const piece = (count: number, bytes: number) => ({
  reading: { partition: 0, next: null },
  results: Array.from({ length: count }, (_, slot) => result(monitor(1), slot)),
  bytes,
  next: "1"
})

describe("the results that were fetched", () => {
  it.effect("hold fetching back while there are too many of them, or they are too large", () =>
    Effect.gen(function*() {
      const intake = makeResultIntake()
      intake.offer(piece(3_999, mebibyte))
      expect(intake.isFull()).toBe(false)
      intake.offer(piece(1, mebibyte))
      expect(intake.isFull()).toBe(true)
      yield* intake.take(3_999)
      expect(intake.isFull()).toBe(false)
      intake.offer(piece(10, 63 * mebibyte))
      expect(intake.isFull()).toBe(true)
      yield* intake.take(500)
      yield* intake.take(500)
      expect(intake.isFull()).toBe(false)
      yield* intake.room
    }))

  it.effect("are passed on in batches of so many, or fewer large ones", () =>
    Effect.gen(function*() {
      const intake = makeResultIntake()
      for (const bytes of [1, 1, 1, 15, 20, 1]) intake.offer(piece(100, bytes * mebibyte))
      const batches = yield* Effect.replicateEffect(intake.take(500), 4)
      expect(batches.map((pieces) => pieces.map(({ bytes }) => bytes / mebibyte))).toEqual([[1, 1, 1], [15], [20], [1]])
    }))
})
