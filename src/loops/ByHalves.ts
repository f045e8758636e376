/** Work on many items in one go, of which one may be at fault: halves are tried until it stands alone. */
import { type Cause, Effect } from "effect"

interface Halving<A, E, R> {
  readonly work: (items: ReadonlyArray<A>) => Effect.Effect<unknown, E, R>
  /** Whether the items make the work fail, and not the place where it is done. */
  readonly isTheirFault: (cause: Cause.Cause<E>) => boolean
  readonly leaveOut: (item: A, cause: Cause.Cause<E>) => Effect.Effect<unknown>
}

/** Does the work for all items but those that make it fail, which are left out one by one. Other failures end it. */
export const byHalves = <A, E, R>(items: ReadonlyArray<A>, halving: Halving<A, E, R>): Effect.Effect<void, E, R> => {
  const { isTheirFault, leaveOut, work } = halving
  const attempt = (part: ReadonlyArray<A>): Effect.Effect<unknown, E, R> =>
    Effect.catchAllCause(Effect.suspend(() => work(part)), (cause) => {
      const [only] = part
      if (only === undefined || !isTheirFault(cause)) return Effect.failCause(cause)
      if (part.length === 1) return leaveOut(only, cause)
      const middle = Math.ceil(part.length / 2)
      return Effect.zipRight(attempt(part.slice(0, middle)), attempt(part.slice(middle)))
    })
  return items.length === 0 ? Effect.void : Effect.asVoid(attempt(items))
}
