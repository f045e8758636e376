/** A runner's loops: each repeats a step after a pause, or as soon as a database notification arrives. */
import { type Duration, Effect, Queue, Stream } from "effect"
import { restartForever } from "../loops/RestartForever.ts"
import { retryForever } from "../loops/RetryForever.ts"
import { Wakeups } from "../store/postgres/Wakeups.ts"

/** A signal that is set or not; notifications on `channel` set it, and so may others. */
export const wakeSignal = Effect.fn("WakeableLoop.wakeSignal")(function*(channel: string) {
  const signal = yield* Queue.sliding<void>(1)
  const wakeups = yield* Wakeups
  const listen = Stream.runForEach(wakeups.listen(channel), () => Queue.offer(signal, undefined))
  yield* Effect.forkScoped(restartForever(`Listening to ${channel}`, listen))
  return signal
})

/** Repeats `step` after the pause that it returns, or as soon as the signal is set. */
export const wakeableLoop = (what: string, step: Effect.Effect<Duration.Duration>, signal: Queue.Dequeue<void>) =>
  retryForever(what, step).pipe(
    Effect.flatMap((pause) => Queue.take(signal).pipe(Effect.timeoutOption(pause))),
    Effect.forever,
    (loop) => restartForever(what, loop),
    Effect.forkScoped
  )
