/** Loads monitors' rows into their actors' memories, and applies edits of their settings. */
import { Clock, Deferred, Effect, Exit, Option } from "effect"
import type { MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import { revise, takeOver } from "../../src/domain/monitor/MonitorMachine.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { urgently } from "../../src/loops/WorkLane.ts"
import { Monitors, type MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import type { CommitStep } from "./MonitorCommit.ts"
import { afterLostRace, type MonitorMemory } from "./MonitorMemory.ts"
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

/** Loads rows that wait together in one statement, because actors start by the thousand. No row waits for others. */
const makeLoadRow = Effect.gen(function*() {
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

  /** None when the monitor is gone; dies when its row cannot be read. */
  return ({ monitorId, workspaceId }: MonitorMemory): Effect.Effect<Option.Option<MonitorWithMachine>> =>
    Effect.flatMap(Deferred.make<Option.Option<MonitorWithMachine>>(), (loaded) => {
      waiting.push({ workspaceId, monitorId, loaded })
      added.unsafeOpen()
      return Deferred.await(loaded)
    })
})

/** Memory is up to date if it is as new as the row: checks since the last bulk write exist only in memory. */
const isUpToDate = (before: MonitorWithMachine | null, row: MonitorWithMachine): before is MonitorWithMachine =>
  before !== null && before.version === row.version && before.machine.sequence >= row.machine.sequence

export const makeMonitorLoader = Effect.fnUntraced(function*(commit: CommitStep) {
  const loadRow = yield* makeLoadRow
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
      const upToDate = isUpToDate(before, row.value)
      const monitor = upToDate
        ? { ...row.value, machine: before.machine, lastCheck: before.lastCheck }
        : { ...row.value, machine: takeOver(row.value.machine, now) }
      const step = revise(monitor.machine, monitor.revision, monitor.paused, now)
      // An actor that already held these rounds has set its deadline.
      if (!upToDate) armRound(memory.entityId, step.machine, now)
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
