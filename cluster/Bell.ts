/** The loops of a runner: they wait until their pause is over, or until a notification rings. */
import { Duration, Effect, Queue, Stream } from "effect"
import { persevere } from "../src/bus/Persevere.ts"
import { Wakeups } from "../src/store/Wakeups.ts"

/** A bell that is either rung or not, and that notifications on a channel ring. */
export const bellFor = Effect.fn("Bell.for")(function*(channel: string) {
  const bell = yield* Queue.sliding<void>(1)
  const wakeups = yield* Wakeups
  yield* wakeups.listen(channel).pipe(Stream.runForEach(() => Queue.offer(bell, undefined)), Effect.forkScoped)
  return bell
})

/** Does `step` again and again, after the pause it asks for or at the next ring. */
export const keepDoing = (what: string, step: Effect.Effect<Duration.Duration>, bell: Queue.Dequeue<void>) =>
  persevere(what, step).pipe(
    Effect.flatMap((pause) => Queue.take(bell).pipe(Effect.timeoutOption(pause))),
    Effect.forever,
    Effect.forkScoped
  )

const pruneEvery = Duration.hours(1)

/** Deletes old rows once an hour, batch after batch for as long as there are more. */
export const keepPruning = (what: string, prune: Effect.Effect<boolean>) =>
  persevere(what, Effect.repeat(prune, { while: (more) => more })).pipe(
    Effect.zipRight(Effect.sleep(pruneEvery)),
    Effect.forever,
    Effect.forkScoped
  )
