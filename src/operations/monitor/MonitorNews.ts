/** Wakes waiting calls when their monitors change: one read a second for all of them, and none without any. */
import { Effect, Schedule } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { MonitorMarks } from "../../store/monitor/MonitorMarks.ts"

/** A call that waits; `mark` is what it saw last, undefined before the first read and null for a monitor that is gone. */
interface Waiter {
  readonly workspaceId: WorkspaceId
  readonly id: string
  readonly news: Effect.Latch
  mark: string | null | undefined
}

export class MonitorNews extends Effect.Service<MonitorNews>()("belltower/MonitorNews", {
  scoped: Effect.gen(function*() {
    const marks = yield* MonitorMarks
    const waiters = new Set<Waiter>()
    const anybody = yield* Effect.makeLatch(false)

    const read = Effect.gen(function*() {
      yield* anybody.await
      const asked = [...waiters]
      const found = yield* marks.read([
        ...new Map(asked.map(({ id, workspaceId }) => [`${workspaceId} ${id}`, { workspaceId, id }])).values()
      ])
      for (const waiter of asked) {
        const mark = found.get(waiter.id) ?? null
        if (mark === waiter.mark) continue
        waiter.mark = mark
        waiter.news.unsafeOpen()
      }
    })
    yield* Effect.forkScoped(restartForever("Reading awaited monitors", Effect.repeat(read, Schedule.spaced("1 second"))))

    const join = (workspaceId: WorkspaceId, id: string) =>
      Effect.sync(() => {
        const waiter: Waiter = { workspaceId, id, news: Effect.unsafeMakeLatch(false), mark: undefined }
        waiters.add(waiter)
        anybody.unsafeOpen()
        return waiter
      })

    const leave = (waiter: Waiter) =>
      Effect.sync(() => {
        waiters.delete(waiter)
        if (waiters.size === 0) anybody.unsafeClose()
      })

    return {
      /** Follows a monitor until the scope closes. The effect completes when its state or newest check has changed since the last time. */
      follow: (workspaceId: WorkspaceId, id: string) =>
        Effect.map(
          Effect.acquireRelease(join(workspaceId, id), leave),
          ({ news }) => Effect.zipRight(news.await, news.close)
        )
    }
  }),
  dependencies: [MonitorMarks.Default]
}) {}
