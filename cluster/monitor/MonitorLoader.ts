/** Loads monitors' rows into their memories for their actors, and commits what edits of their settings change. */
import { Clock, Effect, Option } from "effect"
import type { MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import type { CommitStep } from "./MonitorCommit.ts"
import { afterLostRace, type MonitorMemory } from "./MonitorMemory.ts"
import { makeTakeRow, MonitorRows } from "./MonitorRows.ts"

export const makeMonitorLoader = Effect.fnUntraced(function*(commit: CommitStep) {
  const { loadRow } = yield* MonitorRows
  const takeRow = yield* makeTakeRow

  /** Loads the row and applies edits; after a lost race it loads again. Null when the monitor is gone. */
  const load = (memory: MonitorMemory, attempt = 0): Effect.Effect<MonitorWithMachine | null> =>
    Effect.gen(function*() {
      memory.spare = memory.monitor ?? memory.spare
      memory.monitor = null
      const row = yield* loadRow(memory)
      if (Option.isNone(row)) {
        memory.spare = null
        return null
      }
      const change = takeRow(memory, row.value, yield* Clock.currentTimeMillis)
      if (change === null) return memory.monitor
      if (yield* commit(memory, change.monitor, change.step, change.monitor.lastCheck)) return memory.monitor
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
