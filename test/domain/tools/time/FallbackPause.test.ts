/** How often runners poll without a signal. */
import { describe, expect, it } from "@effect/vitest"
import { Duration } from "effect"
import fc from "fast-check"
import { fallbackPause, longestFallback } from "../../../../src/domain/tools/time/FallbackPause.ts"

describe("the fallback pause", () => {
  it("makes all runners together poll at most as often as one, and none waits longer than the longest", () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 20 }), (held) => {
      const all = held.reduce((sum, shards) => sum + shards, 0)
      const pauses = held.map((shards) => Duration.toMillis(fallbackPause(shards / all)))
      expect(Math.max(...pauses)).toBeLessThanOrEqual(Duration.toMillis(longestFallback))
      const unlimited = pauses.filter((pause) => pause < Duration.toMillis(longestFallback))
      expect(unlimited.reduce((sum, pause) => sum + 1 / pause, 0)).toBeLessThanOrEqual(1 / 5_000 + 1e-12)
    }))
  })

  it("is 5 s for a single runner, and for one that holds no shards yet", () => {
    expect([0, 1].map((share) => Duration.toMillis(fallbackPause(share)))).toEqual([5_000, 5_000])
  })
})
