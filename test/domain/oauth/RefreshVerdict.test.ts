/** What happens with a refresh token that is sent once, twice, or by a thief. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import { refreshVerdict } from "../../../src/domain/oauth/RefreshVerdict.ts"

const rotatedAt = DateTime.unsafeMake("2026-11-01T12:00:00Z")
const at = (seconds: number) => DateTime.addDuration(rotatedAt, `${seconds} seconds`)
const tokens = { present: ["b"], previous: ["a"], rotatedAt }

describe("a refresh token", () => {
  it("is replaced while it is the newest, however late", () => {
    expect(refreshVerdict("b", tokens, at(0))).toBe("rotate")
    expect(refreshVerdict("b", tokens, at(2_000_000))).toBe("rotate")
  })

  it("may be sent again for half a minute, until a newer one was used", () => {
    expect(refreshVerdict("a", tokens, at(29))).toBe("again")
    expect(refreshVerdict("a", tokens, at(30))).toBe("reused")
    // The newer one was used: it is the previous one now.
    expect(refreshVerdict("a", { present: ["c"], previous: ["b"], rotatedAt: at(5) }, at(6))).toBe("reused")
  })

  it("cannot be sent again without end", () => {
    expect(refreshVerdict("a", { ...tokens, present: ["b", "c", "d", "e"] }, at(1))).toBe("again")
    expect(refreshVerdict("a", { ...tokens, present: ["b", "c", "d", "e", "f"] }, at(1))).toBe("reused")
  })
})
