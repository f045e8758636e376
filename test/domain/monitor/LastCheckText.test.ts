/** The text beside a state about its last check. */
import { describe, expect, it } from "@effect/vitest"
import { lastCheckText } from "../../../src/domain/monitor/LastCheckText.ts"

const failed = { outcome: "down", error: "got 503" } as const
const good = { outcome: "up", error: null } as const

describe("The text of a last check", () => {
  it("is the error where the check shows the state", () => {
    expect(lastCheckText("down", failed)).toBe("got 503")
    expect(lastCheckText("up", good)).toBeNull()
  })

  it("says that the check failed, or was good, where the state says otherwise", () => {
    expect(lastCheckText("up", failed)).toBe("The last check failed: got 503")
    expect(lastCheckText("paused", failed)).toBe("The last check failed: got 503")
    expect(lastCheckText("up", { outcome: "degraded", error: "Slow" })).toBe("The last check was degraded: Slow")
    expect(lastCheckText("down", good)).toBe("The last check was good")
  })
})
