/** The caller whom a surface has authenticated before it calls operations in the process. */
import { Context } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"

/** Null if the request's credentials identify the caller. */
export class Authenticated extends Context.Reference<Authenticated>()("belltower/Authenticated", {
  defaultValue: (): Caller | null => null
}) {}
