/** The caller of the current request, once it was let in for its operation. */
import { Context } from "effect"
import type { Access } from "../../../schema/api/Access.ts"

/** Null where nobody has asked yet. */
export class Admission extends Context.Reference<Admission>()("belltower/Admission", {
  defaultValue: (): Access["Type"] | null => null
}) {}
