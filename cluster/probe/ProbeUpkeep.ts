/** Ends identities of probes that nobody has used for 30 days, and deletes tokens that have expired. */
import { Effect } from "effect"
import { counted } from "../../src/domain/tools/text/Counted.ts"
import { Probes } from "../../src/store/probe/Probes.ts"
import { singletonEvery } from "../SingletonEvery.ts"

/** After a long pause, the first probe to come back proves nothing about the others, which need a moment. */
const patience = "10 minutes"

export const ProbeUpkeep = singletonEvery(
  "ProbeUpkeep",
  "6 hours",
  Effect.map(
    Probes,
    ({ sweep }) =>
      Effect.tap(
        Effect.delay(sweep, patience),
        (ended) =>
          ended === 0
            ? Effect.void
            : Effect.logInfo(`Ended ${counted(ended, "identity", "identities")} of probes that were not seen for 30 days`)
      )
  )
)
