/** The local calls on the monitors of this runner: what changes no state works on the memory of its monitor and needs no actor. */
import { Clock, Effect, Option } from "effect"
import type { MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import type { Observation } from "../../schema/monitor/Machine.ts"
import { checkSummary } from "../../src/domain/check/history/CheckView.ts"
import { keepsState, observe as observeWith } from "../../src/domain/monitor/MonitorMachine.ts"
import { RegionHealth } from "../../src/services/check/RegionHealth.ts"
import { MonitorMemories } from "./MonitorMemories.ts"
import { handleMessage, type MonitorMemory, newerCheck, takesLocalCalls } from "./MonitorMemory.ts"
import { entityId, type Observed } from "./MonitorProtocol.ts"
import { makeTakeRow, MonitorRows } from "./MonitorRows.ts"
import { ignored, isForeign, makeRemember, withTrust } from "./MonitorStep.ts"

export const makeMonitorCalls = Effect.gen(function*() {
  const { attention } = yield* RegionHealth
  const memories = yield* MonitorMemories
  const { loadRow } = yield* MonitorRows
  const remember = yield* makeRemember
  const takeRow = yield* makeTakeRow

  const tryOn = (memory: MonitorMemory, check: Observation, now: number): Observed | null => {
    const { monitor } = memory
    if (monitor === null || !takesLocalCalls(memory) || check.revision > monitor.machine.revision) return null
    if (isForeign(monitor, check)) return ignored
    const step = observeWith(monitor.machine, monitor, attention, check, now)
    if (!keepsState(step)) return null
    return withTrust(remember(memory, monitor, step, newerCheck(monitor.lastCheck, checkSummary(check)), now), check)
  }

  /** Loads the row. False if that is left to the actor: it must change the state first, or has begun a message meanwhile. */
  const loadWithoutActor = (memory: MonitorMemory): Effect.Effect<boolean> =>
    handleMessage(memory, (isLast) =>
      Effect.zipWith(
        loadRow(memory),
        Clock.currentTimeMillis,
        (row, now) => isLast() && Option.isSome(row) && takeRow(memory, row.value, now) === null
      )).pipe(Effect.ensuring(Effect.sync(() => memories.settle(memory))))

  /** The memory of a monitor of this runner; null if only its actor may use it. */
  const free = (id: string): MonitorMemory | null => {
    if (!memories.isHere(id)) return null
    const memory = memories.take(id)
    return takesLocalCalls(memory) ? memory : null
  }

  /** Loads a monitor that is not in memory. Null if the check needs its actor. */
  const tryLoaded = (workspaceId: WorkspaceId, check: Observation): Effect.Effect<Observed | null> =>
    Effect.suspend(() => {
      const memory = free(entityId(workspaceId, check.monitorId))
      if (memory === null || memory.monitor !== null) return Effect.succeed(null)
      return Effect.zipWith(loadWithoutActor(memory), Clock.currentTimeMillis, (loaded, now) =>
        loaded ? tryOn(memory, check, now) : null)
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
        return memory === null ? Effect.succeed(false) : loadWithoutActor(memory)
      })
  }
})
