/** The handling of checks on a runner. Closes from the consumer inwards: results stop, then the writer flushes. */
import { Layer } from "effect"
import { ManifestFeed } from "../../src/services/check/ManifestFeed.ts"
import { CheckCompactor } from "./CheckCompactor.ts"
import { CheckConsumer } from "./CheckConsumer.ts"
import { CheckUpkeep } from "./CheckUpkeep.ts"
import { CheckWriter } from "./CheckWriter.ts"
import { TellTime } from "./TellTime.ts"

export const checks = Layer.mergeAll(CheckConsumer, CheckUpkeep, CheckCompactor, TellTime).pipe(
  Layer.provide(CheckWriter.layer),
  Layer.provide(ManifestFeed.Default)
)
