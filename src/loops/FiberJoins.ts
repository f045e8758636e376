/**
 * Spares fibers that end a comparison of services. When a fiber joins its parent, Effect 3 compares all services of both, and copies them,
 * as soon as the fiber provided one for a moment: each statement does, and each time limit is two fibers.
 */
import { type Context, DefaultServices, Effect, FiberRef, Predicate } from "effect"

/** What the types of Effect leave out: the difference of two values, and that of equal ones. */
interface Compared<A> {
  readonly diff: (before: A, after: A) => unknown
  readonly fork: unknown
}

const isCompared = <A>(ref: FiberRef.FiberRef<A>): ref is FiberRef.FiberRef<A> & Compared<A> =>
  Predicate.hasProperty(ref, "diff") && Predicate.isFunction(ref.diff) && Predicate.hasProperty(ref, "fork")

const comparingOnce = <A>(ref: FiberRef.FiberRef<Context.Context<A>>): void => {
  if (!isCompared(ref)) return
  const { diff, fork: nothing } = ref
  Object.assign(ref, {
    diff: (before: Context.Context<A>, after: Context.Context<A>) => before === after ? nothing : diff(before, after)
  })
}

/** Applies to the rest of the process. What a fiber changed for good reaches its parent as before. */
export const sparedJoins = Effect.sync(() => {
  comparingOnce(FiberRef.currentContext)
  comparingOnce(DefaultServices.currentServices)
})
