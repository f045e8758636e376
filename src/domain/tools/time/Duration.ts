/** Durations in seconds, and as English text for log lines, notes and events. */
import { counted } from "../text/Counted.ts"

const units = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]] as const

/** A duration in whole seconds, in its two largest units. */
export const durationIn = (seconds: number, amount: (count: number, unit: string) => string): string => {
  const first = units.findIndex(([, size]) => seconds >= size)
  if (first === -1) return amount(0, "second")
  const parts: Array<string> = []
  let rest = seconds
  for (const [unit, size] of units.slice(first, first + 2)) {
    if (rest >= size) parts.push(amount(Math.floor(rest / size), unit))
    rest %= size
  }
  return parts.join(" ")
}

/** `2 hours 5 minutes`, `1 minute`, `0 seconds`. */
export const durationText = (seconds: number): string => durationIn(Math.max(0, Math.round(seconds)), counted)

/** Whole seconds between two instants in ms; 0 if `to` is earlier. */
export const secondsBetween = (from: number, to: number): number => Math.max(0, Math.round((to - from) / 1000))
