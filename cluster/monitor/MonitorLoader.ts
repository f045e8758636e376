/** Loads a monitor's row into its actor's memory, and applies edits of its settings. */
import { Clock, Effect, Option } from "effect"
import { revise, takeOver } from "../../src/domain/monitor/MonitorMachine.ts"
import type { MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import type { ArmRound } from "./ArmRound.ts"
import { makeLoadTogether } from "./LoadTogether.ts"
import type { CommitStep } from "./MonitorCommit.ts"
import { dieOfLostRaces, type MonitorMemory, mostLostRaces } from "./MonitorMemory.ts"

/** Whether the memory is as new as the row: checks since the last bulk write exist only in memory. */
const isUpToDate = (before: MonitorWithMachine | null, row: MonitorWithMachine): before is MonitorWithMachine =>
  before !== null && before.version === row.version && before.machine.sequence >= row.machine.sequence

export const makeMonitorLoader = Effect.fnUntraced(function*(commit: CommitStep, armRound: ArmRound) {
  const loadRow = yield* makeLoadTogether

  /** Loads the row and applies edits; after a lost race it loads again. Null when the monitor is gone. */
  const load = (memory: MonitorMemory, attempt = 0): Effect.Effect<MonitorWithMachine | null> =>
    Effect.gen(function*() {
      const before = memory.spare = memory.monitor ?? memory.spare
      memory.monitor = null
      const row = yield* loadRow(memory.workspaceId, memory.monitorId)
      memory.spare = null
      if (Option.isNone(row)) return null
      const now = yield* Clock.currentTimeMillis
      const upToDate = isUpToDate(before, row.value)
      const monitor = upToDate
        ? { ...row.value, machine: before.machine, lastCheck: before.lastCheck }
        : { ...row.value, machine: takeOver(row.value.machine, now) }
      const step = revise(monitor.machine, monitor.revision, monitor.paused, now)
      // An actor that already held these rounds has set its deadline.
      if (!upToDate) armRound(memory, step.machine, now)
      if (step.transitions.length === 0) {
        memory.monitor = { ...monitor, machine: step.machine }
        return memory.monitor
      }
      if (yield* commit(memory, monitor, step, monitor.lastCheck)) return memory.monitor
      return attempt < mostLostRaces ? yield* load(memory, attempt + 1) : yield* dieOfLostRaces(memory)
    })

  /**
   * The actor's memory, loaded if necessary; null when the monitor is gone. It reads the memory when it is called, not when its
   * effect runs: every check comes through here, and `Effect.suspend` would allocate each time.
   */
  const recall = (memory: MonitorMemory): Effect.Effect<MonitorWithMachine | null> =>
    memory.monitor === null ? load(memory) : Effect.succeed(memory.monitor)

  return { load, recall }
})
export type MonitorLoader = Effect.Effect.Success<ReturnType<typeof makeMonitorLoader>>
