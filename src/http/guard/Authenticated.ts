/** The caller whom a surface has authenticated before it calls operations in the process. */
import { Context } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"

/** Null where the request's credentials say it. */
export class Authenticated extends Context.Reference<Authenticated>()("belltower/Authenticated", {
  defaultValue: (): Caller | null => null
}) {}
