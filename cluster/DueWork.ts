/** Finds work that became due without a signal, for all loops of a runner together: otherwise each would ask the database every 5 s. */
import { Effect, Queue } from "effect"
import { fallbackPause } from "../src/domain/tools/time/FallbackPause.ts"
import { restartForever } from "../src/loops/RestartForever.ts"
import { retryForever } from "../src/loops/RetryForever.ts"
import { sharingWakes } from "../src/loops/SharedWakes.ts"
import { urgently } from "../src/loops/WorkPriority.ts"
import { wakeSignal } from "../src/services/WakeableLoop.ts"
import { type DueKind, DueRows } from "../src/store/DueRows.ts"
import { makeHeldShards } from "./HeldShards.ts"

export class DueWork extends Effect.Service<DueWork>()("belltower/DueWork", {
  scoped: Effect.gen(function*() {
    const rows = yield* DueRows
    const { part } = yield* makeHeldShards
    const waiting: Array<{ readonly kind: DueKind; readonly signal: Queue.Enqueue<void> }> = []

    const look = Effect.flatMap(
      rows.look,
      (due) =>
        Effect.forEach(waiting, ({ kind, signal }) => due[kind] ? Queue.offer(signal, undefined) : Effect.void, { discard: true })
    )
    const loop = retryForever("Looking for work that is due", look).pipe(
      Effect.zipRight(Effect.suspend(() => Effect.sleep(fallbackPause(part())))),
      Effect.forever
    )
    yield* Effect.forkScoped(urgently(sharingWakes(restartForever("Looking for work that is due", loop))))

    return {
      nextAt: rows.nextAt,
      /**
       * A signal that notifications on `channel` set, and this look if work of the kind is due. Its loop may pause for `longestFallback`.
       */
      signal: (kind: DueKind, channel: string) =>
        Effect.tap(wakeSignal(channel), (signal) => Effect.sync(() => waiting.push({ kind, signal })))
    }
  }),
  dependencies: [DueRows.Default]
}) {}
