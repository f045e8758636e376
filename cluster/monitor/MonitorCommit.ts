/** Commits a monitor's change of state with its spans, incident and events, in one transaction. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { CheckSummary } from "../../schema/check/Check.ts"
import type { Step } from "../../src/domain/monitor/MonitorMachine.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import type { MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import { MonitorStates } from "../../src/store/monitor/MonitorStates.ts"
import { MonitorAnnouncer } from "./MonitorAnnouncer.ts"
import { type MonitorMemory, snapshotOf } from "./MonitorMemory.ts"

/** Only the row can tell whether a commit that failed took effect. */
const distrust = (memory: MonitorMemory, monitor: MonitorWithMachine) =>
  Effect.sync(() => {
    memory.monitor = null
    memory.spare = monitor
  })

/** False when another writer came first: nothing was written. */
export type CommitStep = (
  memory: MonitorMemory,
  monitor: MonitorWithMachine,
  step: Step,
  lastCheck: CheckSummary | null
) => Effect.Effect<boolean>

export const makeCommitStep = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const states = yield* MonitorStates
  const events = yield* EventLog
  const announcer = yield* MonitorAnnouncer

  const commit: CommitStep = Effect.fn("Monitor.commit")(
    function*(memory: MonitorMemory, monitor: MonitorWithMachine, step: Step, lastCheck: CheckSummary | null) {
      const { monitorId, workspaceId } = memory
      if (!(yield* states.hold(workspaceId, monitorId, monitor.version))) return false
      const { drafts, incidentId } = yield* announcer.tell(monitor, monitor.incidentId, monitor.machine.since, step.transitions)
      const snapshot = snapshotOf({ ...monitor, machine: step.machine, lastCheck })
      yield* states.commit(snapshot, step.transitions, step.gaps, incidentId)
      if (drafts.length > 0) yield* events.append(workspaceId, drafts)
      memory.monitor = { ...monitor, version: monitor.version + 1, machine: step.machine, lastCheck, incidentId }
      return true
    },
    (effect, memory, monitor) => Effect.onError(sql.withTransaction(effect), () => distrust(memory, monitor)),
    Effect.orDie
  )
  return commit
})
