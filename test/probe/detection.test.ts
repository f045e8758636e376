/**
 * Scripted faults of a target, each with what is said of it: the state after two checks, the cause for programs, and the sentence
 * for the person who is woken. A changed sentence fails here, so that it changes on purpose.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { CheckId } from "../../schema/Ids.ts"
import type { Machine, Observation } from "../../schema/monitor/Machine.ts"
import type { Rules } from "../../schema/monitor/Monitor.ts"
import { judge } from "../../src/domain/monitor/JudgeRound.ts"
import { initialMachine } from "../../src/domain/monitor/MonitorMachine.ts"
import type { ProbeResult } from "../../src/probe/ProbeResult.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"
import { certificates, type Fault, faultyNames } from "../support/targets/FaultyTargets.ts"
import { probing } from "../support/targets/LocalTargets.ts"
import { rightAnswers, wrongAnswers } from "./faults/answers.ts"
import { connectionFaults, redirectFaults, silences } from "./faults/connections.ts"

const timeoutMs = 1500

const rules: Rules = {
  intervalSec: 60,
  timeoutMs,
  failureThreshold: 2,
  recoveryThreshold: 1,
  confirmAfterSec: null,
  failureRate: null,
  regions: []
}

/** The messages about a target, with the parts that differ from run to run replaced. */
const said = (url: string, { cause, error, outcome }: ProbeResult) => {
  const assignment = assignmentOf({ url })
  const check = (slot: number): Observation => ({
    ...assignment,
    checkId: CheckId.make(`chk_${slot}`),
    region: assignment.regions[0]!,
    slot,
    at: slot * 60_000,
    outcome,
    statusCode: null,
    latencyMs: null,
    error,
    cause,
    hasEvidence: false,
    trusted: true
  })
  const machine: Machine = { ...initialMachine(0, 1), state: "up" }
  const after = [1, 2].reduce((state, slot) => judge(state, rules, { outcome, check: check(slot) }).machine, machine)
  const shown = error?.replaceAll(url, "<url>").replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>")
    .replace(/\d{4}-\d\d-\d\d/g, "<date>").replace(/took \d+ ms/, "took <n> ms")
  return [after.state, cause, shown ?? null]
}

const lookAt = ([fault, target, state, cause, error, settings]: Fault, limitMs: number) =>
  Effect.scoped(Effect.gen(function*() {
    const url = yield* target
    const seen = yield* probeOnce(assignmentOf({ url, ...settings }, { timeoutMs: limitMs }))
    expect([fault, ...said(url, seen)]).toEqual([fault, state, cause, error])
  }))

const tools = probing({ authorities: certificates.authority, resolve: faultyNames })

describe("a fault", () => {
  const tables = { rightAnswers, wrongAnswers, redirectFaults, connectionFaults }
  for (const [name, faults] of Object.entries(tables)) {
    it.scopedLive.each([...faults])(
      `of ${name}: %s`,
      (fault) => lookAt(fault, 10_000).pipe(Effect.provide(tools))
    )
  }

  it.scopedLive("that makes the target silent is described by how far the answer came", () =>
    Effect.forEach(silences, (fault) => lookAt(fault, timeoutMs), { concurrency: "unbounded", discard: true }).pipe(
      Effect.provide(tools)
    ))

  it("is one of at least 47", () => {
    expect([...Object.values(tables), silences].flat().length).toBeGreaterThanOrEqual(47)
  })
})
