/** The stages of a drill: the one reached, the next action, and its end. */
import { Duration } from "effect"
import type { Drill, DrillDelivery, DrillStageName, DrillWay } from "../../../schema/drill/Drill.ts"
import { counted } from "../tools/text/Counted.ts"

/** The progress of one of the drill's alerts. */
export interface AlertFacts {
  /** True if every channel has made its first attempt, or keeps the alert. */
  readonly settled: boolean
  readonly deliveries: ReadonlyArray<DrillDelivery>
}

export interface DrillFacts {
  /** True if the monitor of the drill is down, with its incident. */
  readonly detected: boolean
  readonly down: AlertFacts
  /** True if the first level of its policy was paged; true without a policy. An acknowledgement before that would page nobody. */
  readonly paged: boolean
  readonly acknowledged: boolean
  readonly recovered: boolean
  readonly up: AlertFacts
}

/** In order. After a stage is reached, its action leads to the next. */
export const drillStages: ReadonlyArray<DrillStageName> = ["detection", "alert", "acknowledgement", "recovery", "all_clear"]

const isReached: Readonly<Record<DrillStageName, (facts: DrillFacts) => boolean>> = {
  detection: ({ detected }) => detected,
  alert: ({ down, paged }) => down.settled && paged,
  acknowledgement: ({ acknowledged }) => acknowledged,
  recovery: ({ recovered }) => recovered,
  all_clear: ({ up }) => up.settled
}

/** The stages that were reached since, and the one that the drill waits for; null when it has reached all. */
export const advance = (reached: ReadonlyArray<DrillStageName>, facts: DrillFacts) => {
  const fresh: Array<DrillStageName> = []
  for (const stage of drillStages.slice(reached.length)) {
    if (!isReached[stage](facts)) return { fresh, waitsFor: stage }
    fresh.push(stage)
  }
  return { fresh, waitsFor: null }
}

/** How long a drill takes at most. Channels that group alerts wait for up to a minute, twice. */
export const longestDrill = Duration.minutes(5)

const failures: ReadonlyArray<DrillDelivery["status"]> = ["retrying", "dead"]

const problemOfWays = (waitsFor: DrillStageName | null, ways: ReadonlyArray<DrillWay>): string | null => {
  const failed = ways.filter(({ state }) => state === "failed")
  const named = failed.map(({ error, label }) => `${label}: ${error ?? "failed"}`).join("; ")
  if (ways.length === 0) return "The person has no verified way to be reached. Add one, or confirm the email address"
  if (failed.length > 0) return `${failed.length} of ${counted(ways.length, "way")} did not reach the person. ${named}`
  return waitsFor === null || waitsFor === "all_clear"
    ? null
    : `The drill did not get past ${waitsFor} within ${Duration.toMinutes(longestDrill)} minutes`
}

export const problemOf = (
  waitsFor: DrillStageName | null,
  { captured, deliveries, unreached, ways }: Pick<Drill, "captured" | "deliveries" | "unreached" | "ways">
): string | null => {
  if (ways !== undefined) return problemOfWays(waitsFor, ways)
  const alerts = deliveries.filter(({ event }) => event === "monitor.down")
  const refused = alerts.filter(({ status }) => failures.includes(status))
  const kept = alerts.filter(({ status }) => status === "captured")
  if (waitsFor !== null && waitsFor !== "all_clear") {
    return `The drill did not get past ${waitsFor} within ${Duration.toMinutes(longestDrill)} minutes`
  }
  if (alerts.length === 0) return "No channel received the alert. Check that one is enabled and lists monitor.down"
  if (refused.length > 0) return `${refused.length} of ${counted(alerts.length, "channel")} did not accept the alert`
  if (kept.length > 0) {
    return `No mail server is set: ${kept.length} of ${counted(alerts.length, "channel")} captured the alert, not sent`
  }
  if (captured.length > 0) return `No mail server is set: the pages to ${captured.join(", ")} were captured, not sent`
  if (unreached.length > 0) {
    return `${counted(unreached.length, "person", "people")} could not be paged. Check their email addresses`
  }
  return deliveries.some(({ status }) => failures.includes(status)) ? "A channel did not accept the all-clear" : null
}
