/** The operation that the current request calls; null outside the registry, as on the live stream. */
import { Context } from "effect"
import type { Operation } from "../openapi/Operations.ts"

export class CurrentOperation extends Context.Reference<CurrentOperation>()("belltower/CurrentOperation", {
  defaultValue: (): Operation | null => null
}) {}
