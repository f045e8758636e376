/** The caller of the current request, after the guards admitted it to the operation. */
import { Context } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { Access } from "../../../schema/api/Access.ts"

/** Null before authentication. */
export class Admission extends Context.Reference<Admission>()("belltower/Admission", {
  defaultValue: (): Access["Type"] | null => null
}) {}

/** Whom a surface has authenticated before it calls operations in the process; null where the request's credentials say it. */
export class Authenticated extends Context.Reference<Authenticated>()("belltower/Authenticated", {
  defaultValue: (): Caller | null => null
}) {}
