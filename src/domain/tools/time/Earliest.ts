/** The earliest of some times; null if there is none. */
import { DateTime } from "effect"

export const earliest = (times: ReadonlyArray<DateTime.Utc | null>): DateTime.Utc | null =>
  times.reduce((first, at) => first === null ? at : at === null ? first : DateTime.min(first, at), null)
