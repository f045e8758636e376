/** Lists of names that are cut, and sums. */

/** Names that are listed; the rest are counted. */
const mostNames = 12

/** `Shop, Checkout and 3 more`. */
export const named = (names: ReadonlyArray<string>): string =>
  names.length <= mostNames ? names.join(", ") : `${names.slice(0, mostNames).join(", ")} and ${names.length - mostNames} more`

/** The sum of several counts; 0 for none. */
export const totalOf = (counts: Readonly<Record<string, number>> | undefined): number =>
  Object.values(counts ?? {}).reduce((sum, some) => sum + some, 0)
