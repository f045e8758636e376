/** The loops of a runner: they wait until their pause is over, or until a notification rings. */
import { type Duration, Effect, Queue, Stream } from "effect"
import { persevere } from "../src/loops/Persevere.ts"
import { unending } from "../src/loops/Unending.ts"
import { Wakeups } from "../src/store/postgres/Wakeups.ts"

/** A bell that is either rung or not, and that notifications on a channel ring. */
export const wakeSignal = Effect.fn("WakeableLoop.wakeSignal")(function*(channel: string) {
  const bell = yield* Queue.sliding<void>(1)
  const wakeups = yield* Wakeups
  const ring = Stream.runForEach(wakeups.listen(channel), () => Queue.offer(bell, undefined))
  yield* Effect.forkScoped(unending(`Listening to ${channel}`, ring))
  return bell
})

/** Does `step` again and again, after the pause it asks for or at the next ring. */
export const wakeableLoop = (what: string, step: Effect.Effect<Duration.Duration>, bell: Queue.Dequeue<void>) =>
  persevere(what, step).pipe(
    Effect.flatMap((pause) => Queue.take(bell).pipe(Effect.timeoutOption(pause))),
    Effect.forever,
    (loop) => unending(what, loop),
    Effect.forkScoped
  )
