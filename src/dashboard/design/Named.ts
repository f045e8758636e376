/** The first names of a list, and how many more there are: `Shop, Checkout and 3 more`. */

/** More names than these hide what matters about them. */
const most = 12

export const named = (names: ReadonlyArray<string>): string =>
  names.length <= most ? names.join(", ") : `${names.slice(0, most).join(", ")} and ${names.length - most} more`
