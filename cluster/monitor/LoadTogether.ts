/** Loads the rows of monitors for their actors: those that wait together share a statement, because actors start by the thousand. */
import { Deferred, Effect, Exit, Option } from "effect"
import type { MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { urgently } from "../../src/loops/WorkLane.ts"
import { Monitors, type MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"

/** Statements at a time, each with a connection of the runner's. */
const loaders = 2
/** Rows of a statement. More would hold the event loop while they are decoded. */
const mostTogether = 100

interface Wanted {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  readonly loaded: Deferred.Deferred<Option.Option<MonitorWithMachine>>
}

/** Nothing waits in order to be loaded with others: a statement takes what came while others were running. */
export const makeLoadTogether = Effect.gen(function*() {
  const monitors = yield* Monitors
  const news = yield* Effect.makeLatch(false)
  let waiting: Array<Wanted> = []

  const step = Effect.gen(function*() {
    yield* news.await
    const together = waiting.slice(0, mostTogether)
    waiting = waiting.slice(mostTogether)
    if (waiting.length === 0) news.unsafeClose()
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
  return (workspaceId: WorkspaceId, monitorId: MonitorId): Effect.Effect<Option.Option<MonitorWithMachine>> =>
    Effect.flatMap(Deferred.make<Option.Option<MonitorWithMachine>>(), (loaded) => {
      waiting.push({ workspaceId, monitorId, loaded })
      news.unsafeOpen()
      return Deferred.await(loaded)
    })
})
