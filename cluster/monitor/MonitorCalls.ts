/**
 * The calls on the monitors of this runner: `observeNow` for every check, and `observe` for those that must wait. What changes no state works
 * on the memory of its monitor and needs no actor.
 */
import { Clock, Effect, Option } from "effect"
import type { MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import type { Observation } from "../../schema/monitor/Machine.ts"
import { checkSummary } from "../../src/domain/check/history/CheckView.ts"
import { keepsState, observe as observeWith } from "../../src/domain/monitor/MonitorMachine.ts"
import { RegionHealth } from "../../src/services/check/RegionHealth.ts"
import { MonitorMemories } from "./MonitorMemories.ts"
import { handleMessage, type MonitorMemory, newerCheck, takesLocalCalls } from "./MonitorMemory.ts"
import { entityId, type Observed } from "./MonitorProtocol.ts"
import { MonitorRows, revised } from "./MonitorRows.ts"
import { ignored, isForeign, makeRemember, withTrust } from "./MonitorStep.ts"
import { makeArmRound } from "./RoundClock.ts"

export const makeMonitorCalls = Effect.gen(function*() {
  const { attention } = yield* RegionHealth
  const memories = yield* MonitorMemories
  const { loadRow } = yield* MonitorRows
  const remember = yield* makeRemember
  const armRound = yield* makeArmRound

  const tryOn = (memory: MonitorMemory, check: Observation, now: number): Observed | null => {
    const { monitor } = memory
    if (monitor === null || !takesLocalCalls(memory) || check.revision > monitor.machine.revision) return null
    if (isForeign(monitor, check)) return ignored
    const step = observeWith(monitor.machine, monitor, attention, check, now)
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

  /** Loads a monitor that is not in memory. Null if the check needs its actor. */
  const tryLoaded = (workspaceId: WorkspaceId, check: Observation): Effect.Effect<Observed | null> =>
    Effect.suspend(() => {
      const memory = free(entityId(workspaceId, check.monitorId))
      if (memory === null || memory.monitor !== null) return Effect.succeed(null)
      return Effect.zipWith(load(memory), Clock.currentTimeMillis, (loaded, now) => loaded ? tryOn(memory, check, now) : null)
    })

  return {
    /** Takes in a check; null if it must wait for `observe`: it changes the state, or its monitor is not loaded or is busy. */
    observeNow: (workspaceId: string, check: Observation, now: number): Observed | null => {
      const memory = memories.find(workspaceId, check.monitorId)
      return memory === undefined ? null : tryOn(memory, check, now)
    },
    /** Takes in a check that may wait: loads its monitor, which is enough for most after a start, else asks its actor. */
    observe: <E>(
      workspaceId: WorkspaceId,
      check: Observation,
      askActor: Effect.Effect<Observed, E>
    ): Effect.Effect<Observed, E> =>
      Effect.flatMap(tryLoaded(workspaceId, check), (observed) => observed === null ? askActor : Effect.succeed(observed)),
    /** Takes in edits as the actor's `Reload` would; false if only the actor can. */
    tryReload: (workspaceId: WorkspaceId, monitorId: MonitorId): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        const memory = free(entityId(workspaceId, monitorId))
        return memory === null ? Effect.succeed(false) : load(memory)
      })
  }
})
