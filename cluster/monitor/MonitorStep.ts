/** A step of an actor: runs the state machine on the memory, and keeps or commits the result. */
import { Clock, Effect } from "effect"
import type { CheckSummary } from "../../schema/check/Check.ts"
import type { Observation } from "../../schema/monitor/Machine.ts"
import { checkSummary } from "../../src/domain/check/history/CheckView.ts"
import { keepsState, observe, type Step } from "../../src/domain/monitor/MonitorMachine.ts"
import { RegionHealth } from "../../src/services/check/RegionHealth.ts"
import type { MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import type { CommitStep } from "./MonitorCommit.ts"
import type { MonitorLoader } from "./MonitorLoader.ts"
import { afterLostRace, type MonitorMemory, newerCheck, snapshotOf } from "./MonitorMemory.ts"
import type { Observed } from "./MonitorProtocol.ts"
import { makeArmRound } from "./RoundClock.ts"
import { UnreportedRegions } from "./UnreportedRegions.ts"

export const ignored: Observed = { counted: false, isForeign: true, moved: false, snapshot: null }

/** A probe can speak for its own region only, and only about monitors that are checked from there. */
export const isForeign = ({ regions }: MonitorWithMachine, { region }: Observation): boolean => !regions.includes(region)

/** A check of a probe that distrusts itself ends the wait for its region but is not counted. */
export const withTrust = (observed: Observed, check: Observation): Observed =>
  check.trusted ? observed : { ...observed, counted: false }

/** Returns the function that keeps a step that changed no state in memory. */
export const makeRemember = Effect.map(
  makeArmRound,
  (armRound) =>
  (memory: MonitorMemory, monitor: MonitorWithMachine, step: Step, lastCheck: CheckSummary | null, now: number): Observed => {
    memory.monitor = { ...monitor, machine: step.machine, lastCheck }
    armRound(memory.entityId, step.machine, now)
    // A check that does not count leaves the machine unchanged.
    return { counted: step.machine !== monitor.machine, moved: false, snapshot: snapshotOf(memory.monitor) }
  }
)

export const makeMonitorStep = Effect.fnUntraced(function*(commit: CommitStep, loader: MonitorLoader) {
  const { attention } = yield* RegionHealth
  const unreported = yield* UnreportedRegions
  const armRound = yield* makeArmRound
  const remember = yield* makeRemember

  /** Runs a step on the memory; after a lost race it starts again from the row. */
  const advance = (
    memory: MonitorMemory,
    decide: (monitor: MonitorWithMachine, now: number) => Step,
    lastCheckOf: (monitor: MonitorWithMachine) => CheckSummary | null,
    attempt = 0
  ): Effect.Effect<Observed> =>
    Effect.flatMap(loader.recall(memory), (monitor) => {
      if (monitor === null) return Effect.succeed(ignored)
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const step = decide(monitor, now)
        const lastCheck = lastCheckOf(monitor)
        if (keepsState(step)) return Effect.succeed(remember(memory, monitor, step, lastCheck, now))
        return Effect.flatMap(commit(memory, monitor, step, lastCheck), (won): Effect.Effect<Observed> => {
          if (won) {
            armRound(memory.entityId, step.machine, now)
            return Effect.succeed({ counted: true, moved: true, snapshot: null })
          }
          return afterLostRace(memory, attempt, (next) => advance(memory, decide, lastCheckOf, next))
        })
      })
    })

  /** Edits are committed before probes get them, so a row that a probe is ahead of has lost one. */
  const noteLost = ({ monitorId, workspaceId }: MonitorMemory, { revision }: Observation): void =>
    unreported.noteLost({ monitorId, workspaceId, revision })

  /** Takes in a check; one of newer settings than those in memory loads the row first. */
  const observeCheck = (memory: MonitorMemory, check: Observation): Effect.Effect<Observed> =>
    Effect.flatMap(loader.recall(memory), (monitor) => {
      if (monitor === null) {
        noteLost(memory, check)
        return Effect.succeed(ignored)
      }
      const known = check.revision > monitor.machine.revision ? loader.load(memory) : Effect.succeed(monitor)
      return Effect.flatMap(known, (current) => {
        if (current === null || check.revision > current.machine.revision) noteLost(memory, check)
        if (current === null || isForeign(current, check)) return Effect.succeed(ignored)
        const summary = checkSummary(check)
        return advance(
          memory,
          (latest, at) => observe(latest.machine, latest, attention, check, at),
          (latest) => newerCheck(latest.lastCheck, summary)
        ).pipe(Effect.map((observed) => withTrust(observed, check)))
      })
    })

  return { advance, observeCheck }
})
