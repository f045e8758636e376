/** Takes the lists of a source in steps, and no more than an import carries: their size is untrusted. */
import type { Steps } from "../tools/Steps.ts"

/** The most of each kind in an import. A workspace or a page holds no more of most of them. */
export const mostTaken = {
  monitors: 10_000,
  channels: 1_000,
  pages: 200,
  /** Components of one page. */
  components: 500,
  incidents: 5_000
} as const
type Listed = keyof typeof mostTaken

/** The size of one thing at most, in values; a text counts as one for each 64 characters. */
const largest = 10_000
const charactersOfValue = 64

/** The size that is decoded in one step: about 5 ms. A page brings its components with it, which takes 10 ms. */
const stepSizes: Readonly<Record<Listed, number>> = { monitors: 200, channels: 200, pages: 1, components: 200, incidents: 200 }

/** The size of a value, counted no further than the largest. */
const sizeOf = (value: unknown, room = largest): number => {
  if (typeof value === "string") return 1 + value.length / charactersOfValue
  if (typeof value !== "object" || value === null) return 1
  let size = 1
  for (const name in value) {
    size += sizeOf(Reflect.get(value, name), room - size)
    if (size > room) return size
  }
  return size
}

/** The first things of a list; a warning has the number of the others. `where` is its phrase for the limit. */
export const firstOf = <A>(kind: Listed, things: ReadonlyArray<A>, warnings: Array<string>, where = "an import takes") => {
  const most = mostTaken[kind]
  if (things.length > most) warnings.push(`${things.length - most} ${kind} are not carried: ${where} at most ${most}`)
  return things.slice(0, most)
}

/** The same for the components of a page. */
export const firstComponents = <A>(page: string, components: ReadonlyArray<A>, warnings: Array<string>): ReadonlyArray<A> =>
  firstOf("components", components, warnings, `of "${page.slice(0, 100)}" an import takes`)

/** Converts the first things of a list, in order. A warning has the number of those that are too large. */
export function* takeInSteps<A, B>(
  kind: Listed,
  things: ReadonlyArray<A>,
  warnings: Array<string>,
  make: (thing: A, index: number) => B | ReadonlyArray<B>
): Steps<ReadonlyArray<B>> {
  const made: Array<B> = []
  let tooLarge = 0
  let size = 0
  for (const [index, thing] of firstOf(kind, things, warnings).entries()) {
    if (size >= stepSizes[kind]) {
      yield
      size = 0
    }
    const own = sizeOf(thing)
    size += own
    if (own > largest) tooLarge++
    else made.push(...[thing].flatMap((one) => make(one, index)))
  }
  if (tooLarge > 0) warnings.push(`${tooLarge} ${kind} are not carried: each holds more than an import reads of one`)
  return made
}
