/** When a monitor flaps: the state machine of one channel and one monitor. Its readers get one report of it and one of its end. */
import { DateTime, Duration } from "effect"

/** A monitor flaps from so many troubles on, counted within the window. */
export const flappingTroubles = 3
export const flappingWindow = Duration.minutes(30)

/** A monitor has stopped to flap after so long without a change. */
export const calmTime = Duration.minutes(15)

/** A change of a monitor that the channel would be alerted of. */
export interface Change {
  readonly at: DateTime.Utc
  /** Whether the monitor is down or degraded since. */
  readonly troubled: boolean
}

export interface Streak {
  /** When trouble began, within the window before the last change, oldest first. */
  readonly troubles: ReadonlyArray<DateTime.Utc>
  /** As the last change left it. */
  readonly troubled: boolean
  readonly flapping: boolean
  /** The last change. */
  readonly at: DateTime.Utc
}

/** What the channel hears of a change: the alert itself, that the monitor flaps, or nothing until that ends. */
export type Telling = "alert" | "flapping" | "nothing"

/** The state before the first change. */
export const noStreak = (at: DateTime.Utc): Streak => ({ troubles: [], troubled: false, flapping: false, at })

/** Takes a change. One that becomes worse, from degraded to down, is the same trouble. */
export const takeChange = (before: Streak, { at, troubled }: Change): { readonly streak: Streak; readonly telling: Telling } => {
  const oldest = DateTime.subtractDuration(at, flappingWindow)
  const recent = before.troubles.filter((one) => DateTime.greaterThan(one, oldest))
  const begins = troubled && !before.troubled
  // More than these decide nothing.
  const troubles = [...recent, ...(begins ? [at] : [])].slice(-flappingTroubles)
  const flapping = before.flapping || troubles.length >= flappingTroubles
  return {
    streak: { troubles, troubled, flapping, at: DateTime.max(before.at, at) },
    telling: before.flapping ? "nothing" : flapping ? "flapping" : "alert"
  }
}

/** When the streak ends unless there is another change: a flapping monitor is stable then, and all else is forgotten. */
export const endsAt = ({ at, flapping }: Streak): DateTime.Utc => DateTime.addDuration(at, flapping ? calmTime : flappingWindow)
