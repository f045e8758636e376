/** Handles the due alarm of a heartbeat: takes its turn on the row, and starts again after a lost race. */
import { Effect } from "effect"
import type { CheckSummary } from "../../schema/check/Check.ts"
import type { Step } from "../../src/domain/monitor/MonitorMachine.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import type { MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import { MonitorStates } from "../../src/store/monitor/MonitorStates.ts"
import { makeHeartbeatTurn } from "./HeartbeatTurn.ts"
import type { CommitStep } from "./MonitorCommit.ts"
import type { MonitorLoader } from "./MonitorLoader.ts"
import { dieOfLostRaces, type MonitorMemory, mostLostRaces, snapshotOf } from "./MonitorMemory.ts"
import { isQuiet } from "./MonitorTurn.ts"

export const makeWakeHeartbeat = Effect.fnUntraced(function*(commit: CommitStep, loader: MonitorLoader) {
  const states = yield* MonitorStates
  const alarms = yield* Alarms
  const takeTurn = yield* makeHeartbeatTurn

  /** Writes the result of a heartbeat's turn in its transaction. */
  const conclude =
    (memory: MonitorMemory, monitor: MonitorWithMachine) =>
    (step: Step, lastCheck: CheckSummary | null): Effect.Effect<boolean> => {
      if (!isQuiet(step)) return commit(memory, monitor, step, lastCheck)
      memory.monitor = { ...monitor, machine: step.machine, lastCheck }
      const unchanged = step.machine === monitor.machine
      return Effect.as(unchanged ? Effect.void : Effect.orDie(states.saveAll([snapshotOf(memory.monitor)])), true)
    }

  /** An actor that waits for nothing removes its alarm. */
  const wake = (memory: MonitorMemory, attempt = 0): Effect.Effect<void> =>
    Effect.flatMap(loader.load(memory), (monitor) => {
      if (monitor === null || monitor.target.kind !== "heartbeat") {
        return alarms.arm("monitor", memory.workspaceId, memory.monitorId, null)
      }
      return takeTurn(monitor, monitor.target, conclude(memory, monitor)).pipe(
        // The memory may hold a turn that was rolled back.
        Effect.onError(() =>
          Effect.sync(() => {
            memory.monitor = null
          })
        ),
        Effect.flatMap((won) => {
          if (won) return Effect.void
          memory.monitor = null
          return attempt < mostLostRaces ? wake(memory, attempt + 1) : dieOfLostRaces(memory)
        })
      )
    })
  return wake
})
