/** The loop that checks the probe's own connection while there is doubt, and reports when it is lost and found. */
import { Duration, Effect } from "effect"
import type { ProbeMetrics } from "../Metrics.ts"
import type { Trust } from "../Trust.ts"
import type { Uplink } from "./Uplink.ts"

/** How long a failed check waits at most until its self-check begins. */
const pause = Duration.millis(250)

/** Shown to every workspace, so it names no target. */
const reason = "The probe has lost its own connection: independent targets that answered before are all out of reach"

/** `onChange` runs when the connection is lost, or works again. */
export const uplinkLoop = (
  uplink: Uplink,
  trust: Trust,
  metrics: ProbeMetrics,
  onChange: Effect.Effect<void>
): Effect.Effect<never> => {
  const tell = Effect.suspend(() => {
    // An ordinary check that reaches its target ends the loss, too.
    const isLost = uplink.isLost()
    if (isLost === (trust.uplink !== null)) return Effect.void
    trust.uplink = isLost ? reason : null
    metrics.uplinkLost.set(isLost ? 1 : 0)
    const said = isLost
      ? Effect.logWarning(`${reason}; failed checks do not count until it is back`)
      : Effect.logInfo("The probe's own connection is back; checks that did not count are repeated")
    return Effect.zipRight(said, onChange)
  })
  return uplink.check.pipe(Effect.zipRight(tell), Effect.zipRight(Effect.sleep(pause)), Effect.forever)
}
