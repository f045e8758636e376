/** The pause of a loop of a runner that no signal wakes: the runners poll together as often as one runner would. */
import { Duration } from "effect"

/** How often all runners together poll for work whose signal was lost. */
const together = Duration.toMillis("5 seconds")

/** The longest pause of one runner, and of loops for which `DueWork` looks. Work that becomes due sooner than this needs a signal. */
export const longestFallback = Duration.seconds(30)

/** `share` is the part of all shards that the runner holds, from 0 to 1; one that holds none has just started. */
export const fallbackPause = (share: number): Duration.Duration =>
  Duration.min(longestFallback, Duration.millis(share > 0 ? together / share : together))
