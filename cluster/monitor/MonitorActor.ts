/** The monitor's actor: the single writer of changes of a monitor's state. */
import { Entity } from "@effect/cluster"
import { Clock, Effect } from "effect"
import type { CheckSummary } from "../../schema/check/Check.ts"
import type { Observation } from "../../schema/monitor/Machine.ts"
import { checkSummary } from "../../src/domain/check/history/CheckView.ts"
import { apply, closeDue, lacksReport } from "../../src/domain/monitor/MonitorMachine.ts"
import { urgently } from "../../src/loops/WorkPriority.ts"
import { LiveChecks } from "../../src/services/check/LiveChecks.ts"
import { RegionHealth } from "../../src/services/check/RegionHealth.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { MonitorStates } from "../../src/store/monitor/MonitorStates.ts"
import { withinTrace } from "../../src/telemetry/Tracing.ts"
import { registerActors } from "../MinimalContext.ts"
import { type CommitHeartbeat, makeCommitStep } from "./MonitorCommit.ts"
import { makeMonitorLoader, type MonitorLoader } from "./MonitorLoader.ts"
import { MonitorMemories } from "./MonitorMemories.ts"
import { afterLostRace, handleMessage, type MonitorMemory, newerCheck } from "./MonitorMemory.ts"
import { MonitorEntity } from "./MonitorProtocol.ts"
import { makeMonitorStep } from "./MonitorStep.ts"
import { UnreportedRegions } from "./UnreportedRegions.ts"

/** Handles the due alarm of a heartbeat; starts again after a lost race. */
const makeWakeHeartbeat = Effect.fnUntraced(function*(commitHeartbeat: CommitHeartbeat, loader: MonitorLoader) {
  const alarms = yield* Alarms

  /** An actor that waits for nothing removes its alarm. */
  const wake = (memory: MonitorMemory, attempt = 0): Effect.Effect<void> =>
    Effect.flatMap(loader.load(memory), (monitor) => {
      if (monitor === null || monitor.target.kind !== "heartbeat") {
        return alarms.arm("monitor", memory.workspaceId, memory.monitorId, null)
      }
      return Effect.flatMap(
        commitHeartbeat(memory, monitor, monitor.target),
        (won) => won ? Effect.void : afterLostRace(memory, attempt, (next) => wake(memory, next))
      )
    })
  return wake
})

const makeActors = Effect.gen(function*() {
  const states = yield* MonitorStates
  const { attention } = yield* RegionHealth
  const memories = yield* MonitorMemories
  const unreported = yield* UnreportedRegions
  const live = yield* LiveChecks
  const { commit, commitHeartbeat } = yield* makeCommitStep
  const loader = yield* makeMonitorLoader(commit)
  const { advance, observeCheck } = yield* makeMonitorStep(commit, loader)
  const wake = yield* makeWakeHeartbeat(commitHeartbeat, loader)

  const noteUnreported = ({ monitor, monitorId, workspaceId }: MonitorMemory, now: number): void => {
    if (monitor !== null && lacksReport(monitor.machine, monitor, attention, now)) {
      unreported.note({ monitorId, workspaceId }, monitor, now)
    }
  }

  const closeDueRounds = (memory: MonitorMemory) =>
    Effect.zipRight(
      Effect.map(Clock.currentTimeMillis, (now) => noteUnreported(memory, now)),
      advance(
        memory,
        (monitor, now) => closeDue(monitor.machine, monitor, attention, now),
        (monitor) => monitor.lastCheck
      )
    )

  /** Decides on checks that a person requested, and returns the state after them; null when the monitor is gone. */
  const applyChecks = (memory: MonitorMemory, checks: ReadonlyArray<Observation>, missing: number) =>
    advance(
      memory,
      (monitor, now) => apply(monitor.machine, monitor, checks, missing, now),
      (monitor) => checks.map(checkSummary).reduce<CheckSummary | null>(newerCheck, monitor.lastCheck)
    ).pipe(
      Effect.flatMap(({ snapshot }) => snapshot === null ? Effect.void : Effect.orDie(states.saveAll([snapshot]))),
      Effect.zipRight(live.relay(checks, () => memory.workspaceId, (check) => check)),
      Effect.map(() => memory.monitor?.machine.state ?? null)
    )

  const actor = Effect.gen(function*() {
    const { entityId } = yield* Entity.CurrentAddress
    const memory = yield* memories.forActor(entityId)

    return MonitorEntity.of({
      Observe: ({ payload: { traceparent, ...check } }) =>
        handleMessage(memory, () => withinTrace(traceparent, observeCheck(memory, check))),
      CloseDue: () => urgently(handleMessage(memory, () => closeDueRounds(memory))),
      Apply: ({ payload }) => handleMessage(memory, () => applyChecks(memory, payload.checks, payload.missing)),
      Wake: () => urgently(handleMessage(memory, () => wake(memory))),
      Reload: () => handleMessage(memory, () => Effect.asVoid(loader.load(memory)))
    })
  })
  return MonitorEntity.toLayer(actor, { maxIdleTime: "1 minute", mailboxCapacity: 256, disableFatalDefects: true })
})

export const MonitorActor = registerActors(makeActors)
