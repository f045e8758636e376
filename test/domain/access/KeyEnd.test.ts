/** Why a key that was valid once is refused. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import * as fc from "fast-check"
import { keyEnd } from "../../../src/domain/access/KeyEnd.ts"

const moment = fc.integer({ min: 0, max: 4e12 }).map((at) => DateTime.unsafeMake(at))
const times = fc.record({ revokedAt: fc.option(moment), expiresAt: fc.option(moment) })

describe("a key", () => {
  it("has ended exactly if it was revoked or has expired, and names the earlier end", () => {
    fc.assert(fc.property(times, moment, ({ expiresAt, revokedAt }, now) => {
      const ends = [
        ...(revokedAt === null ? [] : [revokedAt]),
        ...(expiresAt !== null && DateTime.lessThanOrEqualTo(expiresAt, now) ? [expiresAt] : [])
      ].sort((a, b) => a.epochMillis - b.epochMillis)
      const refusal = keyEnd({ deletedAt: null, expiresAt, revokedAt }, now)
      expect(refusal === null).toBe(ends.length === 0)
      const [first] = ends
      if (refusal === null || first === undefined) return
      expect(refusal.message).toContain(DateTime.formatIso(first).slice(0, 19))
    }))
  })
})
