import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import { afterSending, type CodeState, judgeCode } from "../../../src/domain/paging/WayCodes.ts"

const start = DateTime.unsafeMake("2026-11-20T10:00:00Z")
const hashOf = (code: string) => Buffer.from(code)
const none: CodeState = { hash: null, expiresAt: null, tries: 0, sent: 0, since: null }

const sent = (state: CodeState, code: string, at: DateTime.Utc): CodeState => {
  const next = afterSending(state, hashOf(code), at)
  if (next === null) throw new Error("No code was sent")
  return next
}

describe("the codes of a way", () => {
  it("hold for ten minutes and five tries", () => {
    const state = sent(none, "123456", start)
    expect(judgeCode(state, hashOf("123456"), start)).toBe("right")
    expect(judgeCode(state, hashOf("654321"), start)).toBe("wrong")
    expect(judgeCode(state, hashOf("123456"), DateTime.add(start, { minutes: 11 }))).toBe("over")
    expect(judgeCode({ ...state, tries: 4 }, hashOf("123456"), start)).toBe("right")
    expect(judgeCode({ ...state, tries: 5 }, hashOf("123456"), start)).toBe("over")
    expect(judgeCode(none, hashOf(""), start)).toBe("over")
  })

  it("are sent five times an hour, and only the last one counts", () => {
    const five = ["1", "2", "3", "4", "5"].reduce((state, code) => sent(state, code, start), none)
    expect(judgeCode(five, hashOf("4"), start)).toBe("wrong")
    expect(judgeCode(five, hashOf("5"), start)).toBe("right")
    expect(afterSending(five, hashOf("6"), DateTime.add(start, { minutes: 59 }))).toBeNull()
    expect(afterSending(five, hashOf("6"), DateTime.add(start, { hours: 1 }))).toMatchObject({ sent: 1, tries: 0 })
  })
})
