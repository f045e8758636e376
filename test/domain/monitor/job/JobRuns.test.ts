/** Runs as their pings tell them: which are open, how they ended, and what of their logs is kept. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { randomBytes } from "node:crypto"
import { CheckId } from "../../../../schema/Ids.ts"
import type { HeartbeatTarget } from "../../../../schema/monitor/kinds/heartbeat.ts"
import { type ArrivedPing, firstDue, type JobState, longestRun, takeSignals } from "../../../../src/domain/monitor/job/JobRuns.ts"
import { readPing } from "../../../../src/domain/monitor/job/JobSignal.ts"
import { makeId } from "../../../../src/domain/tools/Id.ts"

const start = 1_790_000_000_000
const target: HeartbeatTarget = { kind: "heartbeat", periodSec: 600, graceSec: 120 }
const nothing: JobState = { open: [], budget: { day: 0, bytes: 0 } }

const pingAt = (at: number, suffix: string | null, rid: string | null = null, text = ""): ArrivedPing => {
  const { signal, status = "up" } = readPing(suffix, rid === null ? [] : [["rid", rid]], { fields: null, text })
  const checkId = CheckId.make(makeId("chk", at, randomBytes(10)))
  return { checkId, at, outcome: status, latencyMs: null, error: null, ...(signal === undefined ? {} : { signal }) }
}

const pings = fc.array(
  fc.record({
    after: fc.integer({ min: 0, max: 600_000 }),
    suffix: fc.constantFrom(null, "start", "log", "fail", "0", "1", "nonsense"),
    rid: fc.constantFrom(null, "a", "b"),
    text: fc.constantFrom("", "a line", "x".repeat(120_000))
  }),
  { maxLength: 80 }
).map((all) => {
  let at = start
  return all.map(({ after, rid, suffix, text }) => pingAt(at += after, suffix, rid, text))
})

describe("the runs of a job", () => {
  it("are the same however its pings are batched", () => {
    fc.assert(fc.property(pings, fc.integer({ min: 1, max: 9 }), (all, size) => {
      const together = takeSignals(nothing, all, target)
      let state = nothing
      const rows = new Map<string, unknown>()
      const logs: Array<unknown> = []
      for (let from = 0; from < all.length; from += size) {
        const taken = takeSignals(state, all.slice(from, from + size), target)
        state = taken
        logs.push(...taken.logs)
        for (const { logBytes: _, ...row } of taken.runs) rows.set(row.id, row)
      }
      expect(state.open).toEqual(together.open)
      expect(logs).toEqual(together.logs)
      expect([...rows.values()]).toEqual(together.runs.map(({ logBytes: _, ...row }) => row))
    }))
  })

  it("end once at most, and those that are open are those that run", () => {
    fc.assert(fc.property(pings, (all) => {
      const { checks, open, runs } = takeSignals(nothing, all, target)
      expect(runs.filter(({ state }) => state === "running").map(({ id }) => id)).toEqual(open.map(({ id }) => id))
      expect(new Set(open.map(({ rid }) => rid)).size).toBe(open.length)
      expect(checks).toHaveLength(all.filter(({ signal }) => signal === undefined || signal.kind === "end").length)
      for (const { durationMs, endedAt, startedAt, state } of runs) {
        if (startedAt !== null && endedAt !== null) expect(durationMs).toBe(endedAt - startedAt)
        if (state === "running" || state === "lost") expect(endedAt).toBeNull()
      }
    }))
  })

  it("have no start if it would lie before 1970", () => {
    const ended = (latencyMs: number) => takeSignals(nothing, [{ ...pingAt(start, null), latencyMs }], target).runs[0]
    expect(ended(start)).toMatchObject({ startedAt: 0, durationMs: start })
    expect(ended(Number.MAX_SAFE_INTEGER)).toMatchObject({ startedAt: null, durationMs: Number.MAX_SAFE_INTEGER })
  })

  it("keep logs within the budget of a day, whole characters of each", () => {
    fc.assert(fc.property(fc.array(fc.string({ unit: "binary", maxLength: 300 }), { maxLength: 40 }), (texts) => {
      const all = texts.map((text, index) => pingAt(start + index, index % 2 === 0 ? "log" : "fail", null, text.repeat(500)))
      const { logs } = takeSignals(nothing, all, target)
      expect(logs.reduce((sum, { text }) => sum + Buffer.byteLength(text ?? ""), 0)).toBeLessThanOrEqual(1_048_576)
      for (const { text } of logs) expect(Buffer.byteLength(text ?? "")).toBeLessThanOrEqual(100_000)
    }))
  })

  it("are 50 at a time: a further start gives the oldest up", () => {
    const starts = Array.from({ length: 60 }, (_, index) => pingAt(start + index, "start", `run ${index}`))
    const { open, runs } = takeSignals(nothing, starts, target)
    expect(open.map(({ rid }) => rid)).toEqual(Array.from({ length: 50 }, (_, index) => `run ${index + 10}`))
    expect(runs.filter(({ state }) => state === "lost")).toHaveLength(10)
  })

  it("are due after maxRunSec, or the grace, or a minute", () => {
    const { open } = takeSignals(nothing, [pingAt(start, "start", "a"), pingAt(start + 5, "start", "b")], target)
    expect(firstDue(open, target)).toBe(start + 120_000)
    expect(firstDue(open, { ...target, maxRunSec: 3600 })).toBe(start + 3_600_000)
    expect(longestRun({ ...target, graceSec: 0 })).toBe(60_000)
    expect(firstDue([], target)).toBeNull()
  })

  it("are degraded if they were good and slower than degradedAfterMs", () => {
    const slow = { ...target, degradedAfterMs: 5000 }
    const [begins] = [pingAt(start, "start")]
    expect(takeSignals(nothing, [begins, pingAt(start + 5000, null)], slow).checks).toMatchObject([{
      outcome: "up",
      latencyMs: 5000
    }])
    expect(takeSignals(nothing, [begins, pingAt(start + 61_000, "0")], slow).checks).toMatchObject([{
      outcome: "degraded",
      cause: "slow",
      error: "The run took 1 minute 1 second, longer than degradedAfterMs (5000 ms)"
    }])
    expect(takeSignals(nothing, [begins, pingAt(start + 61_000, "1")], slow).checks).toMatchObject([{ outcome: "down" }])
  })
})
