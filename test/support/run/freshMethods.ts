/** Before each file: `layer` of @effect/vitest puts its own methods on the shared `it`, also for files that follow in the process. */
import { it, makeMethods } from "@effect/vitest"

makeMethods(it)
