/** Long pure work in steps: the caller decides what happens in between, such as a turn of the event loop. */

/** Yields after each step and returns the result. */
export type Steps<A> = Generator<void, A, void>

/** Maps items in order, at most `perStep` in one step. */
export function* mapInSteps<A, B>(items: ReadonlyArray<A>, perStep: number, map: (item: A) => B): Steps<ReadonlyArray<B>> {
  const mapped: Array<B> = []
  for (const item of items) {
    if (mapped.length > 0 && mapped.length % perStep === 0) yield
    mapped.push(map(item))
  }
  return mapped
}

/** Runs all steps without a pause. */
export const runSteps = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
