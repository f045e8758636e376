/** The state machine of flapping, for one channel and one monitor: its readers get one report of it and one of its end. */
import { DateTime, Duration } from "effect"
import { groupTime } from "./AlertGroup.ts"

/** A monitor flaps with its third trouble within the window. */
export const flappingTroubles = 3
export const flappingWindow = Duration.minutes(30)

/** A monitor has stopped flapping after this time without a change. */
export const calmTime = Duration.minutes(15)

/** A change of a monitor that the channel would be alerted about. */
export interface Change {
  readonly at: DateTime.Utc
  /** The monitor's state since `at`. */
  readonly state: "down" | "degraded" | "up"
}

export interface Streak {
  /** When trouble began, within the window before the last change, oldest first. */
  readonly troubles: ReadonlyArray<DateTime.Utc>
  /** As the last change left it. */
  readonly troubled: boolean
  readonly flapping: boolean
  /** The channel's last alert that the monitor is down: since the window before it began to flap. Null without one. */
  readonly downAt: DateTime.Utc | null
  /** True if the last change was an outage that was sent although the monitor flaps. */
  readonly outage: boolean
  readonly at: DateTime.Utc
}

/** The message to the channel about a change: the alert itself, that the monitor flaps, or none until that ends. */
export type Announcement = "alert" | "flapping" | "nothing"

/** The state before the first change. */
export const noStreak = (at: DateTime.Utc): Streak => ({
  troubles: [],
  troubled: false,
  flapping: false,
  downAt: null,
  outage: false,
  at
})

/** A monitor that was only degraded while it flapped may go down: that alert is sent, and the change after it. */
const announcementOf = (before: Streak, state: Change["state"], flapping: boolean): Announcement => {
  if (!before.flapping) return flapping ? "flapping" : "alert"
  return before.outage || (state === "down" && before.downAt === null) ? "alert" : "nothing"
}

/** Takes a change. One that becomes worse, from degraded to down, is the same trouble. */
export const takeChange = (
  before: Streak,
  { at, state }: Change
): { readonly streak: Streak; readonly announcement: Announcement } => {
  const oldest = DateTime.subtractDuration(at, flappingWindow)
  const recent = before.troubles.filter((one) => DateTime.greaterThan(one, oldest))
  const troubled = state !== "up"
  const begins = troubled && !before.troubled
  // Older ones decide nothing.
  const troubles = [...recent, ...(begins ? [at] : [])].slice(-flappingTroubles)
  const flapping = before.flapping || troubles.length >= flappingTroubles
  const announcement = announcementOf(before, state, flapping)
  const isDownAnnounced = state === "down" && announcement !== "nothing"
  const { downAt } = before
  // An outage that was over so soon was perhaps not sent.
  const keptSince = state === "up" ? DateTime.subtractDuration(at, groupTime) : null
  const isForgotten = downAt !== null && !before.flapping &&
    (!DateTime.greaterThan(downAt, oldest) || (keptSince !== null && DateTime.greaterThan(downAt, keptSince)))
  return {
    streak: {
      troubles,
      troubled,
      flapping,
      downAt: isDownAnnounced ? at : isForgotten ? null : downAt,
      outage: isDownAnnounced && before.flapping,
      at: DateTime.max(before.at, at)
    },
    announcement
  }
}

/** When the streak ends unless there is another change: a flapping monitor is stable then, and all else is forgotten. */
export const endsAt = ({ at, flapping }: Streak): DateTime.Utc => DateTime.addDuration(at, flapping ? calmTime : flappingWindow)
