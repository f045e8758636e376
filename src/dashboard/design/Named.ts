/** The first names of a list, and how many more there are: `Shop, Checkout and 3 more`. */

/** Names that are listed; the rest are counted. */
const most = 12

export const named = (names: ReadonlyArray<string>): string =>
  names.length <= most ? names.join(", ") : `${names.slice(0, most).join(", ")} and ${names.length - most} more`
