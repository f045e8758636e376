/** Runs the deadlines of many requests on two fibers. An Effect timeout per request would cost more than the check itself. */
import { Cause, Effect } from "effect"
import { makeTimingWheel } from "../domain/check/probe/TimingWheel.ts"
import { makeRunningTime } from "../domain/tools/time/RunningTime.ts"

/** How often a clock ticks while it has deadlines. A longer tick means that the process was stalled: the excess does not count, ms. */
interface Pace {
  readonly tickMs: number
  readonly maxTickMs: number
}

/** Most checks have deadlines that are far away, and none of them comes. To look for these less often costs less. */
const paces = { near: { tickMs: 50, maxTickMs: 250 }, far: { tickMs: 250, maxTickMs: 500 } } as const

/** A deadline at this distance or further may be late by a tick of the slow clock, 5 % at most, ms. */
const farAway = 5000

/** Uses monotonic time, so clock changes expire nothing. Stops when its scope closes. */
const makeClock = Effect.fnUntraced(function*({ maxTickMs, tickMs }: Pace) {
  const time = makeRunningTime(maxTickMs, performance.now())
  let pending = 0
  const wheel = makeTimingWheel<() => void>(0, tickMs, 1024)
  const busy = yield* Effect.makeLatch(false)

  const tick = Effect.sync(() => {
    time.advance(performance.now())
    for (const run of wheel.advance(time.now())) run()
    if (pending === 0) busy.unsafeClose()
  })

  // Does not tick while idle.
  yield* busy.await.pipe(
    Effect.andThen(Effect.sleep(tickMs)),
    Effect.andThen(tick),
    Effect.catchAllDefect((defect) => Effect.logError("Ending an exchange at its deadline failed", Cause.die(defect))),
    Effect.forever,
    Effect.forkScoped
  )

  return (ms: number, run: () => void): () => void => {
    if (pending++ === 0) {
      time.restart(performance.now())
      busy.unsafeOpen()
    }
    let open = true
    const close = (): void => {
      if (!open) return
      open = false
      pending--
    }
    const timer = wheel.add(time.at(performance.now()) + ms, () => {
      close()
      run()
    })
    return () => {
      wheel.cancel(timer)
      close()
    }
  }
})

export const makeDeadlines = Effect.gen(function*() {
  const near = yield* makeClock(paces.near)
  const far = yield* makeClock(paces.far)
  return {
    /** Calls `run` once, `ms` from now to within a tick, unless the returned function cancels it first. */
    after: (ms: number, run: () => void): () => void => (ms < farAway ? near : far)(ms, run)
  }
})
export type Deadlines = Effect.Effect.Success<typeof makeDeadlines>

/** Work with a deadline that ends once. */
export interface Ending<A> {
  /** Stops what is under way; its owner sets it with each step. */
  stop: () => void
  readonly isOver: () => boolean
  readonly end: (value: A) => void
  readonly cancel: () => void
}

/** Calls `done` once, with the value of `end`, or at the deadline with that of `expired`, unless the work is cancelled first. */
export const endingWithin = <A>(
  deadlines: Deadlines,
  ms: number,
  expired: () => A,
  done: (value: A) => void
): Ending<A> => {
  let isOver = false
  const ending: Ending<A> = {
    stop: () => {},
    isOver: () => isOver,
    end: (value) => {
      if (isOver) return
      ending.cancel()
      done(value)
    },
    cancel: () => {
      isOver = true
      cancelDeadline()
      ending.stop()
    }
  }
  const cancelDeadline = deadlines.after(ms, () => ending.end(expired()))
  return ending
}
