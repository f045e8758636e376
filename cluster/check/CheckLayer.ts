/** The handling of checks on a runner. Closes from the consumer inwards: results stop, then the writer flushes. */
import { Layer } from "effect"
import { CheckConsumer } from "./CheckConsumer.ts"
import { CheckUpkeep } from "./CheckUpkeep.ts"
import { CheckWriter } from "./CheckWriter.ts"
import { LiveChecks } from "./LiveChecks.ts"

export const checks = Layer.mergeAll(CheckConsumer, CheckUpkeep).pipe(
  Layer.provide(CheckWriter.layer),
  Layer.provide(LiveChecks.layer)
)
