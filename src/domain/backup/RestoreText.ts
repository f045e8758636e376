/** Says in words what a restore has lost. */
import { DateTime } from "effect"
import { counted } from "../tools/text/Counted.ts"

/** The kinds of messages that a restore keeps back, as operators know them: one of them, and more about it. */
const keptBack = {
  deliveries: ["alert", " to channels, listed as dead: replay_deliveries sends them"],
  mails: ["mail"],
  subscriberDeliveries: ["message", " to subscribers"],
  broadcasts: ["announcement", " to the subscribers of a page, which had not reached all of them"],
  groupedAlerts: ["alert", " for which others were awaited"],
  quietAlerts: ["alert", " held for the end of quiet hours"],
  events: ["event", " not passed on yet"],
  digests: ["weekly digest"]
} as const
export type KeptBack = keyof typeof keptBack

const lengthOf = (ms: number): string => {
  const minutes = Math.round(ms / 60_000)
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)]
  if (days > 0) return `${days} d ${hours} h`
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`
}

export interface Lost {
  readonly restoredTo: DateTime.Utc
  readonly restoredAt: DateTime.Utc
  readonly notSent: Readonly<Record<string, number>>
}

/** One line. */
export const lostSpan = ({ restoredAt, restoredTo }: Lost): string =>
  `The database was restored at ${DateTime.formatIso(restoredAt)} to its state of ${
    DateTime.formatIso(restoredTo)
  }; what happened in ` +
  `between (${lengthOf(DateTime.distance(restoredTo, restoredAt))}) is lost`

const isKind = (name: string): name is KeptBack => Object.hasOwn(keptBack, name)

/** Kinds of a version to come are shown by their names. */
const amountOf = (kind: string, count: number): string => {
  if (!isKind(kind)) return `${count} ${kind}`
  const [noun, more = ""] = keptBack[kind]
  return `${counted(count, noun)}${more}`
}

/** The whole statement, a line for each kind of message. */
export const lostLines = (lost: Lost): ReadonlyArray<string> => {
  const kinds = Object.entries(lost.notSent).filter(([, count]) => count > 0)
  return [
    `${lostSpan(lost)}.`,
    ...(kinds.length === 0
      ? ["Nothing was due in that time."]
      : ["Not sent, because they were due in that time and may have been sent then:"]),
    ...kinds.map(([kind, count]) => `  ${amountOf(kind, count)}`),
    "All people are signed out. API keys, private links and probes that were revoked in that time are valid again: revoke them again."
  ]
}
