/** Loads the rows of monitors, and takes them into their memories. */
import { Deferred, Effect, Exit, Option } from "effect"
import type { MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import { revise, takeOver } from "../../src/domain/monitor/MonitorMachine.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { urgently } from "../../src/loops/WorkPriority.ts"
import { Monitors, type MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import type { MonitorMemory } from "./MonitorMemory.ts"
import { makeArmRound } from "./RoundClock.ts"

/** Statements at a time, each with a connection of the runner's. */
const loaders = 2
/** Rows of a statement. More would hold the event loop while they are decoded. */
const mostTogether = 100

interface Wanted {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  readonly loaded: Deferred.Deferred<Option.Option<MonitorWithMachine>>
}

/** Rows that wait together are loaded in one statement, because monitors are wanted by the thousand. No row waits for others. */
export class MonitorRows extends Effect.Service<MonitorRows>()("belltower/MonitorRows", {
  scoped: Effect.gen(function*() {
    const monitors = yield* Monitors
    const added = yield* Effect.makeLatch(false)
    let waiting: Array<Wanted> = []

    const step = Effect.gen(function*() {
      yield* added.await
      const together = waiting.slice(0, mostTogether)
      waiting = waiting.slice(mostTogether)
      if (waiting.length === 0) added.unsafeClose()
      // The other loader has taken them.
      if (together.length === 0) return
      const rows = yield* Effect.exit(monitors.loadAll(together))
      for (const { loaded, monitorId } of together) {
        Deferred.unsafeDone(loaded, Exit.flatMap(rows, (found) => found.get(monitorId) ?? Exit.succeed(Option.none())))
      }
    })
    yield* restartForever("Loading monitors", Effect.forever(step)).pipe(
      urgently,
      Effect.forkScoped,
      Effect.replicateEffect(loaders, { discard: true })
    )

    return {
      /** None when the monitor is gone; dies when its row cannot be read. */
      loadRow: ({ monitorId, workspaceId }: MonitorMemory): Effect.Effect<Option.Option<MonitorWithMachine>> =>
        Effect.flatMap(Deferred.make<Option.Option<MonitorWithMachine>>(), (loaded) => {
          waiting.push({ workspaceId, monitorId, loaded })
          added.unsafeOpen()
          return Deferred.await(loaded)
        })
    }
  })
}) {}

/** Memory is up to date if it is as new as the row: checks since the last bulk write exist only in memory. */
const isUpToDate = (before: MonitorWithMachine | null, row: MonitorWithMachine): before is MonitorWithMachine =>
  before !== null && before.version === row.version && before.machine.sequence >= row.machine.sequence

/**
 * Returns the function that takes a row into a memory, which may have been one before. Null if that is all; otherwise the step by which
 * its settings come into effect changes the state, and the actor must commit it.
 */
export const makeTakeRow = Effect.map(
  makeArmRound,
  (armRound) => (memory: MonitorMemory, row: MonitorWithMachine, now: number) => {
    const before = memory.monitor ?? memory.spare
    memory.spare = null
    const isKnown = isUpToDate(before, row)
    const monitor = isKnown
      ? { ...row, machine: before.machine, lastCheck: before.lastCheck }
      // Reports that the open rounds lack may be queued for this process.
      : { ...row, machine: takeOver(row.machine, now) }
    const step = revise(monitor.machine, monitor.revision, monitor.paused, now)
    // A memory that already held these rounds has set its deadline.
    if (!isKnown) armRound(memory.entityId, step.machine, now)
    if (step.transitions.length > 0) return { monitor, step }
    memory.monitor = { ...monitor, machine: step.machine }
    return null
  }
)
