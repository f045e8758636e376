/** Keeps formats of numbers and moments: making one costs more than a hundred uses. */

/** Formats of each kind, some MB at most; then the cache starts empty. */
const most = 300

export const keeping = <Format>() => {
  const known = new Map<string, Format>()
  return (key: string, make: () => Format): Format => {
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= most) known.clear()
    const made = make()
    known.set(key, made)
    return made
  }
}
