/** Takes in the checks that change no state: by a plain call on the memory of their monitor, which needs no actor for them. */
import { Clock, Effect, Option } from "effect"
import type { CheckSummary } from "../../schema/check/Check.ts"
import type { WorkspaceId } from "../../schema/Ids.ts"
import type { Observation } from "../../schema/monitor/Machine.ts"
import { checkSummary } from "../../src/domain/check/history/CheckView.ts"
import { isQuiet, observe, revise, type Step } from "../../src/domain/monitor/MonitorMachine.ts"
import { RegionHealth } from "../../src/services/check/RegionHealth.ts"
import type { MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import { MonitorMemories } from "./MonitorMemories.ts"
import { handleMessage, type MonitorMemory, newerCheck, snapshotOf, takesLocalCalls } from "./MonitorMemory.ts"
import { entityId, type Observed } from "./MonitorProtocol.ts"
import { MonitorRows, takenOver } from "./MonitorRows.ts"
import { makeArmRound } from "./RoundClock.ts"

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

export const makeQuietTurn = Effect.gen(function*() {
  const { attention } = yield* RegionHealth
  const memories = yield* MonitorMemories
  const { loadRow } = yield* MonitorRows
  const remember = yield* makeRemember
  const armRound = yield* makeArmRound

  const tryOn = (memory: MonitorMemory, check: Observation, now: number): Observed | null => {
    const { monitor } = memory
    if (monitor === null || !takesLocalCalls(memory) || check.revision > monitor.machine.revision) return null
    if (isForeign(monitor, check)) return ignored
    const step = observe(monitor.machine, monitor, attention, check, now)
    if (!isQuiet(step)) return null
    return withTrust(remember(memory, monitor, step, newerCheck(monitor.lastCheck, checkSummary(check)), now), check)
  }

  /** Loads the row for checks that need no actor. A row that the actor must change first is left to it. */
  const recall = (memory: MonitorMemory): Effect.Effect<void> =>
    handleMessage(memory, () => {
      const turn = memory.turns + 1
      return Effect.zipWith(loadRow(memory), Clock.currentTimeMillis, (row, now) => {
        // An actor that has had its turn meanwhile knows the monitor better.
        if (memory.turns !== turn || memory.monitor !== null || Option.isNone(row)) return
        const monitor = takenOver(row.value, now)
        const { machine, transitions } = revise(monitor.machine, monitor.revision, monitor.paused, now)
        if (transitions.length > 0) return
        armRound(memory.entityId, machine, now)
        memory.monitor = { ...monitor, machine }
      })
    })

  return {
    /** Takes in a check as the actor's `Observe` would; null if it needs a message, because it changes the state or the actor is busy. */
    tryObserve: (workspaceId: string, check: Observation, now: number): Observed | null => {
      const memory = memories.find(workspaceId, check.monitorId)
      return memory === undefined ? null : tryOn(memory, check, now)
    },
    /** The same for a monitor that is not in memory, which it loads. */
    tryLoaded: (workspaceId: WorkspaceId, check: Observation): Effect.Effect<Observed | null> =>
      Effect.suspend(() => {
        const memory = memories.take(entityId(workspaceId, check.monitorId))
        // After a failure, the memory before it may be newer than the row.
        if (memory.monitor !== null || memory.spare !== null || !takesLocalCalls(memory)) return Effect.succeed(null)
        return Effect.zipRight(recall(memory), Effect.map(Clock.currentTimeMillis, (now) => tryOn(memory, check, now)))
      })
  }
})
