/** Which alerts of a monitor wait while a monitor that it depends on is down. Its checks, state and incidents are not affected. */
import { Duration } from "effect"

/** How an event changes a monitor's trouble. */
export type TroubleStep = "begins" | "continues" | "ends"

/** The alerting of a monitor's present trouble, as long as it lasts. */
export interface DependentTrouble {
  /** Whether channels were alerted. */
  readonly told: boolean
  /** The last alert that waits. */
  readonly waiting: string | null
}

export interface Sifted {
  readonly sent: boolean
  /** Null when there is no trouble. */
  readonly after: DependentTrouble | null
}

/**
 * Decides on one event of a monitor with dependencies. While `shadowed`, alerts wait and reminders are dropped. The end is
 * sent only if an alert of the trouble was. Without a record of a trouble, its alerts were sent before the monitor had
 * dependencies.
 */
export const sift = (before: DependentTrouble | null, step: TroubleStep, eventId: string, shadowed: boolean): Sifted => {
  switch (step) {
    case "begins":
      return shadowed
        ? { sent: false, after: { told: before?.told ?? false, waiting: eventId } }
        : { sent: true, after: { told: true, waiting: null } }
    case "continues":
      return { sent: !shadowed && (before?.told ?? true), after: before }
    case "ends":
      return { sent: before?.told ?? true, after: null }
  }
}

/** How often waiting alerts are reviewed, besides when a parent recovers: it may have been paused, deleted or detached. */
export const reviewTime = Duration.minutes(5)

/** How long a monitor gets at most to recover after its parent did, before its alert is sent. */
export const longestGrace = Duration.minutes(10)
