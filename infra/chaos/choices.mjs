// Random choices that a seed repeats.

/** mulberry32 */
export const makeChoices = (seed) => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit) => Math.floor(next() * limit)
  return {
    below,
    /** A whole number from `least` to `most`, both included. */
    between: (least, most) => least + below(most - least + 1),
    pick: (list) => list[below(list.length)],
    /** The list in another order. */
    shuffled: (list) => {
      const left = [...list]
      return list.map(() => left.splice(below(left.length), 1)[0])
    }
  }
}
