/** The groups of operations from which a person chooses what an app may use. */
import { Array } from "effect"
import type { CallableOperation } from "../access/CallPermission.ts"

export interface GroupedOperation extends CallableOperation {
  /** Its group in the registry, such as `Status pages`. */
  readonly group: string
}

/** The groups of what apps can be given, in the registry's order. */
export const toolGroups = (known: ReadonlyArray<GroupedOperation>, delegable: ReadonlySet<string>): ReadonlyArray<string> =>
  Array.dedupe(known.filter(({ id, scope }) => scope !== "public" && delegable.has(id)).map(({ group }) => group))

/** The operations of the chosen groups; null if all were chosen, so that those of later versions are included. */
export const operationsOf = (
  chosen: ReadonlyArray<string>,
  known: ReadonlyArray<GroupedOperation>,
  delegable: ReadonlySet<string>
): ReadonlyArray<string> | null =>
  toolGroups(known, delegable).every((group) => chosen.includes(group))
    ? null
    : known.filter(({ group, id, scope }) => scope !== "public" && delegable.has(id) && chosen.includes(group)).map(({ id }) =>
      id
    )
