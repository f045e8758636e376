/** Takes in the checks that change no state: by a plain call on the memory of their monitor, which needs no actor for them. */
import { Clock, Effect, Option } from "effect"
import type { CheckSummary } from "../../schema/check/Check.ts"
import type { MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import type { Observation } from "../../schema/monitor/Machine.ts"
import { checkSummary } from "../../src/domain/check/history/CheckView.ts"
import { keepsState, observe, type Step } from "../../src/domain/monitor/MonitorMachine.ts"
import { RegionHealth } from "../../src/services/check/RegionHealth.ts"
import type { MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import { MonitorMemories } from "./MonitorMemories.ts"
import { handleMessage, type MonitorMemory, newerCheck, snapshotOf, takesLocalCalls } from "./MonitorMemory.ts"
import { entityId, type Observed } from "./MonitorProtocol.ts"
import { MonitorRows, revised } from "./MonitorRows.ts"
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

export const makeLocalStep = Effect.gen(function*() {
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
    if (!keepsState(step)) return null
    return withTrust(remember(memory, monitor, step, newerCheck(monitor.lastCheck, checkSummary(check)), now), check)
  }

  /** Loads the row. False if that is left to the actor: it must change the state first, or it has had its turn meanwhile. */
  const load = (memory: MonitorMemory): Effect.Effect<boolean> =>
    handleMessage(memory, () => {
      const turn = memory.turns + 1
      return Effect.zipWith(loadRow(memory), Clock.currentTimeMillis, (row, now) => {
        if (memory.turns !== turn || Option.isNone(row)) return false
        const { isKnown, monitor, step: { machine, transitions } } = revised(memory.monitor, row.value, now)
        if (transitions.length > 0) return false
        if (!isKnown) armRound(memory.entityId, machine, now)
        memory.monitor = { ...monitor, machine }
        return true
      })
    }).pipe(Effect.ensuring(Effect.sync(() => memories.settle(memory))))

  /** The memory of a monitor of this runner, unless its actor is at work. After a failure, the memory before it may be newer. */
  const free = (id: string): MonitorMemory | null => {
    if (!memories.isHere(id)) return null
    const memory = memories.take(id)
    return memory.spare === null && takesLocalCalls(memory) ? memory : null
  }

  return {
    /** Takes in a check as the actor's `Observe` would; null if it needs a message, because it changes the state or the actor is busy. */
    tryObserve: (workspaceId: string, check: Observation, now: number): Observed | null => {
      const memory = memories.find(workspaceId, check.monitorId)
      return memory === undefined ? null : tryOn(memory, check, now)
    },
    /** The same for a monitor that is not in memory, which it loads. */
    tryLoaded: (workspaceId: WorkspaceId, check: Observation): Effect.Effect<Observed | null> =>
      Effect.suspend(() => {
        const memory = free(entityId(workspaceId, check.monitorId))
        if (memory === null || memory.monitor !== null) return Effect.succeed(null)
        return Effect.zipWith(load(memory), Clock.currentTimeMillis, (loaded, now) => loaded ? tryOn(memory, check, now) : null)
      }),
    /** Takes in edits as the actor's `Reload` would; false if it needs a message. */
    tryReload: (workspaceId: WorkspaceId, monitorId: MonitorId): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        const memory = free(entityId(workspaceId, monitorId))
        return memory === null ? Effect.succeed(false) : load(memory)
      })
  }
})
