/** The user ids of helper processes, one for each run. Nothing else runs as them, so no run can touch another one or anything of ours. */

/** Ids that systemd's list of ranges leaves unused (UIDS-GIDS); containers with 65,536 ids have them, too. */
const first = 65_520

/** Scripts run at most eight at a time: four, and one for each browser. Browsers run at most four at a time. */
const ranges = { scripts: { from: first, count: 8 }, browsers: { from: first + 8, count: 4 } } as const

export type HelperKind = keyof typeof ranges

/** Lends the ids of a kind of helper. A process that was killed keeps its id until it is gone, so there may be none. */
export const makeHelperIds = (kind: HelperKind) => {
  const { count, from } = ranges[kind]
  const lent = new Set<number>()
  return {
    /** An id that no running helper of this process has; null if there is none. */
    take: (): number | null => {
      const free = Array.from({ length: count }, (_, index) => from + index).find((id) => !lent.has(id)) ?? null
      if (free !== null) lent.add(free)
      return free
    },
    giveBack: (id: number): void => void lent.delete(id)
  }
}
export type HelperIds = ReturnType<typeof makeHelperIds>

export const isHelperId = (uid: number): boolean =>
  Object.values(ranges).some(({ count, from }) => uid >= from && uid < from + count)
