/** How long the jobs of a cron schedule are apart, at most, as one period. */

const minute = 60
const hour = 3600
const day = 86_400

const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

/** Days by their numbers; 7 is Sunday, too. */
const numbered = (field: string): string =>
  field.toLowerCase().replace(/[a-z]{3}/g, (name) => {
    const index = dayNames.indexOf(name)
    return index < 0 ? name : String(index)
  })

/** The largest gap between the values of a field, round the clock; null if it is not a list, range or step of numbers. */
const gapOf = (field: string, size: number): number | null => {
  const values = new Set<number>()
  for (const part of field.split(",")) {
    const [, from, to, step] = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part) ?? []
    if (from === undefined && !part.startsWith("*")) return null
    const first = Number(from ?? 0)
    const last = to !== undefined ? Number(to) : from === undefined || step !== undefined ? size - 1 : first
    const by = Number(step ?? 1)
    if (by < 1) return null
    for (let value = first; value <= Math.min(last, size); value += by) values.add(value % size)
  }
  const sorted = [...values].sort((one, other) => one - other)
  const [first] = sorted
  if (first === undefined) return null
  return sorted.reduce((largest, value, index) => Math.max(largest, (sorted[index + 1] ?? first + size) - value), 0)
}

/** In seconds; null for a schedule that is not understood, such as one of some months or an OnCalendar expression. */
export const cronPeriod = (schedule: string): number | null => {
  const [minutes, hours, dates, months, days, ...rest] = schedule.trim().split(/\s+/)
  if (minutes === undefined || hours === undefined || dates === undefined || months === undefined || days === undefined) {
    return null
  }
  if (rest.length > 0) return null
  if (months !== "*") return null
  if (dates !== "*" && dates !== "?") return days === "*" || days === "?" ? 31 * day : null
  const dayGap = days === "*" || days === "?" ? 1 : gapOf(numbered(days), 7)
  const hourGap = gapOf(hours, 24)
  const minuteGap = gapOf(minutes, 60)
  if (dayGap === null || hourGap === null || minuteGap === null) return null
  if (dayGap > 1) return dayGap * day
  if (hourGap > 1) return hourGap * hour
  return minuteGap * minute
}
