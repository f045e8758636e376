/** JSON with the members of objects in one order, to compare values. */
import { Predicate } from "effect"

export const canonical = (value: unknown): string =>
  JSON.stringify(
    value,
    (_, inner: unknown) =>
      Predicate.isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner
  )
