/** Long requests of workspaces that ask for all they may. */
import { describe, expect, it } from "@effect/vitest"
import { makeRunningChecks } from "../../../../src/domain/check/probe/RunningChecks.ts"

/** As many as may begin. */
const fill = ({ begin }: ReturnType<typeof makeRunningChecks>, workspaceId: string) => {
  let count = 0
  while (begin(workspaceId) === null) count++
  return count
}

describe("Long requests", () => {
  it("30 workspaces that hold all they may leave room for others", () => {
    const running = makeRunningChecks(20)
    const counts = Array.from({ length: 30 }, (_, index) => fill(running, `greedy-${index}`))
    expect(counts[0]).toBe(19)
    expect(fill(running, "quiet")).toBeGreaterThan(0)
  })

  it("a workspace alone is limited by its own limit", () => {
    expect(fill(makeRunningChecks(5), "one")).toBe(5)
  })

  it("what ended may begin again", () => {
    const running = makeRunningChecks(5)
    fill(running, "one")
    running.end("one")
    expect(fill(running, "one")).toBe(1)
  })
})
