/** Runs work in slots of a fair queue, which owners share: a free slot goes to the owner that holds the fewest. */
import { Effect } from "effect"
import type { FairQueue } from "../domain/tools/queues/FairQueue.ts"

type Begin = () => void
type Shared = Pick<FairQueue<Begin>, "offerOrDisplace" | "release" | "remove" | "take">

/** The failure of a queue without a limit, which never occurs. */
export const neverFull: Effect.Effect<never> = Effect.dieMessage("A queue without a limit is full")

/** Work that is interrupted while it waits takes no slot. `full` fails for work that finds no room to wait. */
export const makeFairSlots = <Full>(queue: Shared, full: Effect.Effect<never, Full>) => {
  const serve = () => {
    for (let begin = queue.take(); begin !== undefined; begin = queue.take()) begin()
  }

  const release = (owner: string) => {
    queue.release(owner)
    serve()
  }

  /** Ends each wait without a slot. */
  const refusals = new WeakMap<Begin, () => void>()

  const refuse = (begin: Begin): void => refusals.get(begin)?.()

  const slot = (owner: string, urgent: boolean) =>
    Effect.async<void, Full>((resume) => {
      let granted = false
      const begin = () => {
        granted = true
        resume(Effect.void)
      }
      refusals.set(begin, () => resume(full))
      if (!queue.offerOrDisplace(owner, begin, refuse, urgent)) return resume(full)
      serve()
      return Effect.sync(() => {
        if (granted) release(owner)
        else queue.remove(owner, begin)
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
export type FairSlots<Full> = ReturnType<typeof makeFairSlots<Full>>
