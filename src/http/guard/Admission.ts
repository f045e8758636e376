/** The caller of the current request, after the guards admitted it to the operation. */
import { Context } from "effect"
import type { Access } from "../../../schema/api/Access.ts"

/** Null before authentication. */
export class Admission extends Context.Reference<Admission>()("belltower/Admission", {
  defaultValue: (): Access["Type"] | null => null
}) {}
