/** The verdict on a mail that the mail server did not accept. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import { judgeMail } from "../../../src/domain/alert/DeliveryVerdict.ts"

const now = DateTime.unsafeMake("2026-11-20T08:00:00Z")
const failure = (responseCode: number | null, command: string | null) => ({ responseCode, command, reason: "no" })

describe("a mail that was not accepted", () => {
  it("is given up immediately only when its recipient or content is permanently rejected", () => {
    const cases = [
      [550, "RCPT TO", "Dead"],
      [554, "DATA", "Dead"],
      [450, "RCPT TO", "Again"],
      [421, null, "Again"],
      [535, "AUTH PLAIN", "Again"],
      [550, "MAIL FROM", "Again"],
      [530, "RCPT TO", "Again"],
      [null, null, "Again"]
    ] as const
    for (const [code, command, verdict] of cases) {
      expect([code, command, judgeMail(failure(code, command), 1, now, null)._tag]).toEqual([code, command, verdict])
    }
  })

  it("is not retried after it expires, nor endlessly", () => {
    expect(judgeMail(failure(null, null), 1, now, DateTime.add(now, { seconds: 29 }))).toEqual({
      _tag: "Dead",
      error: "no; a retry would arrive too late"
    })
    expect(judgeMail(failure(null, null), 1, now, DateTime.add(now, { seconds: 31 }))).toEqual({
      _tag: "Again",
      at: DateTime.add(now, { seconds: 30 }),
      error: "no"
    })
    expect(judgeMail(failure(null, null), 8, now, null)._tag).toBe("Dead")
  })
})
