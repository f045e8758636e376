/** Pages of lists that go on before a time: a page contains everything of its last time, so that the next page misses nothing. */

/**
 * The first `limit` entries, and those after them that have the time of the last; `goesOn` if others follow. `found` are the first
 * `read` entries of the list, in order; if that many have one time, the page ends there.
 */
export const tiedPage = <A>(found: ReadonlyArray<A>, limit: number, read: number, timeOf: (entry: A) => number) => {
  const last = found[limit - 1]
  if (last === undefined) return { page: found, goesOn: false }
  const after = found.slice(limit).findIndex((entry) => timeOf(entry) !== timeOf(last))
  return after < 0 ? { page: found, goesOn: found.length >= read } : { page: found.slice(0, limit + after), goesOn: true }
}
