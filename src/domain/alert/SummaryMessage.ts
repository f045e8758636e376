/** A group of alerts in words. */
import { Struct } from "effect"
import type { EventData } from "../../../schema/event/EventData.ts"
import { isolated } from "../tools/text/Direction.ts"

type Summary = EventData<"monitor.summary">

const words = { down: "down", degraded: "degraded", up: "up again", flapping: "flapping", stable: "stable again" } as const

const none = { count: 0, monitors: [] }

/** The changes of its monitors that occurred, the worst first. */
const changesOf = (summary: Summary) =>
  Struct.keys(words).map((change) => ({ change, ...(summary[change] ?? none) })).filter(({ count }) => count > 0)

/** `12 monitors are down, 1 is up again`. */
export const summaryTitle = (summary: Summary): string =>
  changesOf(summary).map(({ change, count }, index) =>
    `${count}${index > 0 ? "" : count === 1 ? " monitor" : " monitors"} ${count === 1 ? "is" : "are"} ${words[change]}`
  ).join(", ")

export const summaryTone = ({ degraded, down, flapping = none }: Summary) =>
  down.count > 0 || flapping.count > 0 ? "down" : degraded.count > 0 ? "degraded" : "good"

const mostLines = 30

/** The lines that fit, and how many do not. */
export const listed = (count: number, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const shown = lines.slice(0, mostLines).map((line) => `- ${line}`)
  return count > shown.length ? [...shown, `... and ${count - shown.length} more`] : shown
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A paragraph for each change, with a line for each monitor. */
export const summaryText = (summary: Summary): string =>
  changesOf(summary).map(({ change, count, monitors }) => {
    // A monitor that is up again may have come back slow; that is no reason why it is up.
    const lines = monitors.map(({ error, name }) => `${isolated(name)}${error === null || change === "up" ? "" : `: ${error}`}`)
    return [`${capitalized(words[change])}:`, ...listed(count, lines)].join("\n")
  }).join("\n\n")
