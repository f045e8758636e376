/** Durations in seconds, and as English text for log lines, notes and events. */

const units = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]] as const

const countOf = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? "" : "s"}`

/** The two largest units of a duration in seconds: `2 hours 5 minutes`, `1 minute`, `0 seconds`. */
export const durationText = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  const first = units.findIndex(([, size]) => whole >= size)
  if (first === -1) return countOf(0, "second")
  const parts: Array<string> = []
  let rest = whole
  for (const [unit, size] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(countOf(count, unit))
  }
  return parts.join(" ")
}

/** Whole seconds between two instants in ms; 0 if `to` is earlier. */
export const secondsBetween = (from: number, to: number): number => Math.max(0, Math.round((to - from) / 1000))
