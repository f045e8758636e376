/** Handles the due alarm of a heartbeat: takes its turn on the row, and starts again after a lost race. */
import { Effect } from "effect"
import { Alarms } from "../../src/store/Alarms.ts"
import type { CommitHeartbeat } from "./MonitorCommit.ts"
import type { MonitorLoader } from "./MonitorLoader.ts"
import { dieOfLostRaces, type MonitorMemory, mostLostRaces } from "./MonitorMemory.ts"

export const makeWakeHeartbeat = Effect.fnUntraced(function*(commitHeartbeat: CommitHeartbeat, loader: MonitorLoader) {
  const alarms = yield* Alarms

  /** An actor that waits for nothing removes its alarm. */
  const wake = (memory: MonitorMemory, attempt = 0): Effect.Effect<void> =>
    Effect.flatMap(loader.load(memory), (monitor) => {
      if (monitor === null || monitor.target.kind !== "heartbeat") {
        return alarms.arm("monitor", memory.workspaceId, memory.monitorId, null)
      }
      return Effect.flatMap(commitHeartbeat(memory, monitor, monitor.target), (won) => {
        if (won) return Effect.void
        memory.monitor = null
        return attempt < mostLostRaces ? wake(memory, attempt + 1) : dieOfLostRaces(memory)
      })
    })
  return wake
})
