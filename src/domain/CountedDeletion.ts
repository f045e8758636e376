/** When a deletion needs the number of what it takes with it: a caller who knows the number knows what it does. */
import type { Refusal } from "./Refusal.ts"

/** More than so many are deleted only by a caller who knows how many there are. */
const countedFrom = 10

/** The refusal to delete so many; null if the caller gave their number, or there are few. `what` names them with their number. */
export const countRefusal = (found: number, count: number | undefined, what: string): Refusal | null =>
  count === undefined
    ? found > countedFrom ? { path: "count", message: `${what} would be lost`, hint: `Pass count: ${found}` } : null
    : count === found
    ? null
    : { path: "count", message: `${what} would be lost, not ${count}`, hint: "Look at them first" }
