/** The pool of a fiber's statements: that of the primary, unless its work reads from a replica. */
import { Context } from "effect"
import type { Pool } from "pg"

export class ReadPool extends Context.Reference<ReadPool>()("belltower/ReadPool", {
  defaultValue: (): Pool | null => null
}) {}

export const poolOf = (context: Context.Context<never>, primary: Pool): Pool => Context.get(context, ReadPool) ?? primary
