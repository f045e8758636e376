/** Long pure work in steps: the caller decides what happens in between, such as a turn of the event loop. */
import { Predicate } from "effect"

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

/** Maps items in order. A step ends once the items in it have this weight together. */
export function* mapByWeight<A, B>(
  items: ReadonlyArray<A>,
  perStep: number,
  weigh: (item: A) => number,
  map: (item: A) => B
): Steps<ReadonlyArray<B>> {
  const mapped: Array<B> = []
  let weight = 0
  for (const item of items) {
    if (weight >= perStep) {
      weight = 0
      yield
    }
    weight += weigh(item)
    mapped.push(map(item))
  }
  return mapped
}

/** JSON of a value; the members of objects, down to `depth`, are encoded in steps of their own. */
export function* jsonInSteps(value: unknown, depth: number): Steps<string> {
  if (depth === 0 || !Predicate.isRecord(value) || Array.isArray(value)) {
    yield
    return JSON.stringify(value)
  }
  const members: Array<string> = []
  for (const [name, inner] of Object.entries(value)) {
    if (inner !== undefined) members.push(`${JSON.stringify(name)}:${yield* jsonInSteps(inner, depth - 1)}`)
  }
  return `{${members.join()}}`
}

/** Does something for each item, at most `perStep` times in one step. */
export function* inSteps<A>(items: Iterable<A>, perStep: number, act: (item: A) => void): Steps<void> {
  let count = 0
  for (const item of items) {
    if (count > 0 && count % perStep === 0) yield
    count += 1
    act(item)
  }
}

export const runSteps = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
