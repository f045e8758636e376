/** The time that a check on demand has until its answer counts as missing. */
import { describe, expect, it } from "@effect/vitest"
import { answerTime } from "../../../../src/domain/check/answer/AnswerTime.ts"
import { allKinds, codeKinds } from "../../../../src/domain/monitor/kinds.ts"

describe("the answer to a check on demand", () => {
  it("may come after the check's timeout, and later if the check waits for a process of its own", () => {
    for (const kind of allKinds) {
      expect([kind, answerTime(kind, 10_000)]).toEqual([kind, codeKinds.includes(kind) ? 45_000 : 15_000])
    }
  })
})
