/** Deadlines of many requests on one ticking fiber: an Effect timeout for each would cost more than a whole check. */
import { Effect } from "effect"
import type { Scope } from "effect"
import { makeTimingWheel } from "../domain/check/TimingWheel.ts"

const tickMs = 50

/** A longer tick means that this process stood still: that time is not held against any target. */
const longestTickMs = 250

export interface Deadlines {
  /** Calls `run` once, `ms` from now give or take a tick, unless the returned function is called before. */
  readonly after: (ms: number, run: () => void) => () => void
}

/** Counts monotonic time, so that a change of the clock expires nothing. Ends with its scope. */
export const makeDeadlines: Effect.Effect<Deadlines, never, Scope.Scope> = Effect.gen(function*() {
  let elapsed = 0
  let last = performance.now()
  let pending = 0
  const wheel = makeTimingWheel<() => void>(elapsed, tickMs, 1024)
  const busy = yield* Effect.makeLatch(false)

  const tick = Effect.sync(() => {
    const now = performance.now()
    elapsed += Math.min(now - last, longestTickMs)
    last = now
    for (const run of wheel.advance(elapsed)) run()
    if (pending === 0) busy.unsafeClose()
  })

  // Idle, nothing ticks: the first deadline after that starts the count anew.
  yield* busy.await.pipe(
    Effect.andThen(Effect.sleep(tickMs)),
    Effect.andThen(tick),
    Effect.catchAllDefect((defect) => Effect.logError("A deadline failed", defect)),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    after: (ms, run) => {
      if (pending++ === 0) {
        last = performance.now()
        busy.unsafeOpen()
      }
      let open = true
      const close = (): void => {
        if (!open) return
        open = false
        pending--
      }
      // Time since the last tick has not been counted yet.
      const timer = wheel.add(elapsed + Math.min(performance.now() - last, longestTickMs) + ms, () => {
        close()
        run()
      })
      return () => {
        wheel.cancel(timer)
        close()
      }
    }
  }
})
