/** The monitor's actor: the single writer and warm cache of a monitor's state. */
import { Entity } from "@effect/cluster"
import { Clock, Effect, Layer } from "effect"
import type { CheckSummary } from "../../schema/check/Check.ts"
import type { Observation } from "../../schema/monitor/Machine.ts"
import { checkSummary } from "../../src/domain/check/history/CheckView.ts"
import { apply, closeDue, lacksReport } from "../../src/domain/monitor/MonitorMachine.ts"
import { urgently } from "../../src/loops/WorkLane.ts"
import { LiveChecks } from "../../src/services/check/LiveChecks.ts"
import { RegionHealth } from "../../src/services/check/RegionHealth.ts"
import { MonitorStates } from "../../src/store/monitor/MonitorStates.ts"
import { registerEntity } from "../MinimalContext.ts"
import { makeArmRound } from "./ArmRound.ts"
import { LocalActors, type TryObserve } from "./LocalActors.ts"
import { makeCommitStep } from "./MonitorCommit.ts"
import { makeMonitorLoader } from "./MonitorLoader.ts"
import { handleMessage, makeMonitorMemory, type MonitorMemory, newerCheck } from "./MonitorMemory.ts"
import { MonitorEntity } from "./MonitorProtocol.ts"
import { makeMonitorTurn } from "./MonitorTurn.ts"
import { UnreportedRegions } from "./UnreportedRegions.ts"
import { makeWakeHeartbeat } from "./WakeHeartbeat.ts"

/** Looks up the services once for all actors. */
const makeActors = Effect.gen(function*() {
  const states = yield* MonitorStates
  const { attention } = yield* RegionHealth
  const localActors = yield* LocalActors
  const unreported = yield* UnreportedRegions
  const live = yield* LiveChecks
  const { commit, commitHeartbeat } = yield* makeCommitStep
  const armRound = yield* makeArmRound
  const loader = yield* makeMonitorLoader(commit, armRound)
  const { advance, observeCheck, tryObserve } = yield* makeMonitorTurn(commit, armRound, loader)
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
    const memory = makeMonitorMemory(entityId)

    const tryLocally: TryObserve = (check, now) => tryObserve(memory, check, now)
    localActors.register(entityId, tryLocally)
    yield* Effect.addFinalizer(() => Effect.sync(() => localActors.unregister(entityId, tryLocally)))

    return MonitorEntity.of({
      Observe: ({ payload }) => handleMessage(memory, () => observeCheck(memory, payload)),
      CloseDue: () => urgently(handleMessage(memory, () => closeDueRounds(memory))),
      Apply: ({ payload }) => handleMessage(memory, () => applyChecks(memory, payload.checks, payload.missing)),
      Wake: () => urgently(handleMessage(memory, () => wake(memory))),
      Reload: () => handleMessage(memory, () => Effect.asVoid(loader.load(memory)))
    })
  })
  return { actor }
})

export const MonitorActor = Layer.unwrapScoped(
  Effect.map(
    makeActors,
    ({ actor }) =>
      registerEntity(MonitorEntity.toLayer(actor, { maxIdleTime: "10 minutes", mailboxCapacity: 256, disableFatalDefects: true }))
  )
)
