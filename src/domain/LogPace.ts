/** Lets a line through at most once in a while for each of a fixed set of names. */

/** `every` and `now` in ms. */
export const makePace = (every: number): (name: string, now: number) => boolean => {
  const last = new Map<string, number>()
  return (name, now) => {
    const before = last.get(name)
    if (before !== undefined && now - before < every) return false
    last.set(name, now)
    return true
  }
}
