/** Loads monitors' rows into their actors' memories, and applies edits of their settings. */
import { Clock, Effect, Option } from "effect"
import type { MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import type { CommitStep } from "./MonitorCommit.ts"
import { afterLostRace, type MonitorMemory } from "./MonitorMemory.ts"
import { MonitorRows, revised } from "./MonitorRows.ts"
import { makeArmRound } from "./RoundClock.ts"

export const makeMonitorLoader = Effect.fnUntraced(function*(commit: CommitStep) {
  const { loadRow } = yield* MonitorRows
  const armRound = yield* makeArmRound

  /** Loads the row and applies edits; after a lost race it loads again. Null when the monitor is gone. */
  const load = (memory: MonitorMemory, attempt = 0): Effect.Effect<MonitorWithMachine | null> =>
    Effect.gen(function*() {
      const before = memory.spare = memory.monitor ?? memory.spare
      memory.monitor = null
      const row = yield* loadRow(memory)
      memory.spare = null
      if (Option.isNone(row)) return null
      const now = yield* Clock.currentTimeMillis
      const { isKnown, monitor, step } = revised(before, row.value, now)
      // An actor that already held these rounds has set its deadline.
      if (!isKnown) armRound(memory.entityId, step.machine, now)
      if (step.transitions.length === 0) {
        memory.monitor = { ...monitor, machine: step.machine }
        return memory.monitor
      }
      if (yield* commit(memory, monitor, step, monitor.lastCheck)) return memory.monitor
      return yield* afterLostRace(memory, attempt, (next) => load(memory, next))
    })

  /**
   * The memory, loaded if necessary; null when the monitor is gone. Read in the call: each check comes here, and an effect would
   * cost.
   */
  const recall = (memory: MonitorMemory): Effect.Effect<MonitorWithMachine | null> =>
    memory.monitor === null ? load(memory) : Effect.succeed(memory.monitor)

  return { load, recall }
})
export type MonitorLoader = Effect.Effect.Success<ReturnType<typeof makeMonitorLoader>>
