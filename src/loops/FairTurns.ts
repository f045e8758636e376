/** Runs work in slots of a fair queue, which owners share: a free slot goes to the owner that holds the fewest. */
import { Effect } from "effect"
import type { FairQueue } from "../domain/tools/FairQueue.ts"

type Turns = Pick<FairQueue<() => void>, "offer" | "release" | "take">

/** The failure of a queue without a limit, which never occurs. */
export const neverFull: Effect.Effect<never> = Effect.dieMessage("A queue without a limit is full")

/** Work that is interrupted while it waits takes no slot. `full` fails for work that finds no room to wait. */
export const makeFairTurns = <Full>(queue: Turns, full: Effect.Effect<never, Full>) => {
  const serve = () => {
    for (let begin = queue.take(); begin !== undefined; begin = queue.take()) begin()
  }

  const release = (owner: string) => {
    queue.release(owner)
    serve()
  }

  const slot = (owner: string, urgent: boolean) =>
    Effect.async<void, Full>((resume) => {
      // Null once the caller left; the queue keeps its entry until its turn.
      let waiting: typeof resume | null = resume
      let granted = false
      const begin = () => {
        if (waiting === null) return release(owner)
        granted = true
        waiting(Effect.void)
      }
      if (!queue.offer(owner, begin, urgent)) return resume(full)
      serve()
      return Effect.sync(() => {
        waiting = null
        if (granted) release(owner)
      })
    })

  /** Runs an effect in a slot of its owner. Urgent work is served before the owner's other work. Fails if there is no room to wait. */
  return <A, E, R>(owner: string, work: Effect.Effect<A, E, R>, urgent = false): Effect.Effect<A, E | Full, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.zipRight(
        restore(slot(owner, urgent)),
        Effect.ensuring(restore(work), Effect.sync(() => release(owner)))
      )
    )
}
export type FairTurns<Full> = ReturnType<typeof makeFairTurns<Full>>
